// The drawing: atoms can be pointed at and walked through, discs follow the surroundings.

import { colourOf } from "./ramp.js";
import { rove } from "./roving.js";

/** @typedef {{index: number, name: string, element: string, free: number|null, area: Record<string, number|null>, share: Record<string, number|null>}} Atom */

export class Flat {
  /**
   * @param {HTMLElement} figure holds the drawing
   * @param {{atoms: Atom[], discs: {smallest: number, largest: number, target: number}, ramp: import("./ramp.js").Ramp}} data
   * @param {import("./spotlight.js").Spotlight} spotlight
   */
  constructor(figure, data, spotlight) {
    this.data = data;
    this.spotlight = spotlight;
    this.ring = figure.querySelector("[data-lit-ring]");
    /** @type {Map<number, SVGCircleElement>} */
    this.hits = new Map([...figure.querySelectorAll("[data-atom]")].map((hit) => [Number(hit.dataset.atom), hit]));
    this.discs = new Map([...figure.querySelectorAll("circle.exposure")].map((disc) => [Number(/atom-(\d+)/.exec(disc.getAttribute("class"))[1]), disc]));
    if (this.hits.size === 0) return;
    const place = figure.querySelector(".hits");
    rove(place, () => [...this.hits.values()]).prepare(undefined);
    for (const [index, hit] of this.hits) {
      hit.addEventListener("pointerenter", () => spotlight.light(index, "flat"));
      hit.addEventListener("pointerleave", () => spotlight.light(null, "flat"));
      hit.addEventListener("focus", () => spotlight.light(index, "flat"));
      hit.addEventListener("blur", () => spotlight.light(null, "flat"));
      hit.addEventListener("click", () => spotlight.pin(index, "flat"));
      hit.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          spotlight.pin(index, "flat");
        }
      });
    }
  }

  /** Draw the ring around an atom. @param {number|null} index */
  light(index) {
    const hit = index === null ? undefined : this.hits.get(index);
    this.ring?.setAttribute("visibility", hit ? "visible" : "hidden");
    if (!hit) return;
    this.ring.setAttribute("cx", hit.getAttribute("cx"));
    this.ring.setAttribute("cy", hit.getAttribute("cy"));
  }

  /** Colour and size the discs, and name the atoms, for one context. @param {string} context */
  recolour(context) {
    const { smallest, largest, target } = this.data.discs; // radii in bond lengths
    for (const atom of this.data.atoms) {
      const hit = this.hits.get(atom.index);
      if (!hit) continue;
      const share = atom.share[context];
      const bond = Number(hit.getAttribute("r")) / target;
      const disc = this.discs.get(atom.index);
      disc?.setAttribute("fill", colourOf(this.data.ramp, share));
      disc?.setAttribute("r", (bond * (smallest + (largest - smallest) * Math.min(Math.max(share ?? 0, 0), 1))).toFixed(1));
      hit.setAttribute("aria-label", atomText(atom, context));
    }
  }
}

/** Return an atom in words: name, area, share of its own. @param {Atom} atom @param {string} context */
export function atomText(atom, context) {
  const area = atom.area[context];
  const share = atom.share[context];
  if (area === null) return `${atom.name}, not measured`;
  return `${atom.name}, ${area.toFixed(1)} Å²${share === null ? "" : `, ${Math.round(100 * share)} % of its own area`}`;
}
