// The atom that is lit: drawing, 3D view, tables and readout all listen to it.

/** Tells "light" with the number of the atom in `detail.index`, null for none. */
export class Spotlight extends EventTarget {
  /** @type {number|null} the atom that is lit now */
  lit = null;
  /** @type {number|null} the atom that stays lit when nothing is pointed at */
  pinned = null;

  /**
   * Light an atom for as long as it is pointed at; null goes back to the pinned one.
   * @param {number|null} index its number in the SDF
   * @param {string} source who asks, so that it need not listen to itself
   */
  light(index, source) {
    const next = index ?? this.pinned;
    if (next === this.lit) return;
    this.lit = next;
    this.dispatchEvent(new CustomEvent("light", { detail: { index: next, source } }));
  }

  /** Keep an atom lit; the same again lets go of it. @param {number|null} index @param {string} source */
  pin(index, source) {
    this.pinned = index === this.pinned ? null : index;
    this.dispatchEvent(new CustomEvent("pin", { detail: { index: this.pinned, source } }));
    this.light(this.pinned, source);
  }

  /** Forget everything, for another ligand. */
  clear() {
    this.lit = null;
    this.pinned = null;
  }
}
