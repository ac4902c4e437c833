// The drawing: atoms can be pointed at and walked through, discs follow the surroundings.

import { filled, t } from "../texts.js";
import { colourOf } from "./ramp.js";
import { rove } from "./roving.js";

/** @typedef {{index: number, name: string, element: string, free: number|null, area: Record<string, number|null>, share: Record<string, number|null>}} Atom */

export class Flat {
  /**
   * @param {HTMLElement} figure with the drawings of exposure and of exits
   * @param {{atoms: Atom[], exits: {rank: number, closed_in: string[]}[], discs: {smallest: number, largest: number, target: number}, ramp: import("./ramp.js").Ramp}} data
   * @param {import("./spotlight.js").Spotlight} spotlight
   */
  constructor(figure, data, spotlight) {
    this.data = data;
    this.drawings = [...figure.querySelectorAll("[data-drawing]")].map((drawing) => ({
      ring: drawing.querySelector("[data-lit-ring]"),
      hits: new Map([...drawing.querySelectorAll(".hits circle")].map((hit) => [Number(hit.dataset.atom ?? hit.dataset.atomExits), hit])),
      place: drawing.querySelector(".hits"),
      drawing,
    }));
    this.discs = new Map([...figure.querySelectorAll("circle.exposure")].map((disc) => [Number(/atom-(\d+)/.exec(disc.getAttribute("class"))[1]), disc]));
    for (const { hits, place } of this.drawings) {
      if (hits.size === 0) continue;
      rove(place, () => [...hits.values()]).prepare(undefined);
      for (const [index, hit] of hits) spotlight.follow(hit, index, "flat");
    }
  }

  /** Draw the ring around an atom. @param {number|null} index */
  light(index) {
    for (const { ring, hits } of this.drawings) {
      const hit = index === null ? undefined : hits.get(index);
      ring?.setAttribute("visibility", hit ? "visible" : "hidden");
      if (!hit) continue;
      ring.setAttribute("cx", hit.getAttribute("cx"));
      ring.setAttribute("cy", hit.getAttribute("cy"));
    }
  }

  /** Colour and size the discs, name the atoms and shut the exits, for one context. @param {string} context */
  recolour(context) {
    const { smallest, largest, target } = this.data.discs; // radii in bond lengths
    for (const atom of this.data.atoms) {
      const share = atom.share[context];
      for (const { hits } of this.drawings) hits.get(atom.index)?.setAttribute("aria-label", atomText(atom, context));
      const hit = this.drawings[0]?.hits.get(atom.index);
      if (!hit) continue;
      const bond = Number(hit.getAttribute("r")) / target;
      const disc = this.discs.get(atom.index);
      disc?.setAttribute("fill", colourOf(this.data.ramp, share));
      disc?.setAttribute("r", (bond * (smallest + (largest - smallest) * Math.min(Math.max(share ?? 0, 0), 1))).toFixed(1));
    }
    for (const { drawing } of this.drawings) {
      for (const exit of this.data.exits) drawing.querySelector(`.exit-${exit.rank}`)?.classList.toggle("shut", exit.closed_in.includes(context));
    }
  }
}

/** Return an atom in words: name, area, percentage of its surface. @param {Atom} atom @param {string} context */
export function atomText(atom, context) {
  const area = atom.area[context];
  const share = atom.share[context];
  if (area === null) return `${atom.name}, ${t.atom_not_measured}`;
  return [atom.name, filled(t.atom_area, { area: area.toFixed(1) }), ...(share === null ? [] : [filled(t.atom_share, { percent: Math.round(100 * share) })])].join(", ");
}
