// The results page: table, ligand, series, and the address with the selection.

import { debounced } from "../dom.js";
import { pageData } from "../http.js";
import { filled, t } from "../texts.js";
import { onTheme } from "../theme-button.js";
import { change, parameter } from "./address.js";
import { Detail } from "./detail.js";
import { Scene } from "./scene.js";
import { watchSeries } from "./series.js";
import { Spotlight } from "./spotlight.js";
import { InstanceTable } from "./table.js";

const root = document.querySelector("[data-results]");
const { here } = root.dataset;
const data = pageData("results-data");
const form = root.querySelector("[data-filters]");

const spotlight = new Spotlight();
const keepCamera = debounced((camera, stem) => {
  if ((parameter("row") || stem) !== stem) return; // another ligand was chosen
  change({ view: camera.map((part) => String(+part.toFixed(3))).join(",") });
}, 400);
const scene = new Scene(data.vendor, spotlight, (camera) => keepCamera(camera, scene.data.stem));
scene.shown.surface = parameter("surface") === "on";
onTheme(() => scene.retheme());

const table = new InstanceTable(root.querySelector("[data-table]"), form, data);
const detail = new Detail(root.querySelector("[data-detail]"), here, scene, spotlight);
if (detail.data) table.mark(detail.data.stem);

/** Show a ligand and keep it in the address. */
async function choose(stem, atom = null) {
  if (stem === parameter("row") && stem === detail.data?.stem && atom === null) return;
  change({ row: stem, atom, view: null }, true);
  await show(stem);
}

/** Show a ligand; if it can't be fetched, the one before remains in address and table. */
async function show(stem, context = parameter("context") || "target") {
  table.mark(stem);
  await detail.show(stem, context);
  if (parameter("row") !== stem) table.mark(parameter("row"));
}

const chooseSoon = debounced(choose, 120); // arrow keys run through rows quickly
table.addEventListener("choose", (event) => {
  table.mark(event.detail.stem);
  chooseSoon(event.detail.stem);
});

addEventListener("popstate", () => {
  const stem = parameter("row");
  const context = parameter("context") || "target";
  if (stem && (stem !== detail.data?.stem || context !== detail.context)) show(stem, context);
  fill();
});

/** Put a filter into the form, by default that of the address. @param {URLSearchParams} query */
function fill(query = new URLSearchParams(location.search)) {
  for (const name of ["q", "ligand", "min", "max", "fit"]) form.elements[name].value = query.get(name) ?? "";
  for (const box of form.querySelectorAll('[name="flag"]')) box.checked = query.getAll("flag").includes(box.value);
  summarise();
  table.filter();
}

form.addEventListener("input", (event) => {
  table.filter();
  if (event.target.name === "columns") table.refetch();
  summarise();
});
form.addEventListener("submit", (event) => event.preventDefault());
form.querySelector("[data-clear]").addEventListener("click", (event) => {
  event.preventDefault();
  fill(new URLSearchParams());
  form.elements.q.focus();
});

function summarise() {
  const flags = form.querySelectorAll('[name="flag"]:checked').length;
  form.querySelector('[data-count-of="flag"]').textContent = flags ? ` (${flags})` : "";
}

const count = root.querySelector("[data-count]");
const csv = root.querySelector("[data-csv]");
const zip = root.querySelector("[data-zip]");
function tellCount({ shown, total, picked }) {
  count.textContent = filled(shown === total ? t.n_rows : t.n_of_rows, { shown, n: total });
  csv.href = `${here}/table.csv${location.search}`;
  const most = Number(root.querySelector("[data-picks]").dataset.max);
  zip.disabled = picked === 0 || picked > most;
  root.querySelector("[data-overlay-button]").disabled = zip.disabled;
  root.querySelector("[data-picked]").textContent = picked > most ? ` (${filled(t.at_most, { n: most })})` : picked ? ` (${picked})` : "";
  form.querySelector("[data-clear]").hidden = shown === total;
}
table.addEventListener("count", (event) => tellCount(event.detail));
table.addEventListener("fail", (event) => { count.textContent = event.detail; });
tellCount({ shown: table.visible().length, total: Number(table.table.dataset.total), picked: 0 });

// Only one menu is open, and Escape closes it.
for (const menu of root.querySelectorAll("details.menu")) {
  menu.name = "menu";
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
addEventListener("pointerdown", (event) => {
  for (const menu of root.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

watchSeries(here);
document.querySelector("main").addEventListener("click", (event) => {
  const link = event.target.closest("a[data-open]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  choose(link.dataset.open, link.dataset.openAtom ?? null);
  document.querySelector("#instance").scrollIntoView();
});
if (!detail.data && table.current()) await detail.show(table.current().stem, parameter("context") || "target");
if (detail.data) change({ row: detail.data.stem }); // "back" and "reload" show it again
root.dataset.ready = "true";
