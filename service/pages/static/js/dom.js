// Small helpers for elements. Text is always set as text: nothing that comes from a job is parsed as HTML.

import { t } from "./texts.js";

/**
 * Return a new element.
 * @param {string} name its tag
 * @param {object} attributes attributes; `class`, `data-*`, `aria-*` by these names; null and false are skipped
 * @param {...(Node|string|number|null)} children its content
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined).map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/** Call `action` once after calls have stopped for `wait` milliseconds. */
export function debounced(action, wait = 250) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(action, wait, ...values);
  };
}

/** Copy a text to the clipboard and show it on the button. */
async function copyText(text, button) {
  button.label ??= [...button.childNodes];
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = t.copied;
  } catch {
    button.textContent = t.copying_failed; // no permission, or no secure context
  }
  announce(button.textContent);
  setTimeout(() => button.replaceChildren(...button.label), 1500);
}

/** Save a file. @param {string|null} href @param {string} name */
export function save(href, name) {
  if (href !== null) make("a", { href, download: name }).click();
}

/** Announce a change to screen readers. */
export function announce(text) {
  const place = document.querySelector("[data-announce]");
  if (place) place.textContent = text;
}

// Commands name this service by the address at which it is seen here.
for (const place of document.querySelectorAll(".code > pre")) {
  if (place.textContent.includes("$TETHERMAP_URL")) {
    place.textContent = place.textContent.replaceAll("$TETHERMAP_URL", location.origin + (document.documentElement.dataset.root ?? ""));
  }
}

// Every <button data-copy="#id"> copies the text of that element.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[data-copy]");
  if (button) copyText(document.querySelector(button.dataset.copy).textContent, button);
});
