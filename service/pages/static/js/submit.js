// The form to submit a job: checked while it is filled in, previewed, shown as a command and a file.

import { ApiError, getJson, postJson, root, rooted } from "./http.js";
import { announce, debounced, make } from "./dom.js";

const form = document.getElementById("job-form");
const formState = document.getElementById("form-state");
const panel = document.getElementById("preview-panel");
const touched = new Set();
let asked = 0;

form.action = `${root}/`; // files go before the job, in a request of their own
form.enctype = "application/x-www-form-urlencoded";

function encoded() {
  const data = new FormData(form);
  data.delete("files");
  return new URLSearchParams(data);
}

/** Return what the form means, as the server reads it. */
function meaning() {
  return getJson("/api/form", { method: "POST", body: encoded() });
}

function show(curl, file) {
  document.getElementById("curl").textContent = curl.replace("$TETHERMAP_URL", location.origin + root);
  document.getElementById("job-yaml").textContent = file;
}

/** Mark the one field that is wrong, or none. */
function mark(name, message) {
  for (const place of form.querySelectorAll(".field-error")) {
    const field = place.id.replace(/-error$/, "");
    const wrong = field === name && message !== "";
    place.hidden = !wrong;
    if (place.textContent !== (wrong ? message : "")) place.textContent = wrong ? message : "";
    const input = document.getElementById(field);
    if (wrong) input?.setAttribute("aria-invalid", "true");
    else input?.removeAttribute("aria-invalid");
  }
  if (message) form.querySelector(`#${CSS.escape(name)}`)?.closest("details")?.setAttribute("open", "");
}

const check = debounced(async () => {
  const number = ++asked;
  let answer;
  try {
    answer = await meaning();
  } catch {
    return; // the server says so at the latest when the form is sent
  }
  if (number !== asked) return;
  if (answer.valid) {
    mark("", "");
    show(answer.curl, answer.job_yaml);
  } else if (touched.has(answer.field)) {
    mark(answer.field, answer.message);
  } else {
    mark("", "");
  }
}, 250);

form.addEventListener("input", check);
form.addEventListener("input", () => {
  if (panel.hidden || panel.querySelector("[data-stale]")) return;
  panel.prepend(make("p", { class: "notice warn", "data-stale": "" }, "The form has changed since: preview the entries again."));
});
form.addEventListener("focusout", (event) => {
  if (event.target.name && event.target.value) touched.add(event.target.name);
  check();
});

/** Check everything; move to the field that is wrong and return null, or return what the form means. */
async function checked() {
  for (const input of form.elements) if (input.name) touched.add(input.name);
  asked += 1;
  const answer = await meaning();
  if (answer.valid) return answer;
  mark(answer.field, answer.message);
  document.getElementById(answer.field)?.focus();
  announce(answer.message);
  return null;
}

function row(entry) {
  const resolution = typeof entry.resolution === "number" ? entry.resolution.toFixed(2) : "–";
  return make("tr", {}, make("td", { class: "mono" }, entry.pdb_id), make("td", {}, entry.title ?? ""),
    make("td", { class: "number" }, resolution), make("td", { class: "mono" }, entry.ligands.join(", ")));
}

const files = document.getElementById("files");
const box = document.getElementById("upload-form");
const uploaded = document.getElementById("uploaded");
const structures = document.getElementById("structures");
let held = new Map(); // the files of the upload by name: what is added later is sent together with them
let sending = null; // ends with the last upload, whatever came of it

function shown(file) {
  return make("li", {}, make("b", {}, file.name), " ",
    make("span", { class: "muted tiny" }, [file.kind, ...file.notes].join(" · ")), ...file.ligands.map(ligand));
}

/** Draw a ligand with where its bonds come from; a SMILES typed for it is sent as a table of its own. */
function ligand(one) {
  const picture = make("img", { src: `data:image/svg+xml,${encodeURIComponent(one.svg)}`, alt: one.smiles });
  const caption = make("figcaption", { class: "tiny" }, `${one.comp_id} ${one.place} · bonds from ${one.bonds_from}`);
  if (one.bond_source === "file") return make("figure", { class: "sent" }, picture, caption);
  const given = make("input", { value: one.bond_source === "user" ? one.smiles : "", autocomplete: "off", spellcheck: "false" });
  given.addEventListener("change", () => {
    const smiles = given.value.trim();
    if (smiles) queue([new File([`${one.comp_id},${smiles}\n`], `${one.comp_id}.csv`)]);
  });
  return make("figure", { class: "sent" }, picture, caption,
    make("label", { class: "tiny" }, `SMILES of ${one.comp_id} `, given));
}

/** Use an upload for the job, or none. */
function take(upload) {
  structures.value = upload?.upload_id ?? "";
  if (!upload) return uploaded.replaceChildren();
  const drop = make("button", { class: "small", type: "button" }, "Take none of them");
  drop.addEventListener("click", () => {
    held = new Map();
    take(null);
    check();
    files.focus();
  });
  return uploaded.replaceChildren(make("ul", { class: "plain" }, ...upload.files.map(shown)), drop);
}

/** Send files at once and show what is in them; the job is then one over them. */
async function send(list) {
  const together = new Map([...held, ...Array.from(list, (file) => [file.name, file])]);
  const body = new FormData();
  for (const file of together.values()) body.append("files", file);
  const before = [...uploaded.childNodes].filter((node) => !node.classList?.contains("notice"));
  uploaded.replaceChildren(make("p", { class: "muted" }, "Sending and reading …"));
  try {
    const response = await fetch(rooted("/api/uploads"), { method: "POST", body });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error.message);
    held = together;
    take(answer);
    announce(`${answer.files.length} files were read.`);
    check();
  } catch (error) {
    uploaded.replaceChildren(...before, refusal(Array.from(list, (file) => file.name).join(", "), String(error.message ?? error)));
  }
}

/** Say that files were not taken; a job runs without them only if that is ticked. */
function refusal(names, reason) {
  const skip = make("input", { type: "checkbox", name: "without_files", form: form.id, value: "true" });
  return make("div", { class: "notice bad", role: "alert" }, make("strong", {}, `Not taken: ${names}.`), " ", reason,
    make("input", { type: "hidden", name: "refused", form: form.id, value: names }),
    make("label", { class: "flag" }, skip, " Run the job without these files"));
}

/** Send files when those before them have arrived. */
function queue(list) {
  const chosen = Array.from(list);
  const last = Promise.resolve(sending).then(() => send(chosen)).then(() => {
    if (sending === last) sending = null;
  });
  sending = last;
}

/** Wait for files that are on their way; return whether a job may run with what has arrived. */
async function arrived() {
  while (sending) {
    formState.textContent = "Waiting for your files to arrive …";
    await sending;
  }
  const skip = uploaded.querySelector("[name=without_files]");
  if (!skip || skip.checked) return true;
  box.querySelector("details").open = true;
  skip.focus();
  const names = uploaded.querySelector("[name=refused]").value;
  formState.textContent = `Not submitted: ${names} was not taken. Send another file, or choose to run the job without it.`;
  return false;
}

files.addEventListener("change", () => {
  if (files.files.length) queue(files.files);
  files.value = "";
});
for (const kind of ["dragover", "dragenter"]) {
  box.addEventListener(kind, (event) => {
    event.preventDefault();
    box.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) box.addEventListener(kind, () => box.classList.remove("over"));
box.addEventListener("drop", (event) => {
  event.preventDefault();
  box.querySelector("details").open = true;
  if (event.dataTransfer.files.length) queue(event.dataTransfer.files);
});

/** A protein of the entries found: one click makes its sequence the target's. */
function protein(one) {
  const facts = [one.organism, one.accession, one.chains.length ? `chains ${one.chains.join(", ")}` : "",
    `${one.n_entries} ${one.n_entries === 1 ? "entry" : "entries"}`].filter(Boolean).join(" · ");
  const use = make("button", { class: "small", type: "button" }, "Use as target",
    make("span", { class: "visually-hidden" }, `: ${one.name}`));
  use.addEventListener("click", () => {
    const field = document.getElementById("fasta_seq");
    field.value = one.sequence;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
    announce(`${one.name} is the target.`);
  });
  return make("li", {}, make("span", {}, one.name || one.entity, " ", make("b", {}, one.gene)),
    make("span", { class: "muted tiny" }, facts), ...(one.sequence && one.kind === "protein" ? [use] : []));
}

function showPreview(found) {
  const noun = found.total === 1 ? "entry" : "entries";
  const left = Object.entries(found.left_out ?? {}).map(([reason, number]) => `${number} left out: ${reason}.`);
  const cost = `About ${Math.round(found.estimate.cpu_seconds)} s of computing and ${(found.estimate.bytes / 1e6).toFixed(1)} MB.`;
  const title = make("h2", { tabindex: "-1" }, `${found.total} ${noun} would be used`);
  panel.replaceChildren(title, make("p", { class: "muted" }, [cost, ...left, ...found.notes].join(" ")));
  if (found.proteins.length > 0) {
    panel.append(make("h3", {}, "Proteins in them"),
      make("p", { class: "hint" }, "Which of them is the target? Its sequences, one for each domain, tell its chains from all others."),
      make("ul", { class: "plain proteins" }, ...found.proteins.map(protein)));
  }
  if (found.entries.length === 0) {
    panel.append(make("p", {}, "Nothing matches. Try fewer words, a PDB id, or a UniProt accession."));
  } else {
    const heads = ["Entry", "Title", "Å", "Ligands"].map((text) => make("th", text === "Å" ? { class: "number" } : {}, text));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...found.entries.slice(0, 200).map(row)));
    panel.append(make("div", { class: "scroll preview", tabindex: "0", role: "region", "aria-label": "Entries that would be used" }, table));
    if (found.total > 200) panel.append(make("p", { class: "muted" }, "The first 200 are shown."));
  }
  panel.hidden = false;
  title.focus();
}

function failed(error) {
  const text = error instanceof ApiError ? error.message : String(error);
  panel.replaceChildren(make("div", { class: "notice bad", role: "alert" }, make("strong", {}, "No preview."), text));
  panel.hidden = false;
}

async function preview(button) {
  button.disabled = true;
  try {
    if (!(await arrived())) return;
    formState.textContent = "Searching …";
    const answer = await checked();
    if (answer) showPreview(await postJson("/api/jobs?dry_run=true", answer.request));
    formState.textContent = "";
  } catch (error) {
    formState.textContent = "";
    failed(error);
  } finally {
    button.disabled = false;
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.submitter?.value === "preview") {
    await preview(event.submitter);
    return;
  }
  const button = document.getElementById("send");
  button.disabled = true;
  try {
    const may = await arrived();
    if (may) formState.textContent = "Submitting …";
    const answer = may && (await checked());
    if (answer) {
      form.submit();
      return;
    }
    if (may) formState.textContent = "";
  } catch (error) {
    formState.textContent = error.message;
  }
  button.disabled = false;
});

// A page that comes back from the browser's memory is as it was when it was left.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  document.getElementById("send").disabled = false;
  formState.textContent = "";
});

for (const input of form.querySelectorAll("[aria-invalid]")) touched.add(input.name);
