// The atom that is lit: drawing, 3D view, tables and readout all listen to it.

/** Dispatches "light" with the number of the atom in `detail.index`, null for none. */
export class Spotlight extends EventTarget {
  /** @type {number|null} the atom that is lit now */
  lit = null;
  /** @type {number|null} the atom that is highlighted without a pointer */
  pinned = null;

  /**
   * Highlight an atom under the pointer; null returns to the pinned one.
   * @param {number|null} index its number in the SDF
   * @param {string} source caller, so that it can ignore its own events
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
