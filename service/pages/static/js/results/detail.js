// One ligand on the page: its parts wired together.

import { announce, save } from "../dom.js";
import { getPage } from "../http.js";
import { filled, t } from "../texts.js";
import { change, parameter } from "./address.js";
import { atomText, Flat } from "./flat.js";
import { rove } from "./roving.js";
import { AtomTables, tellAtom } from "./tables.js";

const TURNS = { ArrowLeft: ["y", -10], ArrowRight: ["y", 10], ArrowUp: ["x", -10], ArrowDown: ["x", 10] };
const ZOOMS = { "+": 1.15, "=": 1.15, "-": 1 / 1.15 };
const STEPS = { n: 1, p: -1 };
const BUTTONS = { 0: "home", s: "surface", e: "exits", c: "contacts" };

/** Shows ligands in the right half of the page, one at a time. */
export class Detail {
  /**
   * @param {HTMLElement} place container of the ligand
   * @param {string} here address of the page
   * @param {import("./scene.js").Scene} scene
   * @param {import("./spotlight.js").Spotlight} spotlight
   */
  constructor(place, here, scene, spotlight) {
    Object.assign(this, { place, here, scene, spotlight });
    spotlight.addEventListener("light", (event) => this.#light(event.detail));
    spotlight.addEventListener("pin", (event) => {
      this.scene.restyle();
      const atom = this.data?.atoms.find((one) => one.index === event.detail.index);
      change({ atom: atom?.name ?? null });
      if (atom) announce(atomText(atom, this.context));
    });
    this.adopt(camera());
  }

  /** Connect to the ligand in the page. @param {number[]|null} view camera */
  adopt(view) {
    const article = this.place.querySelector("[data-instance]");
    if (!article) {
      this.article = this.line = this.place.firstElementChild; // a link, until `show` has the ligand
      return;
    }
    this.article = article;
    this.data = JSON.parse(article.querySelector("[data-instance-data]").textContent);
    this.context = article.dataset.context;
    const [target, ligand] = ["h1", "#instance-title .code-name"].map((name) => document.querySelector(name).textContent);
    document.title = filled(t.title_of_ligand, { target, ligand });
    this.line = article.querySelector("[data-readout]");
    this.line.hint = this.line.firstElementChild;
    this.flat = new Flat(article.querySelector("[data-flat]"), this.data, this.spotlight);
    this.tables = new AtomTables(article, this.data, this.spotlight);
    for (const element of article.querySelectorAll("[data-scripted]")) element.hidden = false;
    this.#listen(article);
    this.spotlight.clear();
    this.#recolour(this.context);
    const named = this.data.atoms.find((atom) => atom.name === parameter("atom"));
    if (named) this.spotlight.pin(named.index, "address");
    this.#whenSeen(article.querySelector("[data-scene]"), view);
  }

  /**
   * Fetch and show another ligand.
   * @param {string} stem
   * @param {string} context
   */
  async show(stem, context) {
    this.asked?.abort();
    this.asked = new AbortController();
    this.place.setAttribute("aria-busy", "true");
    try {
      const query = new URLSearchParams({ row: stem, context });
      const part = await getPage(`${this.here}/instance?${query}`, { signal: this.asked.signal });
      const next = part.querySelector("[data-instance]");
      const scroll = this.place.scrollTop;
      this.scene.carry(next.querySelector("[data-scene]"));
      this.article.replaceWith(document.adoptNode(next));
      this.place.scrollTop = scroll;
      this.adopt(camera());
      announce(filled(t.is_shown, { ligand: next.querySelector("h2").textContent }));
    } catch (error) {
      if (error.name === "AbortError") return;
      if (this.data) change({ row: this.data.stem });
      announce(error.message);
      this.line.textContent = filled(t.not_loaded, { reason: error.message });
      this.line.scrollIntoView({ block: "nearest" });
    } finally {
      this.place.removeAttribute("aria-busy");
    }
  }

  #whenSeen(figure, view) {
    this.watcher?.disconnect();
    this.watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.watcher.disconnect();
      this.scene.show(figure, this.data, this.context, view);
    }, { rootMargin: "200px" });
    figure.scene = this.scene;
    figure.querySelector("[data-message]").textContent = t.when_scrolled;
    this.scene.figure = figure;
    this.watcher.observe(figure);
  }

  #light({ index, source }) {
    this.flat.light(index);
    this.tables.light(index, source);
    this.scene.light(index);
    tellAtom(this.line, this.data, index, this.context);
  }

  #recolour(context) {
    this.context = context;
    this.article.dataset.context = context;
    this.flat.recolour(context);
    this.tables.recolour(context);
    for (const site of this.article.querySelectorAll("[data-closed-in]")) {
      const shut = site.dataset.closedIn.split(" ").includes(context);
      site.classList.toggle("closed", shut);
      site.querySelector(".mark").classList.toggle("closed", shut);
      site.querySelector(".state").hidden = !shut;
    }
    this.article.querySelector("[data-closed-here]").textContent = closedHere(this.data, context);
    tellAtom(this.line, this.data, this.spotlight.lit, context);
  }

  #listen(article) {
    const contexts = article.querySelector(".contexts");
    contexts.addEventListener("submit", (event) => event.preventDefault());
    contexts.addEventListener("change", (event) => {
      const neighbours = event.target.closest("label").title;
      contexts.querySelector("[data-context-says]").textContent = filled(t.around, { neighbours });
      this.#recolour(event.target.value);
      this.scene.recolour(event.target.value);
      change({ context: event.target.value === "target" ? null : event.target.value });
    });
    for (const button of article.querySelectorAll("[data-do]")) {
      const what = button.dataset.do;
      if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", String(this.scene.shown[what]));
      button.addEventListener("click", () => this.#act(what, button));
    }
    for (const button of article.querySelectorAll("[data-show-exit]")) {
      button.addEventListener("click", () => {
        const index = Number(button.dataset.showExit);
        if (this.spotlight.pinned !== index) this.spotlight.pin(index, "exits");
        this.scene.home(index);
        article.querySelector(".views").scrollIntoView({ block: "nearest" });
      });
    }
    for (const row of article.querySelectorAll("[data-partner]")) {
      const atom = this.data.atoms.find((one) => one.name === row.dataset.atomName);
      const look = () => atom && this.scene.lookAt(atom.index, row.dataset.partner);
      row.addEventListener("click", look);
      if (row.matches("button")) continue;
      row.tabIndex = 0;
      row.addEventListener("keydown", (event) => { if (event.key === "Enter") look(); });
    }
    const strip = article.querySelector("[data-strip]");
    if (strip) rove(strip, () => [...strip.querySelectorAll("button")]).prepare(undefined);
    const canvas = article.querySelector("[data-canvas]");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", t.canvas);
    article.querySelector("[data-scene]").addEventListener("keydown", (event) => this.#key(event));
  }

  #act(what, button) {
    if (what === "home") this.scene.home();
    else if (what === "image") save(this.scene.picture(), `${this.data.stem}.png`);
    else {
      const on = !this.scene.shown[what];
      button?.setAttribute("aria-pressed", String(on));
      if (what === "surface") change({ surface: on ? "on" : null });
      this.scene.toggle(what, on);
    }
  }

  #key(event) {
    if (event.target.closest("button") || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key in TURNS) this.scene.turnBy(...TURNS[key]);
    else if (key in ZOOMS) this.scene.zoomBy(ZOOMS[key]);
    else if (key in STEPS) this.#step(STEPS[key]);
    else if (key in BUTTONS) this.#act(BUTTONS[key], this.article.querySelector(`[data-do="${BUTTONS[key]}"]`));
    else return;
    event.preventDefault();
  }

  #step(by) {
    const order = this.data.atoms.map((atom) => atom.index);
    const at = Math.max(order.indexOf(this.spotlight.lit), by < 0 ? 0 : -1); // the first or the last if none is lit
    const next = order[(at + by + order.length) % order.length];
    this.spotlight.light(next, "scene");
    announce(this.line.textContent);
  }
}

/** Return the exits that are closed in the chosen context and open in the context of the target. */
function closedHere({ added, exits }, context) {
  const shut = exits.filter((exit) => !exit.closed_in.includes("target") && exit.closed_in.includes(context)).map((exit) => exit.rank);
  return shut.length === 0 ? "" : filled(t.closes, { n: shut.length, neighbours: added[context], exits: shut.join(", ") });
}

/** Return the camera in the address, null if there is none. */
function camera() {
  const text = parameter("view");
  return text === "" ? null : text.split(",").map(Number);
}
