// The table of instances: filtered, sorted and walked through in the browser.

import { getPage } from "../http.js";
import { change } from "./address.js";
import { compared, inView, sortable, viewOf } from "./filter.js";
import { rove } from "./roving.js";

/** @typedef {import("./filter.js").Row & {element: HTMLTableRowElement, stem: string, place: number}} TableRow */

/** Dispatches "choose" with the row's stem in `detail.stem`, and "fail" with the message of a failed request. */
export class InstanceTable extends EventTarget {
  /**
   * @param {HTMLElement} container element with the table
   * @param {HTMLFormElement} form the filters
   * @param {{names: Record<string, string>, usual: string[]}} data names of components, usual columns
   */
  constructor(container, form, data) {
    super();
    this.container = container;
    this.form = form;
    this.data = data;
    this.sort = new URLSearchParams(location.search).get("sort") ?? "";
    /** @type {TableRow[]} */
    this.rows = [];
    this.keys = rove(container, () => this.visible().map((row) => row.link), { onMove: (link) => this.#chooseLink(link) });
    this.#listen();
    this.adopt();
  }

  /** Connect to a table from the server. */
  adopt() {
    const { names } = this.data;
    this.table = this.container.querySelector("table");
    this.complete = this.table.dataset.complete === "true";
    this.rows = [...this.table.tBodies[0].rows].map((element) => {
      const { t: text, l: ligand, a: area, f: flags, n: place, x: fit } = element.dataset;
      const box = element.querySelector("input");
      const link = element.querySelector("a");
      return {
        element, box, link, ligand, stem: box.value, place: Number(place),
        text: `${text} ${(names[ligand] ?? "").replaceAll("_", " ").replaceAll(";", " ").toLowerCase()}`,
        area: area === undefined ? null : Number(area),
        fit: fit ?? "",
        flags: flags ? flags.split(";") : [],
      };
    });
    for (const { box } of this.rows) box.tabIndex = -1;
    this.table.querySelector("[data-pick-all]").hidden = false;
    this.keys.prepare(this.current()?.link);
    this.#counted();
  }

  /** Rows that the filter leaves, in their order. */
  visible() {
    return this.rows.filter((row) => !row.element.hidden);
  }

  /** The chosen row. */
  current() {
    return this.rows.find((row) => row.element.getAttribute("aria-current") === "true");
  }

  /** Mark a row as chosen. @param {string} stem */
  mark(stem) {
    this.current()?.element.removeAttribute("aria-current");
    const row = this.rows.find((one) => one.stem === stem);
    row?.element.setAttribute("aria-current", "true");
    if (row) this.#uncover(row.element);
    if (row && !row.element.hidden) this.keys.settle(row.link);
  }

  /** Scroll the table, not the page, until a row is seen. @param {HTMLTableRowElement} element */
  #uncover(element) {
    const box = this.container.getBoundingClientRect();
    const { top, bottom } = element.getBoundingClientRect();
    const head = this.table.tHead.offsetHeight;
    if (top < box.top + head) this.container.scrollTop += top - box.top - head;
    else if (bottom > box.bottom) this.container.scrollTop += bottom - box.bottom;
  }

  /** Show the rows that match the form, and update the address. */
  filter() {
    const begun = performance.now();
    const form = new FormData(this.form);
    const view = viewOf(form);
    change({
      q: String(form.get("q") ?? "").trim(), ligand: view.ligand, min: String(form.get("min") ?? ""),
      max: String(form.get("max") ?? ""), flag: view.flags, fit: view.fit, columns: this.#columns(form), sort: this.sort,
    });
    if (!this.complete) return void this.refetch();
    for (const row of this.rows) {
      const hidden = !inView(row, view);
      if (row.element.hidden !== hidden) row.element.hidden = hidden;
    }
    this.#counted();
    void this.table.offsetHeight; // force the layout, as the figure below depends on it
    this.container.dataset.filterMs = (performance.now() - begun).toFixed(1);
  }

  /** Sort by a column: first click by the usual direction, then the other. @param {string} key @param {boolean} numeric */
  sortBy(key, numeric) {
    const [first, then] = numeric ? [`-${key}`, key] : [key, `-${key}`];
    this.sort = this.sort === first ? then : first;
    change({ sort: this.sort });
    if (this.complete) this.arrange();
    else this.refetch();
  }

  /** Put the rows in the order of `sort`. */
  arrange() {
    const descending = this.sort.startsWith("-");
    const key = this.sort.replace("-", "");
    const heads = [...this.table.tHead.rows[0].cells];
    const column = heads.findIndex((head) => head.dataset.key === key);
    for (const head of heads) if (head.dataset.key) head.setAttribute("aria-sort", head.dataset.key !== key ? "none" : descending ? "descending" : "ascending");
    this.rows.sort((a, b) => a.place - b.place);
    if (column >= 0) {
      const numeric = heads[column].classList.contains("number");
      const keyed = this.rows.map((row) => {
        const cell = row.element.cells[column];
        const text = numeric ? cell.dataset.v : cell.textContent;
        return { row, known: text !== "", value: sortable(text, numeric) };
      });
      keyed.sort((a, b) => (a.known !== b.known ? (a.known ? -1 : 1) : !a.known ? 0 : descending ? compared(b.value, a.value) : compared(a.value, b.value)));
      this.rows = keyed.map((one) => one.row);
    }
    this.table.tBodies[0].append(...this.rows.map((row) => row.element));
    this.#counted();
  }

  /** Request the table again from the server, for other columns or if the page has not all rows. */
  async refetch() {
    this.asked?.abort();
    this.asked = new AbortController();
    const chosen = this.current()?.stem;
    const picked = new Set(this.picked());
    try {
      const part = await getPage(`${location.pathname}/table${location.search}`, { signal: this.asked.signal });
      const sorted = this.container.contains(document.activeElement) && document.activeElement.closest("th[data-key]")?.dataset.key;
      this.container.replaceChildren(...part.body.childNodes);
      this.adopt();
      if (sorted) this.container.querySelector(`th[data-key="${sorted}"] a`)?.focus({ preventScroll: true });
      for (const { box } of this.rows) box.checked = picked.has(box.value);
      if (chosen) this.mark(chosen);
      this.#counted();
    } catch (error) {
      if (error.name !== "AbortError") this.dispatchEvent(new CustomEvent("fail", { detail: error.message }));
    }
  }

  /** Stems of the rows that are ticked and shown. */
  picked() {
    return this.visible().filter((row) => row.box.checked).map((row) => row.stem);
  }

  #columns(form) {
    const chosen = form.getAll("columns").map(String);
    const usual = chosen.length === this.data.usual.length && this.data.usual.every((key) => chosen.includes(key));
    return usual ? "" : chosen.join(",");
  }

  #chooseLink(link) {
    const row = this.rows.find((one) => one.link === link);
    if (row) this.dispatchEvent(new CustomEvent("choose", { detail: { stem: row.stem } }));
  }

  #listen() {
    this.container.addEventListener("click", (event) => {
      const head = event.target.closest("th[data-key]");
      if (head && event.target.closest("a")) {
        event.preventDefault();
        this.sortBy(head.dataset.key, head.classList.contains("number"));
        return;
      }
      const element = event.target.closest("tbody tr");
      if (!element || event.target.closest("input") || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.#chooseLink(element.querySelector("a"));
    });
    this.container.addEventListener("keydown", (event) => {
      if (event.key !== " " || !event.target.matches("tbody a")) return;
      event.preventDefault();
      event.target.closest("tr").querySelector("input").click();
    });
    this.container.addEventListener("change", (event) => {
      if (event.target.matches("[data-pick-all]")) for (const row of this.visible()) row.box.checked = event.target.checked;
      this.#counted();
    });
  }

  #counted() {
    const shown = this.complete ? this.visible().length : Number(this.table.dataset.shown);
    const detail = { shown, total: Number(this.table.dataset.total), picked: this.picked().length };
    this.dispatchEvent(new CustomEvent("count", { detail }));
  }
}
