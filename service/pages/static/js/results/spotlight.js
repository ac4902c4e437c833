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

  /**
   * Light an atom while an element is pointed at or has the focus; a click, Enter or the space key pins it.
   * @param {Element} element @param {number} index @param {string} source
   */
  follow(element, index, source) {
    this.point(element, index, source);
    element.addEventListener("focus", () => this.light(index, source));
    element.addEventListener("blur", () => this.light(null, source));
    element.addEventListener("click", () => this.pin(index, source));
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.pin(index, source);
    });
  }

  /** Light an atom while an element is pointed at. @param {Element} element @param {number} index @param {string} source */
  point(element, index, source) {
    element.addEventListener("pointerenter", () => this.light(index, source));
    element.addEventListener("pointerleave", () => this.light(null, source));
  }

  /** Forget everything, for another ligand. */
  clear() {
    this.lit = null;
    this.pinned = null;
  }
}
