// The tables of one ligand: pointing at their atoms and contacts highlights atoms.

import { make } from "../dom.js";
import { filled, t } from "../texts.js";
import { atomText } from "./flat.js";
import { stepClass } from "./ramp.js";
import { rove } from "./roving.js";

export class AtomTables {
  /**
   * @param {HTMLElement} article the ligand
   * @param {{atoms: import("./flat.js").Atom[]}} data
   * @param {import("./spotlight.js").Spotlight} spotlight
   */
  constructor(article, data, spotlight) {
    this.article = article;
    this.data = data;
    const names = new Map(data.atoms.map((atom) => [atom.name, atom.index]));
    this.atoms = new Map([...article.querySelectorAll("[data-atoms] tr[data-atom]")].map((row) => [Number(row.dataset.atom), row]));
    this.contacts = [...article.querySelectorAll("[data-atom-name]")].map((row) => [names.get(row.dataset.atomName), row]);
    const anchors = [...article.querySelectorAll(".anchors [data-atom]")].map((item) => [Number(item.dataset.atom), item]);
    for (const [index, element] of [...this.contacts, ...anchors]) {
      if (index !== undefined) spotlight.point(element, index, "table");
    }
    for (const [index, row] of this.atoms) spotlight.follow(row, index, "table");
    const body = article.querySelector("[data-atoms] tbody");
    if (body) rove(body, () => [...this.atoms.values()]).prepare(undefined);
  }

  /** Mark the rows of an atom. @param {number|null} index @param {string} source */
  light(index, source) {
    for (const [of, row] of this.atoms) row.classList.toggle("lit", of === index);
    for (const [of, row] of this.contacts) row.classList.toggle("lit", index !== null && of === index);
    const row = index === null ? undefined : this.atoms.get(index);
    const box = row?.closest(".tall");
    if (row && source !== "table") box.scrollTop = row.offsetTop - box.clientHeight / 2;
  }

  /** Show the shares of one context, and which column they come from. @param {string} context */
  recolour(context) {
    for (const cell of this.article.querySelectorAll("[data-atoms] [data-context]")) cell.classList.toggle("chosen", cell.dataset.context === context);
    for (const atom of this.data.atoms) {
      const cell = this.atoms.get(atom.index)?.querySelector("[data-share]");
      if (!cell) continue;
      const share = atom.share[context];
      cell.className = share === null ? "number" : `number bar ${stepClass(share)}`;
      cell.textContent = share === null ? "" : String(Math.round(100 * share));
    }
  }
}

/** Show the highlighted atom in the line below the views. */
export function tellAtom(line, data, index, context) {
  const atom = data.atoms.find((one) => one.index === index);
  line.toggleAttribute("data-told", atom !== undefined);
  if (!atom) return line.replaceChildren(line.hint ?? "");
  const [name, ...rest] = atomText(atom, context).split(", ");
  return line.replaceChildren(make("strong", {}, name), ` ${t.elements[atom.element.toUpperCase()] ?? atom.element} · ${rest.join(" · ")}${atom.free === null ? "" : ` (${filled(t.atom_area, { area: atom.free.toFixed(1) })})`}`);
}
