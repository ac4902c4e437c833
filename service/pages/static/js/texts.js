// Texts of scripts, from the same files as those of the pages.

/** Texts by name. A text with a count `{n}` has two forms, `one` and `others`. */
export const t = Object.assign({}, ...[...document.querySelectorAll("script[data-texts]")].map((part) => JSON.parse(part.textContent)));

/** Return a text with values for its placeholders. @param {string|object} text @param {object} values */
export function filled(text, values) {
  const form = text.one === undefined ? text : values.n === 1 ? text.one : text.others;
  return form.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
