// The 3D view: protein as cartoon, pocket as sticks, the ligand coloured by exposure.

import { make } from "../dom.js";
import { getJson, getText } from "../http.js";
import { t } from "../texts.js";
import { shownTheme } from "../theme-button.js";
import { colourOf } from "./ramp.js";
import { CARTOON, contactLines, exitArrows, faded, GROUND, homeView, neighbours, residueOf, say } from "./scene-parts.js";
import { hasSmoothEdges, hasWebGl, load3Dmol } from "./vendor.js";

const PARTNERS = { assembly: { light: "#b07aa1", dark: "#c9a0bd" }, crystal: { light: "#8a8f3c", dark: "#b9be74" } };
const POCKET = 5; // Å around the ligand, complete residues
const SURFACE = 9; // Å around the ligand
const SAME = 0.05; // Å: the complex contains the ligand too, which is not drawn twice

const MESSAGES = {
  "no-webgl": [t.unavailable, t.unavailable_help],
  missing: [t.not_installed, t.not_installed_help],
  failed: [t.not_shown, t.not_shown_help],
  loading: [t.loading_structure, ""],
};

/** The viewer of the page; one for all ligands, its canvas moves from one to the next. */
export class Scene {
  /**
   * @param {string|null} vendor address of 3Dmol.js, null when the server has none
   * @param {import("./spotlight.js").Spotlight} spotlight
   * @param {(view: number[]) => void} moved called with the camera after every change
   */
  constructor(vendor, spotlight, moved) {
    Object.assign(this, { vendor, spotlight, moved, context: "target", viewer: null });
    this.shown = { surface: false, exits: true, contacts: true };
  }

  /**
   * Show a ligand.
   * @param {HTMLElement} figure where
   * @param {object} data files, atoms, exits, contacts of the ligand
   * @param {string} context surroundings whose exposure gives the colours
   * @param {number[]|null} view camera, null for the usual one
   */
  async show(figure, data, context, view) {
    Object.assign(this, { figure, data, context });
    figure.scene = this;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    if (this.vendor === null) return this.#say("missing");
    if (this.viewer === null && !hasWebGl()) return this.#say("no-webgl");
    this.#say("loading");
    try {
      if (!data.structure.url || !data.ligand.url) throw new Error(t.no_file);
      const [library, complex, ligand] = await Promise.all([load3Dmol(this.vendor), getText(data.structure.url), getText(data.ligand.url)]);
      if (turn !== this.turn) return undefined;
      this.#build(library, complex, ligand, view);
      this.#say("ready");
      this.light(this.spotlight.lit);
    } catch (error) {
      if (turn !== this.turn) return undefined;
      this.#say("failed", error.message);
    }
    return undefined;
  }

  /** Take the canvas along to the next ligand's figure, before the page shows it. @param {HTMLElement} figure */
  carry(figure) {
    if (this.viewer !== null) figure.querySelector("[data-canvas]").replaceWith(this.canvas);
  }

  #say(state, reason = "") {
    const [title, more] = MESSAGES[state] ?? ["", ""];
    say(this.figure, state, make("strong", {}, title), make("span", {}, reason), make("span", {}, more));
  }

  #build(library, complex, ligand, view) {
    const canvas = this.figure.querySelector("[data-canvas]");
    if (this.viewer === null) {
      this.viewer = library.createViewer(canvas, { backgroundColor: GROUND[shownTheme()], antialias: hasSmoothEdges(), cartoonQuality: 6 });
      this.library = library;
      this.viewer.setHoverDuration(20);
      this.viewer.setViewChangeCallback(this.moved);
      this.canvas = canvas;
      new ResizeObserver(() => { if (canvas.clientWidth > 0 && canvas.clientHeight > 0) this.viewer.resize(); }).observe(canvas);
    }
    const { viewer, data } = this;
    viewer.removeAllSurfaces();
    viewer.removeAllShapes();
    viewer.removeAllLabels();
    viewer.removeAllModels();
    this.marker = this.label = this.named = null;
    this.surface = null;
    this.partners = new Map();
    this.protein = viewer.addModel(complex, data.structure.format, { keepH: false });
    this.ligand = viewer.addModel(ligand, data.ligand.format, { keepH: true });
    this.ligand.removeAtoms(this.ligand.selectedAtoms({ elem: "H" }));
    this.atoms = new Map(this.ligand.selectedAtoms({}).map((atom) => [atom.index, atom]));
    this.near = neighbours(this.protein, this.ligand, { same: SAME, pocket: POCKET, around: SURFACE });
    this.#style();
    viewer.setHoverable({ model: this.ligand }, true, (atom) => this.spotlight.light(atom.index, "scene"), () => this.spotlight.light(null, "scene"));
    viewer.setClickable({ model: this.ligand }, true, (atom) => this.spotlight.pin(atom.index, "scene"));
    viewer.setHoverable({ model: this.protein, predicate: (atom) => this.near.pocket.has(residueOf(atom)) }, true, (atom) => this.#nameResidue(atom), () => this.#nameResidue(null));
    if (this.shown.surface) this.#raise();
    this.#extras();
    viewer.resize();
    if (view?.length === 8 && view.every(Number.isFinite)) viewer.setView(view);
    else this.#home();
    viewer.render();
    this.#surround();
  }

  #style() {
    const { viewer, protein, ligand, data, context } = this;
    const { same, pocket } = this.near;
    const colour = CARTOON[shownTheme()];
    viewer.setStyle({ model: protein }, { cartoon: { color: colour, opacity: 0.62, thickness: 0.25 } });
    if (context === "chain") viewer.setStyle({ model: protein, not: { chain: data.nearest_chain } }, { cartoon: { color: colour, opacity: 0.2, thickness: 0.25 } });
    viewer.addStyle({ model: protein, predicate: (atom) => pocket.has(residueOf(atom)) }, { stick: { radius: 0.075, colorscheme: { prop: "elem", map: { C: shownTheme() === "dark" ? "#93a1ad" : "#a9b2ba", N: "#4b76c9", O: "#c9504d", S: "#b09a2e" } } } });
    viewer.addStyle({ model: protein, hetflag: true }, { stick: { radius: 0.13, colorscheme: "default" } });
    viewer.setStyle({ model: protein, predicate: (atom) => same.has(atom.index) }, {});
    const shares = this.#shares(context);
    const colours = (atom) => colourOf(data.ramp, shares.get(atom.index));
    viewer.setStyle({ model: ligand }, { stick: { radius: 0.21, colorfunc: colours }, sphere: { scale: 0.27, colorfunc: colours } });
    for (const atom of this.atoms.values()) atom.color = colours(atom);
    const leaving = new Set(this.shown.exits ? this.#exit()?.leaving : []);
    const pale = (atom) => faded(colours(atom), GROUND[shownTheme()], 0.62);
    if (leaving.size > 0) viewer.setStyle({ model: ligand, predicate: (atom) => leaving.has(atom.index) }, { stick: { radius: 0.12, colorfunc: pale }, sphere: { scale: 0.16, colorfunc: pale } });
    for (const [name, model] of this.partners) viewer.setStyle({ model }, this.#beyond().includes(name) ? { stick: { radius: 0.1, opacity: 0.45, color: PARTNERS[name][shownTheme()] } } : {});
  }

  /** The selected exit: the one at the highlighted atom, else the best one. */
  #exit() {
    const { exits } = this.data;
    return exits.find((exit) => exit.index === this.spotlight.pinned) ?? exits[0];
  }

  /** Contexts beyond the target that the chosen one contains. */
  #beyond() {
    return { assembly: ["assembly"], crystal: ["assembly", "crystal"] }[this.context] ?? [];
  }

  /** Fetch and draw partner chains and symmetry mates, when they are chosen for the first time. */
  async #surround() {
    const { data, turn, viewer } = this;
    if (this.#beyond().length === 0 || !data.partners || data.partnersAsked) return;
    data.partnersAsked = true;
    const found = await getJson(data.partners).catch(() => { data.partnersAsked = false; });
    if (!found || turn !== this.turn) return;
    for (const [name, atoms] of Object.entries(found)) if (atoms !== "") this.partners.set(name, viewer.addModel(atoms, "xyz"));
    this.#style();
    viewer.render();
    this.#write();
  }

  /** Show the name of the pocket residue under the pointer. @param {object|null} atom */
  #nameResidue(atom) {
    if (this.named) this.viewer.removeLabel(this.named);
    this.named = null;
    if (atom) this.named = this.viewer.addLabel(`${atom.resn} ${atom.resi}${(atom.icode ?? "").trim()} ${atom.chain}`, { position: { x: atom.x, y: atom.y, z: atom.z }, fontSize: 12, fontColor: "#15202b", backgroundColor: "#e9edf0", backgroundOpacity: 0.95, inFront: true });
    this.viewer.render();
  }

  /** Zoom to a contact: an atom of the ligand and a residue. @param {number} index @param {string} residue chain:number */
  lookAt(index, residue) {
    if (this.figure?.dataset.state !== "ready") return;
    const [chain, number] = [residue.slice(0, residue.lastIndexOf(":")), residue.slice(residue.lastIndexOf(":") + 1)];
    const atoms = this.protein.selectedAtoms({ chain, resi: Number.parseInt(number, 10) });
    if (atoms.length === 0) return;
    const ends = { or: [{ model: this.ligand, index }, { model: this.protein, chain, resi: Number.parseInt(number, 10) }] };
    this.viewer.zoomTo(ends);
    this.viewer.zoom(0.8);
    this.#nameResidue(atoms.find((atom) => atom.atom === "CA") ?? atoms[0]);
  }

  #home(index = null) {
    homeView(this.viewer, this.ligand, this.#shares("target"), { index, canvas: this.canvas, exits: this.shown.exits ? this.data.exits : [], atoms: this.atoms });
  }

  #shares(context) {
    return new Map(this.data.atoms.map((atom) => [atom.index, atom.share[context]]));
  }

  #extras() {
    const { viewer, data } = this;
    for (const shape of this.extra ?? []) viewer.removeShape(shape);
    for (const label of this.ranks ?? []) viewer.removeLabel(label);
    this.extra = [];
    this.ranks = [];
    if (this.shown.exits) {
      const seen = data.seen.map((exit) => ({ ...exit, rank: "seen", closed_in: [] }));
      const { shapes, labels } = exitArrows(viewer, [...data.exits, ...seen], this.atoms, shownTheme(), this.context);
      this.extra.push(...shapes);
      this.ranks.push(...labels);
    }
    if (this.shown.contacts) this.extra.push(...contactLines(viewer, data, this.protein, this.atoms));
  }

  /** Switch a layer: "surface", "exits" or "contacts". @param {string} what @param {boolean} on */
  async toggle(what, on) {
    this.shown[what] = on;
    if (this.figure.dataset.state !== "ready") return;
    if (what === "surface") {
      this.viewer.removeAllSurfaces();
      this.surface = null;
      if (on) await this.#raise();
    } else {
      this.#style();
      this.#extras();
    }
    this.viewer.render();
    this.#write();
  }

  async #raise() {
    const { viewer, library, protein, near, turn } = this;
    const around = { model: protein, predicate: (atom) => near.around.has(residueOf(atom)) && !near.same.has(atom.index) };
    const style = { opacity: 0.72, color: shownTheme() === "dark" ? "#7d8d99" : "#dfe6eb" };
    const surface = await viewer.addSurface(library.SurfaceType.MS, style, around, around);
    if (turn !== this.turn) return;
    this.surface = surface;
    viewer.render();
    this.#write();
  }

  /** Colour the ligand for other surroundings. @param {string} context */
  recolour(context) {
    this.context = context;
    if (this.figure?.dataset.state !== "ready") return;
    this.#style();
    this.#extras();
    this.viewer.render();
    this.#surround();
    this.#write();
  }

  /** Highlight the leaving group of the pinned exit. */
  restyle() {
    if (this.figure?.dataset.state !== "ready") return;
    this.#style();
    this.viewer.render();
  }

  /** Apply the page's theme. */
  retheme() {
    if (this.viewer === null) return;
    this.viewer.setBackgroundColor(GROUND[shownTheme()]);
    if (this.figure.dataset.state === "ready") {
      this.#style();
      this.#extras();
    }
    this.viewer.render();
  }

  /** Light an atom of the ligand. @param {number|null} index */
  light(index) {
    if (this.figure?.dataset.state !== "ready") return;
    if (this.marker) this.viewer.removeShape(this.marker);
    if (this.label) this.viewer.removeLabel(this.label);
    this.marker = this.label = null;
    const atom = index === null ? undefined : this.atoms?.get(index);
    if (atom) {
      const place = { x: atom.x, y: atom.y, z: atom.z };
      const named = this.data.atoms.find((one) => one.index === index);
      this.marker = this.viewer.addSphere({ center: place, radius: 0.75, color: "#ffd33d", opacity: 0.55 });
      this.label = this.viewer.addLabel(named?.name ?? atom.atom, { position: place, fontSize: 13, fontColor: "#15202b", backgroundColor: "#ffe58a", backgroundOpacity: 0.95, inFront: true, alignment: "bottomCenter", screenOffset: { x: 0, y: 16 } });
    }
    this.viewer.render();
    this.#write();
  }

  /** Show the ligand in the middle again, or one atom of it. @param {number|null} index */
  home(index = null) {
    if (this.viewer === null) return;
    this.#home(index);
    this.viewer.render();
  }

  /** Turn by degrees about an axis, or zoom by a factor. */
  turnBy(axis, degrees) { this.viewer?.rotate(degrees, axis); }
  zoomBy(factor) { this.viewer?.zoom(factor); }

  /** Return the picture as a PNG address. */
  picture() { return this.viewer?.pngURI() ?? null; }

  /** Content of the view for tests: read from the viewer's own model. */
  state() {
    return {
      state: this.figure?.dataset.state ?? "idle",
      stem: this.data?.stem ?? null,
      context: this.context,
      lit: this.marker ? this.spotlight.lit : null,
      surface: this.surface !== null && this.surface !== undefined,
      exits: this.shown.exits ? (this.ranks?.length ?? 0) : 0,
      contacts: this.shown.contacts,
      closed: this.data?.exits.filter((exit) => exit.closed_in.includes(this.context)).map((exit) => exit.rank) ?? [],
      partners: [...(this.partners ?? [])].filter(([name]) => this.#beyond().includes(name)).map(([name, model]) => [name, model.selectedAtoms({}).length]),
      colours: Object.fromEntries([...(this.atoms ?? [])].map(([index, atom]) => [index, atom.color])),
      camera: this.viewer?.getView() ?? null,
    };
  }

  /** Return where an atom is on the screen. @param {number} index */
  place(index) {
    const atom = this.atoms.get(index);
    return this.viewer.modelToScreen({ x: atom.x, y: atom.y, z: atom.z });
  }

  #write() {
    const { state, lit, surface, context, partners } = this.state();
    Object.assign(this.figure.dataset, { state, lit: lit ?? "", surface: surface ? "on" : "off", context, partners: partners.map(([name]) => name).join(" ") });
  }
}
