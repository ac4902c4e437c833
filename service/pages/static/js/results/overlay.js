// Superposed ligands in one frame, with the directions of their exits.

import { shownTheme } from "../theme-button.js";
import { directionArrows, frame } from "./scene-parts.js";
import { hasSmoothEdges, hasWebGl, load3Dmol } from "./vendor.js";

const figure = document.querySelector("[data-overlay]");
const data = JSON.parse(figure.querySelector("[data-overlay-data]").textContent);

/** Show the state of the view, or the reason why it is empty. @param {string} state @param {string} words */
function say(state, words = "") {
  figure.dataset.state = state;
  const message = figure.querySelector("[data-message]");
  message.hidden = state === "ready";
  message.textContent = words;
}

async function text(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`a file was answered with ${answer.status}`);
  return answer.text();
}

/** Move the atoms of a model by its matrix into the frame of the reference. */
function move(model, matrix, shift) {
  for (const atom of model.selectedAtoms({})) {
    const from = [atom.x, atom.y, atom.z];
    [atom.x, atom.y, atom.z] = matrix.map((row, i) => row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + shift[i]);
  }
}

/** Return an SDF record with its atoms in the frame of the reference. */
function moved(sdf, matrix, shift) {
  const lines = sdf.split("\n");
  const atoms = Number(lines[3].slice(0, 3));
  for (let k = 4; k < 4 + atoms; k += 1) {
    const from = [0, 10, 20].map((column) => Number(lines[k].slice(column, column + 10)));
    const to = matrix.map((row, i) => row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + shift[i]);
    lines[k] = to.map((value) => value.toFixed(4).padStart(10)).join("") + lines[k].slice(30);
  }
  return lines.join("\n");
}

/** Save a file. @param {string} href @param {string} name */
function save(href, name) {
  Object.assign(document.createElement("a"), { href, download: name }).click();
}

async function show() {
  if (figure.dataset.vendor === "") return say("missing", "This server was set up without 3Dmol.js.");
  if (!hasWebGl()) return say("no-webgl", "This browser does not support WebGL.");
  say("loading", "Loading the ligands…");
  const [library, protein, ...ligands] = await Promise.all([
    load3Dmol(figure.dataset.vendor), data.reference ? text(data.reference.url) : "", ...data.ligands.map((ligand) => text(ligand.url)),
  ]);
  const theme = shownTheme();
  const viewer = library.createViewer(figure.querySelector("[data-canvas]"), { backgroundColor: theme === "dark" ? "#1d262e" : "#ffffff", antialias: hasSmoothEdges() });
  const cartoon = { cartoon: { color: theme === "dark" ? "#6f808d" : "#c3ccd4", opacity: 0.5, thickness: 0.25 } };
  const reference = protein ? viewer.addModel(protein, data.reference.format) : null;
  reference?.setStyle({}, cartoon);
  const models = data.ligands.map((ligand, n) => {
    const model = viewer.addModel(ligands[n], "sdf", { keepH: true });
    model.removeAtoms(model.selectedAtoms({ elem: "H" }));
    move(model, ligand.matrix, ligand.shift);
    viewer.setStyle({ model }, { stick: { radius: 0.16, colorscheme: { prop: "elem", map: { N: "#3050c8", O: "#d02020", S: "#b09a2e" } }, color: ligand.colour } });
    viewer.setStyle({ model, elem: "C" }, { stick: { radius: 0.16, color: ligand.colour } });
    return model;
  });
  const canvas = figure.querySelector("[data-canvas]");
  const arrows = directionArrows(viewer, data.directions, theme);
  viewer.zoomTo({ model: models });
  viewer.zoom(1.1 * Math.min(1, canvas.clientWidth / canvas.clientHeight));
  frame(viewer, canvas, arrows);
  viewer.render();
  const boxes = [...document.querySelectorAll("[data-ligand]")];
  for (const box of boxes) {
    box.addEventListener("change", () => {
      models[Number(box.dataset.ligand)][box.checked ? "show" : "hide"]();
      viewer.render();
    });
  }
  const tools = figure.querySelector("[data-tools]");
  const isOn = (what) => tools.querySelector(`[data-do="${what}"]`).getAttribute("aria-pressed") === "true";
  const redraw = () => {
    viewer.removeAllShapes();
    viewer.removeAllLabels();
    if (isOn("directions")) directionArrows(viewer, data.directions, theme);
    reference?.setStyle({}, cartoon);
    if (isOn("residues") && reference) nameResidues(viewer, reference, models);
    viewer.render();
  };
  redraw();
  tools.hidden = false;
  tools.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    if (button.dataset.do === "image") {
      save(viewer.pngURI(), "overlay.png");
      return;
    }
    if (button.dataset.do === "sdf") {
      const records = data.ligands.flatMap(({ matrix, shift }, n) => (models[n].hidden ? [] : [moved(ligands[n], matrix, shift)]));
      const address = URL.createObjectURL(new Blob(records, { type: "chemical/x-mdl-sdfile" }));
      save(address, "overlay.sdf");
      URL.revokeObjectURL(address);
      return;
    }
    button.setAttribute("aria-pressed", String(!isOn(button.dataset.do)));
    if (button.dataset.do === "all") for (const box of boxes) if (box.checked !== isOn("all")) box.click();
    redraw();
  });
  figure.overlay = {
    atoms: () => models.map((model) => model.selectedAtoms({}).map(({ x, y, z }) => [x, y, z])),
    shown: () => models.filter((model) => !model.hidden).length,
    labels: () => viewer.labels.length,
  };
  return say("ready");
}

const NEAR = 4.5; // Å from a ligand's atom
const SAME = 0.3; // Å: the atom itself

/** Show and name the residues of the reference near the ligands. */
function nameResidues(viewer, reference, models) {
  const places = models.filter((model) => !model.hidden).flatMap((model) => model.selectedAtoms({}));
  const touches = (atom) => places.some(({ x, y, z }) => Math.hypot(x - atom.x, y - atom.y, z - atom.z) <= NEAR);
  const residuesOf = (chosen) => new Set(reference.selectedAtoms({}).filter(chosen).map(({ chain, resi }) => `${chain} ${resi}`));
  const isLigand = (atom) => places.some(({ x, y, z }) => Math.hypot(x - atom.x, y - atom.y, z - atom.z) <= SAME);
  const own = residuesOf(isLigand);
  const near = new Set([...residuesOf(touches)].filter((name) => !own.has(name)));
  const chosen = { predicate: ({ chain, resi }) => near.has(`${chain} ${resi}`) };
  reference.setStyle(chosen, { stick: { radius: 0.08 } }, true);
  for (const atom of reference.selectedAtoms({ ...chosen, atom: "CA" })) {
    viewer.addLabel(`${atom.resn[0]}${atom.resn.slice(1).toLowerCase()} ${atom.resi}`, {
      position: atom, fontSize: 13, padding: 1, inFront: true, fontColor: "#15202b", backgroundColor: "#ffffff", backgroundOpacity: 0.75,
    });
  }
}

show().catch((error) => say("failed", `The ligands could not be shown: ${error.message}`));
