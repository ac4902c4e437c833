// Ligands laid over each other in one frame, with the directions in which linkers can leave.

import { shownTheme } from "../theme-button.js";
import { directionArrows, frame } from "./scene-parts.js";
import { hasSmoothEdges, hasWebGl, load3Dmol } from "./vendor.js";

const figure = document.querySelector("[data-overlay]");
const data = JSON.parse(figure.querySelector("[data-overlay-data]").textContent);

/** Tell what the view is doing, or why it shows nothing. @param {string} state @param {string} words */
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

async function show() {
  if (figure.dataset.vendor === "") return say("missing", "This server was set up without 3Dmol.js.");
  if (!hasWebGl()) return say("no-webgl", "This browser offers no WebGL.");
  say("loading", "Loading the ligands…");
  const [library, protein, ...ligands] = await Promise.all([
    load3Dmol(figure.dataset.vendor), data.reference ? text(data.reference.url) : "", ...data.ligands.map((ligand) => text(ligand.url)),
  ]);
  const theme = shownTheme();
  const viewer = library.createViewer(figure.querySelector("[data-canvas]"), { backgroundColor: theme === "dark" ? "#1d262e" : "#ffffff", antialias: hasSmoothEdges() });
  if (protein) viewer.setStyle({ model: viewer.addModel(protein, data.reference.format) }, { cartoon: { color: theme === "dark" ? "#6f808d" : "#c3ccd4", opacity: 0.5, thickness: 0.25 } });
  const models = data.ligands.map((ligand, n) => {
    const model = viewer.addModel(ligands[n], "sdf", { keepH: true });
    model.removeAtoms(model.selectedAtoms({ elem: "H" }));
    move(model, ligand.matrix, ligand.shift);
    viewer.setStyle({ model }, { stick: { radius: 0.16, colorscheme: { prop: "elem", map: { N: "#3050c8", O: "#d02020", S: "#b09a2e" } }, color: ligand.colour } });
    viewer.setStyle({ model, elem: "C" }, { stick: { radius: 0.16, color: ligand.colour } });
    return model;
  });
  const ends = directionArrows(viewer, data.directions, theme);
  viewer.zoomTo({ model: models });
  const canvas = figure.querySelector("[data-canvas]");
  viewer.zoom(1.1 * Math.min(1, canvas.clientWidth / canvas.clientHeight));
  frame(viewer, canvas, ends);
  viewer.render();
  figure.overlay = { atoms: () => models.map((model) => model.selectedAtoms({}).map(({ x, y, z }) => [x, y, z])) };
  return say("ready");
}

show().catch((error) => say("failed", `The ligands could not be shown: ${error.message}`));
