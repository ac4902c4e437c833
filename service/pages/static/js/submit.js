// The form to submit a job: checked while it is filled in, previewed, shown as a command and a file.

import { getJson, root } from "./http.js";
import { announce, debounced, make } from "./dom.js";
import { addSuggestions } from "./suggest.js";
import { filled, t } from "./texts.js";

const form = document.getElementById("job-form");
const formState = document.getElementById("form-state");
const panel = document.getElementById("preview-panel");
const foundPanel = document.getElementById("found-panel");
const touched = new Set();
let checks = 0;

form.action = `${root}/`; // files are sent before the job, in a separate request
form.enctype = "application/x-www-form-urlencoded";

/** Return the form data of a task. @param {"check"|"preview"} task */
function asked(task) {
  const data = new FormData(form);
  data.delete("files");
  data.set("task", task);
  return new URLSearchParams(data);
}

/** Return the server's interpretation of the form, read from the page that it makes of it. */
async function meaning() {
  const page = await pageOf(form.action, { method: "POST", body: asked("check") });
  const text = (id) => page.getElementById(id)?.textContent.trim();
  const same = page.getElementById("job-form");
  if (!same) throw new Error(text("main") ?? t.no_form); // for example: log in first
  const wrong = page.querySelector(".field-error:not([hidden])");
  return {
    valid: !page.getElementById("form-error"),
    field: wrong?.id.replace(/-error$/, "") ?? "",
    message: wrong?.textContent ?? text("form-error"),
    curl: text("curl"),
    job_yaml: text("job-yaml"),
    find: same.dataset.find,
  };
}

/** Mark the one field that is wrong, or none. */
function mark(name, message) {
  for (const place of form.querySelectorAll(".field-error")) {
    const field = place.id.replace(/-error$/, "");
    const text = field === name ? message : "";
    place.hidden = text === "";
    if (place.textContent !== text) place.textContent = text;
    const input = document.getElementById(field);
    if (text) input?.setAttribute("aria-invalid", "true");
    else input?.removeAttribute("aria-invalid");
  }
  if (message) form.querySelector(`#${CSS.escape(name)}`)?.closest("details")?.setAttribute("open", "");
}

const check = debounced(async () => {
  const number = ++checks;
  let answer;
  try {
    answer = await meaning();
  } catch {
    return; // the server reports it when the form is sent
  }
  if (number !== checks) return;
  if (!answer.valid && touched.has(answer.field)) return mark(answer.field, answer.message);
  mark("", "");
  if (!answer.valid) return;
  document.getElementById("curl").textContent = answer.curl.replace("$TETHERMAP_URL", location.origin + root);
  document.getElementById("job-yaml").textContent = answer.job_yaml;
}, 250);

form.addEventListener("input", () => {
  check();
  if (panel.hidden || panel.querySelector("[data-stale]")) return;
  panel.prepend(make("p", { class: "notice warn", "data-stale": "" }, t.form_changed));
});
form.addEventListener("focusout", (event) => {
  if (event.target.name && event.target.value) touched.add(event.target.name);
  check();
});

/** Check everything; move to the invalid field and return null, or return the interpretation of the form. */
async function checked() {
  for (const input of form.elements) if (input.name) touched.add(input.name);
  checks += 1;
  const answer = await meaning();
  if (answer.valid) return answer;
  mark(answer.field, answer.message);
  document.getElementById(answer.field)?.focus();
  announce(answer.message);
  return null;
}

const files = document.getElementById("files");
const area = document.querySelector(".submit"); // files can be dropped on all of it
const uploaded = document.getElementById("uploaded");
const structures = document.getElementById("structures");
let held = new Map(); // the files of the upload by name: added files are sent together with them
let unsent = []; // the files that did not reach the service: sent again with the next
let sending = null; // settled after the last upload, with any outcome

function shown(file) {
  return make("li", {}, make("b", {}, file.name), " ",
    make("span", { class: "muted" }, [file.kind, ...file.notes.slice(0, 6)].join(" · ")),
    file.notes.length > 6 ? make("details", {}, make("summary", {}, filled(t.more_notes, { n: file.notes.length - 6 })), make("span", { class: "muted" }, file.notes.slice(6).join(" · "))) : null,
    ...file.ligands.map(ligand));
}

/** Draw a ligand with the source of its bonds; a SMILES typed for it is sent as a separate table. */
function ligand(one) {
  const picture = make("img", { src: `data:image/svg+xml,${encodeURIComponent(one.svg)}`, alt: one.smiles });
  const caption = make("figcaption", {}, filled(t.bonds_from, { ligand: one.comp_id, place: one.place, source: one.bonds_from }));
  if (one.bond_source === "file") return make("figure", { class: "sent" }, picture, caption);
  const given = make("input", { value: one.bond_source === "user" ? one.smiles : "", autocomplete: "off", spellcheck: "false" });
  given.addEventListener("change", () => {
    const smiles = given.value.trim();
    if (smiles) queue([new File([`${one.comp_id},${smiles}\n`], `${one.comp_id}.csv`)]);
  });
  return make("figure", { class: "sent" }, picture, caption,
    make("label", {}, filled(t.smiles_of, { ligand: one.comp_id }), " ", given));
}

/** Use an upload for the job, or none. */
function take(upload) {
  structures.value = upload?.upload_id ?? "";
  unsent = [];
  if (!upload) return uploaded.replaceChildren();
  const drop = make("button", { class: "small", type: "button" }, t.remove_all);
  drop.addEventListener("click", () => {
    held = new Map();
    take(null);
    check();
    files.focus();
  });
  return uploaded.replaceChildren(make("ul", { class: "plain" }, ...upload.files.map(shown)), drop);
}

/** Send files at once and show their content; the job then uses them. */
async function send(list) {
  const added = [...unsent, ...list];
  const together = new Map([...held, ...added.map((file) => [file.name, file])]);
  const body = new FormData();
  for (const file of together.values()) body.append("files", file);
  const before = [...uploaded.childNodes].filter((node) => !node.classList?.contains("notice"));
  uploaded.replaceChildren(make("p", { class: "muted" }, t.uploading));
  try {
    const answer = await getJson("/api/uploads", { method: "POST", body });
    held = together;
    take(answer);
    announce(filled(t.files_read, { n: answer.files.length }));
    check();
    lookSoon();
  } catch (error) {
    unsent = error.status ? [] : added;
    uploaded.replaceChildren(...before, refusal(added.map((file) => file.name).join(", "), error.message));
  }
}

/** Report files that were rejected or not sent; a job runs without them only if this is confirmed. */
function refusal(names, reason) {
  const again = unsent.length ? make("button", { class: "small", type: "button" }, t.send_again) : null;
  again?.addEventListener("click", () => queue([]));
  const skip = make("input", { type: "checkbox", name: "without_files", form: form.id, value: "true" });
  return make("div", { class: "notice bad", role: "alert" }, make("strong", {}, filled(again ? t.not_sent : t.rejected, { files: names })), " ", reason, " ", again,
    make("input", { type: "hidden", name: "refused", form: form.id, value: names }),
    make("label", { class: "flag" }, skip, " ", t.run_without));
}

/** Send files when those before them have arrived. */
function queue(list) {
  const chosen = Array.from(list);
  const last = Promise.resolve(sending).then(() => send(chosen)).then(() => {
    if (sending === last) sending = null;
  });
  sending = last;
}

/** Wait for pending uploads; return whether a job may run with the uploaded files. */
async function arrived() {
  while (sending) {
    formState.textContent = t.files_arriving;
    await sending;
  }
  const skip = uploaded.querySelector("[name=without_files]");
  if (!skip || skip.checked) return true;
  document.querySelector("#upload-form details").open = true;
  (uploaded.querySelector(".notice button") ?? skip).focus();
  const names = uploaded.querySelector("[name=refused]").value;
  formState.textContent = filled(unsent.length ? t.not_sent : t.file_rejected, { files: names });
  return false;
}

files.addEventListener("change", () => {
  if (files.files.length) queue(files.files);
  files.value = "";
});
for (const kind of ["dragover", "dragenter"]) {
  area.addEventListener(kind, (event) => {
    event.preventDefault();
    area.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) area.addEventListener(kind, () => area.classList.remove("over"));
area.addEventListener("drop", (event) => {
  event.preventDefault();
  document.querySelector("#upload-form details").open = true;
  if (event.dataTransfer.files.length) queue(event.dataTransfer.files);
});

/** Return a page of the service as a document. */
async function pageOf(address, options = {}) {
  const answer = await fetch(address, options).catch(() => { throw new Error(t.no_answer); });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Show the content of a page in a panel; hide the panel if it is empty. */
function fill(place, ...nodes) {
  place.replaceChildren(...nodes.map((node) => document.adoptNode(node)));
  place.hidden = nodes.length === 0;
}

let told = ""; // the request that filled the panels

/** Show which entries a job would use, or the ligands closest to a SMILES. */
async function preview() {
  const body = asked("preview");
  const page = await pageOf(form.action, { method: "POST", body });
  const found = page.getElementById("found");
  const fresh = page.getElementById("preview-panel");
  const error = page.getElementById("form-error");
  error?.removeAttribute("id");
  fill(foundPanel, ...(found ? [found] : []));
  fill(panel, ...(fresh?.hidden === false ? [...fresh.childNodes] : error ? [error] : []));
  told = String(body);
}

/** Show the ligands of finished jobs and of the dictionary that a name may mean. @param {string} text */
async function findLigands(text) {
  const found = (await pageOf(`${root}/browse?find=${encodeURIComponent(text)}`)).getElementById("found");
  if (found?.querySelector("tbody, .components") && foundPanel.hidden) fill(foundPanel, found);
}

const box = form.elements.target_name;
const query = form.elements.search_query;
let chosenQuery = ""; // the query of a chosen suggestion
const suggestions = addSuggestions(box, choose);

/** Use a suggestion; of a protein the accession is the query. */
function choose(name) {
  chosenQuery = ["gene", "protein"].includes(name.kind) ? name.key : "";
  query.value = chosenQuery;
  check();
  lookSoon();
}

/** Return whether a text needs no further typing: PDB ids, an accession, a SMILES, or a name of the source. */
function isComplete(text) {
  return /^([0-9][A-Za-z0-9]{3}|pdb_[0-9A-Za-z]{8}|[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9]([A-Z][A-Z0-9]{2}[0-9]){1,2})([ ,;]+|$)/i.test(text)
    || /[=#(\[]|[a-z]1/.test(text) || suggestions.exact(text) !== undefined;
}

const ATTEMPTS = 3;
let failures = 0;
let looking = false;
/** Show the preview of a complete text; try again after a pause if the service can't be reached. */
async function look() {
  const text = box.value.trim();
  if (looking || sending || String(asked("preview")) === told || (text.length < 3 && !structures.value)) return;
  looking = true;
  try {
    const answer = await meaning();
    if (answer.valid) {
      if (!formState.textContent) formState.textContent = t.searching;
      await preview();
      const isProtein = ["gene", "protein", "accession"].includes(suggestions.exact(text)?.kind);
      if (answer.find && !isProtein) await findLigands(answer.find);
    }
    failures = 0;
  } catch {
    failures += 1; // the buttons report it
  } finally {
    looking = false;
    if (formState.textContent === t.searching) formState.textContent = ""; // keep the text of a button
  }
  if (text !== box.value.trim() || failures % ATTEMPTS) lookLater();
}

const lookSoon = debounced(look, 300);
const lookLater = debounced(look, 2500); // a search may be a request to another service
box.addEventListener("change", lookSoon);
box.addEventListener("suggested", () => { if (isComplete(box.value.trim())) lookSoon(); });
box.addEventListener("input", () => {
  if (chosenQuery && query.value === chosenQuery) query.value = "";
  chosenQuery = "";
  lookLater();
});

/** Make the sequence of a protein that was found the target's. */
function chooseProtein(button) {
  const field = document.getElementById("fasta_seq");
  field.value = button.value;
  field.closest("details").open = true;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
  announce(filled(t.chosen, { protein: button.textContent }));
}

async function previewNow(button) {
  button.disabled = true;
  looking = true;
  try {
    if (!(await arrived())) return;
    formState.textContent = t.searching;
    if (await checked()) {
      await preview();
      panel.querySelector("h2")?.focus();
    }
    formState.textContent = "";
  } catch (error) {
    formState.textContent = filled(t.no_preview, { reason: error.message });
  } finally {
    button.disabled = false;
    looking = false;
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.submitter?.value === "preview") return previewNow(event.submitter);
  if (event.submitter?.name === "sequence") return chooseProtein(event.submitter);
  const button = document.getElementById("send");
  button.disabled = true;
  try {
    const may = await arrived();
    if (may) formState.textContent = t.submitting;
    const answer = may && (await checked());
    if (answer) return form.submit();
    if (may) formState.textContent = "";
  } catch (error) {
    formState.textContent = error.message;
  }
  button.disabled = false;
});

// A page restored from the browser's memory keeps its state.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  document.getElementById("send").disabled = false;
  formState.textContent = "";
});

for (const input of form.querySelectorAll("[aria-invalid]")) touched.add(input.name);
if (box.value !== box.defaultValue) lookLater(); // typed before this script was loaded
