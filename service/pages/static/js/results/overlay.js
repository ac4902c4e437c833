// Superposed ligands in one frame, with the directions of their exits.

import { debounced, save } from "../dom.js";
import { getText } from "../http.js";
import { filled, t } from "../texts.js";
import { shownTheme } from "../theme-button.js";
import { CARTOON, directionArrows, frame, GROUND, residueOf, say } from "./scene-parts.js";
import { hasSmoothEdges, hasWebGl, load3Dmol } from "./vendor.js";

const figure = document.querySelector("[data-overlay]");
const data = JSON.parse(figure.querySelector("[data-overlay-data]").textContent);

/** Return a position in the frame of the reference. */
const placed = ([x, y, z], matrix, shift) => matrix.map((row, i) => row[0] * x + row[1] * y + row[2] * z + shift[i]);

/** Return an SDF record with its atoms in the frame of the reference. */
function moved(sdf, matrix, shift) {
  const lines = sdf.split("\n");
  const atoms = Number(lines[3].slice(0, 3));
  for (let k = 4; k < 4 + atoms; k += 1) {
    const from = [0, 10, 20].map((column) => Number(lines[k].slice(column, column + 10)));
    const to = placed(from, matrix, shift);
    lines[k] = to.map((value) => value.toFixed(4).padStart(10)).join("") + lines[k].slice(30);
  }
  return lines.join("\n");
}

async function show() {
  if (figure.dataset.vendor === "") return say(figure, "missing", t.overlay_not_installed);
  if (!hasWebGl()) return say(figure, "no-webgl", t.no_webgl);
  say(figure, "loading", t.loading_ligands);
  const [library, protein, ...ligands] = await Promise.all([
    load3Dmol(figure.dataset.vendor), data.reference ? getText(data.reference.url) : "", ...data.ligands.map((ligand) => getText(ligand.url)),
  ]);
  const theme = shownTheme();
  const canvas = figure.querySelector("[data-canvas]");
  const viewer = library.createViewer(canvas, { backgroundColor: GROUND[theme], antialias: hasSmoothEdges() });
  const cartoon = { cartoon: { color: CARTOON[theme], opacity: 0.5, thickness: 0.25 } };
  const reference = protein ? viewer.addModel(protein, data.reference.format) : null;
  reference?.setStyle({}, cartoon);
  const models = data.ligands.map((ligand, n) => {
    const model = viewer.addModel(ligands[n], "sdf", { keepH: true });
    model.removeAtoms(model.selectedAtoms({ elem: "H" }));
    for (const atom of model.selectedAtoms({})) {
      [atom.x, atom.y, atom.z] = placed([atom.x, atom.y, atom.z], ligand.matrix, ligand.shift);
    }
    viewer.setStyle({ model }, { stick: { radius: 0.16, colorscheme: { prop: "elem", map: { N: "#3050c8", O: "#d02020", S: "#b09a2e" } }, color: ligand.colour } });
    viewer.setStyle({ model, elem: "C" }, { stick: { radius: 0.16, color: ligand.colour } });
    return model;
  });
  const arrows = directionArrows(viewer, data.directions, theme);
  viewer.zoomTo({ model: models });
  viewer.zoom(1.1 * Math.min(1, canvas.clientWidth / canvas.clientHeight));
  frame(viewer, canvas, arrows);
  viewer.render();
  const tools = figure.querySelector("[data-tools]");
  const isOn = (what) => tools.querySelector(`[data-do="${what}"]`).getAttribute("aria-pressed") === "true";
  let contacts = new Map();
  let names = [];
  const redraw = () => {
    viewer.removeAllShapes();
    viewer.removeAllLabels();
    const numbers = isOn("directions") ? directionArrows(viewer, data.directions, theme) : [];
    reference?.setStyle({}, cartoon);
    names = isOn("residues") && reference ? nameResidues(viewer, reference, contacts, numbers) : [];
    viewer.render();
  };
  const change = () => {
    contacts = reference ? contactsOf(reference, models) : contacts;
    redraw();
  };
  change();
  const boxes = [...document.querySelectorAll("[data-ligand]")];
  for (const box of boxes) {
    box.addEventListener("change", () => {
      models[Number(box.dataset.ligand)][box.checked ? "show" : "hide"]();
      change();
    });
  }
  const redrawSoon = debounced(redraw, 150); // after the view has moved, other names have room
  for (const kind of ["pointerup", "wheel"]) canvas.addEventListener(kind, redrawSoon, { passive: true });
  tools.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (!button) return;
    if (button.dataset.do === "image") return save(viewer.pngURI(), "overlay.png");
    if (button.dataset.do === "sdf") {
      const records = data.ligands.flatMap(({ matrix, shift }, n) => (models[n].hidden ? [] : [moved(ligands[n], matrix, shift)]));
      const address = URL.createObjectURL(new Blob(records, { type: "chemical/x-mdl-sdfile" }));
      save(address, "overlay.sdf");
      return URL.revokeObjectURL(address);
    }
    button.setAttribute("aria-pressed", String(!isOn(button.dataset.do)));
    if (button.dataset.do === "all") for (const box of boxes) if (box.checked !== isOn("all")) box.click();
    redraw();
  });
  figure.overlay = {
    atoms: () => models.map((model) => model.selectedAtoms({}).map(({ x, y, z }) => [x, y, z])),
    shown: () => models.filter((model) => !model.hidden).length,
    labels: () => viewer.labels.length,
    names: () => names,
  };
  return say(figure, "ready");
}

const NEAR = 4.5; // Å from a ligand's atom
const SAME = 0.3; // Å: the atom itself

/** Return how many contacts each residue of the reference has with the ligands shown; the ligand itself has none. */
function contactsOf(reference, models) {
  const places = models.filter((model) => !model.hidden).flatMap((model) => model.selectedAtoms({}));
  const contacts = new Map();
  for (const atom of reference.selectedAtoms({})) {
    let near = 0;
    for (const { x, y, z } of places) {
      const distance = Math.hypot(x - atom.x, y - atom.y, z - atom.z);
      if (distance <= NEAR) near += distance <= SAME ? -Infinity : 1;
    }
    contacts.set(residueOf(atom), (contacts.get(residueOf(atom)) ?? 0) + near);
  }
  return contacts;
}

/**
 * Show the residues with contacts; name them, most contacts first, unless the name would cover another one or a number.
 * Return the corners of the names on the screen.
 */
function nameResidues(viewer, reference, contacts, numbers) {
  const count = (atom) => contacts.get(residueOf(atom));
  const chosen = { predicate: (atom) => count(atom) > 0 };
  reference.setStyle(chosen, { stick: { radius: 0.08 } }, true);
  const corners = numbers.map((number) => viewer.modelToScreen(number)).map(({ x, y }) => ({ x: x - NAME.width / 2, y: y - NAME.height / 2 }));
  const taken = corners.length;
  for (const atom of reference.selectedAtoms({ ...chosen, atom: "CA" }).sort((a, b) => count(b) - count(a))) {
    const { x, y } = viewer.modelToScreen(atom);
    if (corners.some((other) => Math.abs(other.x - x) < NAME.width && Math.abs(other.y - y) < NAME.height)) continue;
    corners.push({ x, y });
    viewer.addLabel(`${atom.resn[0]}${atom.resn.slice(1).toLowerCase()} ${atom.resi}`, {
      position: atom, fontSize: 13, padding: 1, inFront: true, fontColor: "#15202b", backgroundColor: "#ffffff", backgroundOpacity: 0.75,
    });
  }
  return corners.slice(taken);
}

const NAME = { width: 60, height: 18 }; // pixels that a name covers

show().catch((error) => say(figure, "failed", filled(t.overlay_not_shown, { reason: error.message })));
