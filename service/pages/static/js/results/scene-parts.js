// Parts of the 3D view besides molecules: exit directions, contacts, the usual camera.

import { facing } from "./orientation.js";

export const GROUND = { light: "#ffffff", dark: "#1d262e" };
export const CARTOON = { light: "#c3ccd4", dark: "#6f808d" };
const OPEN = { light: "#0072b2", dark: "#56b4e9" };
const CLOSED = { light: "#b34700", dark: "#ff9d70" };
const LENGTH = 3; // Å from the anchor to the end of a cone
const HALF_ANGLE = (25 * Math.PI) / 180; // a direction is good to about one rotamer
const KINDS = { hbond: "#2f7fd1", ionic: "#a04ccf", metal: "#6b7a86", covalent: "#9a6700" };

/** Show the state of a 3D view, or in words why it is empty. @param {HTMLElement} figure @param {string} state */
export function say(figure, state, ...words) {
  figure.dataset.state = state;
  const message = figure.querySelector("[data-message]");
  message.hidden = state === "ready";
  message.replaceChildren(...words);
  figure.querySelector("[data-tools]").hidden = state !== "ready";
}

const along = (atom, vector, step) => ({ x: atom.x + vector[0] * step, y: atom.y + vector[1] * step, z: atom.z + vector[2] * step });

/** Draw a cone with its number for each exit site, closed ones in another colour. */
export function exitArrows(viewer, exits, atoms, theme, context) {
  const shapes = [];
  const labels = [];
  for (const exit of exits) {
    const atom = atoms.get(exit.index);
    if (!atom || exit.vector.some((part) => part === null)) continue;
    const closed = exit.closed_in.includes(context);
    const color = (closed ? CLOSED : OPEN)[theme];
    const far = along(atom, exit.vector, LENGTH);
    shapes.push(viewer.addArrow({ start: far, end: along(atom, exit.vector, 0.35), radius: LENGTH * Math.tan(HALF_ANGLE), radiusRatio: 1, mid: 0.001, color, opacity: closed ? 0.16 : 0.32 }));
    shapes.push(viewer.addArrow({ start: along(atom, exit.vector, 0.3), end: far, radius: 0.07, radiusRatio: 2.6, mid: 0.82, color, opacity: closed ? 0.5 : 1 }));
    const paper = theme === "dark" ? "#10161b" : "#ffffff";
    labels.push(viewer.addLabel(String(exit.rank), {
      position: along(atom, exit.vector, LENGTH + 0.5), fontSize: 12, bold: true, padding: 1, inFront: true, alignment: "center",
      fontColor: closed ? color : paper, backgroundColor: closed ? paper : color, backgroundOpacity: 1,
      borderColor: color, borderThickness: 1.5,
    }));
  }
  return { shapes, labels };
}

/** Draw an arrow with its number for each direction over all structures; return the positions of the numbers. */
export function directionArrows(viewer, directions, theme) {
  const ends = [];
  for (const { rank, at, vector, closed } of directions) {
    if ([...at, ...vector].includes(null)) continue;
    const start = { x: at[0], y: at[1], z: at[2] };
    const color = (closed ? CLOSED : OPEN)[theme];
    viewer.addArrow({ start, end: along(start, vector, LENGTH), radius: 0.12, radiusRatio: 2.6, mid: 0.8, color, opacity: closed ? 0.5 : 1 });
    const position = along(start, vector, LENGTH + 0.5);
    viewer.addLabel(String(rank), { position, fontSize: 12, padding: 1, inFront: true, alignment: "center", fontColor: "#ffffff", backgroundColor: color, backgroundOpacity: 1 });
    ends.push(position);
  }
  return ends;
}

/** Draw a dashed line for each polar contact whose partner is in the file. */
export function contactLines(viewer, data, protein, atoms) {
  const names = new Map(data.atoms.map((atom) => [atom.name, atoms.get(atom.index)]));
  const shapes = [];
  for (const contact of data.contacts) {
    const from = names.get(contact.ligand_atom);
    const found = /^(-?\d+)([A-Za-z]?)$/.exec(contact.partner_residue);
    if (!from || !found) continue;
    const partners = protein.selectedAtoms({ chain: contact.partner_chain, resi: Number(found[1]), atom: contact.partner_atom });
    const to = partners.find((atom) => (atom.icode ?? "").trim() === found[2]) ?? partners[0];
    if (!to) continue;
    shapes.push(viewer.addCylinder({ start: place(from), end: place(to), radius: 0.055, dashed: contact.type !== "covalent", fromCap: 1, toCap: 1, color: KINDS[contact.type] ?? KINDS.metal, dashLength: 0.18, gapLength: 0.14 }));
  }
  return shapes;
}

const place = (atom) => ({ x: atom.x, y: atom.y, z: atom.z });

/** Positions of the numbers of exits. */
const tips = (exits, atoms) => exits.filter((exit) => atoms.has(exit.index) && exit.vector.every((part) => part !== null)).map((exit) => along(atoms.get(exit.index), exit.vector, LENGTH + 0.5));

/** Zoom out until all points are in the frame. @param {HTMLElement} canvas */
export function frame(viewer, canvas, points) {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const middle = { x: left + scrollX + width / 2, y: top + scrollY + height / 2 };
  let factor = 1;
  for (const point of points) {
    const at = viewer.modelToScreen(point);
    factor = Math.min(factor, (width / 2 - EDGE) / Math.abs(at.x - middle.x), (height / 2 - EDGE) / Math.abs(at.y - middle.y));
  }
  if (factor < 1) viewer.zoom(Math.max(factor, 0.3));
}

const EDGE = 16; // pixels that a number needs

/** Centre the ligand, flat with its open side in front; or centre only one atom of it. */
export function homeView(viewer, ligand, shares, { index = null, canvas, exits = [], atoms }) {
  if (index !== null) {
    viewer.center({ model: ligand, index });
    return;
  }
  const own = ligand.selectedAtoms({});
  viewer.zoomTo({ model: ligand });
  if (own.length > 2) {
    const view = viewer.getView();
    view.splice(4, 4, ...facing(own, own.map((atom) => shares.get(atom.index) ?? 0)));
    viewer.setView(view);
  }
  viewer.zoom(own.length > 12 ? 0.95 : 0.6);
  frame(viewer, canvas, [...tips(exits, atoms), ...own.map(place)]);
}

/**
 * Find the surroundings of the ligand, by atom and by residue.
 * @returns {{same: Set<number>, pocket: Set<string>, around: Set<string>}}
 */
export function neighbours(protein, ligand, { same, pocket, around }) {
  const own = ligand.selectedAtoms({});
  const found = { same: new Set(), pocket: new Set(), around: new Set() };
  for (const atom of protein.selectedAtoms({})) {
    let near = Infinity;
    for (const one of own) near = Math.min(near, (one.x - atom.x) ** 2 + (one.y - atom.y) ** 2 + (one.z - atom.z) ** 2);
    if (near < same * same) found.same.add(atom.index);
    else {
      if (near < pocket * pocket) found.pocket.add(residueOf(atom));
      if (near < around * around) found.around.add(residueOf(atom));
    }
  }
  return found;
}

/** Return a name of an atom's residue. */
export const residueOf = (atom) => `${atom.chain}:${atom.resi}:${atom.icode ?? ""}`;

/** Return a colour faded towards another. @param {string} colour #rrggbb @param {string} ground #rrggbb @param {number} part */
export function faded(colour, ground, part) {
  const channel = (text, at) => Number.parseInt(text.slice(at, at + 2), 16);
  return `#${[1, 3, 5].map((at) => Math.round(channel(colour, at) * (1 - part) + channel(ground, at) * part).toString(16).padStart(2, "0")).join("")}`;
}
