// Filter of the table's rows; the server applies the same rules for pages without scripts and for CSV.

/**
 * @typedef {object} View
 * @property {string[]} words all of them must be in the row, in lower case
 * @property {string} ligand component code, "" for any
 * @property {number|null} least least exposed area, Å²
 * @property {number|null} most largest exposed area, Å²
 * @property {string[]} flags all of them must be flags of the row; "none" for rows without
 * @property {string} fit how it must fit the experiment, "" for any
 *
 * @typedef {object} Row
 * @property {string} text searched for the words, in lower case
 * @property {string} ligand
 * @property {number|null} area
 * @property {string[]} flags
 * @property {string} fit
 */

/** Return the number in a field, null if there is none. @param {FormDataEntryValue|null} text */
function number(text) {
  const value = String(text ?? "").trim();
  return value === "" || !Number.isFinite(Number(value)) ? null : Number(value);
}

/** Return the filter of a form. @param {FormData} form @returns {View} */
export function viewOf(form) {
  return {
    words: String(form.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean),
    ligand: String(form.get("ligand") ?? ""),
    least: number(form.get("min")),
    most: number(form.get("max")),
    flags: form.getAll("flag").map(String),
    fit: String(form.get("fit") ?? ""),
  };
}

/** Whether a row is in a view. @param {Row} row @param {View} view */
export function inView(row, view) {
  if (view.ligand !== "" && row.ligand !== view.ligand) return false;
  if (view.fit !== "" && row.fit !== view.fit) return false;
  if (view.least !== null && (row.area === null || row.area < view.least)) return false;
  if (view.most !== null && (row.area === null || row.area > view.most)) return false;
  if (view.flags.some((flag) => (flag === "none" ? row.flags.length > 0 : !row.flags.includes(flag)))) return false;
  return view.words.every((word) => row.text.includes(word));
}

const LEADING = /^(-*)(\d+)/;

/**
 * Return the sort key of a cell: numbers by value, texts with a leading number by this number, others by letters.
 * @param {string} text the cell's value
 * @param {boolean} numeric whether the column contains numbers
 * @returns {[number, string]}
 */
export function sortable(text, numeric) {
  if (numeric) return [Number(text), ""];
  const found = LEADING.exec(text);
  return found && found[2].length <= 9 ? [Number(found[0]), text] : [Infinity, text.toLowerCase()];
}

/** Compare two values of `sortable`. @param {[number, string]} a @param {[number, string]} b */
export function compared(a, b) {
  const at = a[0] === b[0] ? 1 : 0;
  return a[at] === b[at] ? 0 : a[at] < b[at] ? -1 : 1;
}
