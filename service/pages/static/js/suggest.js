// Names that complete the text of a box: a list below it, for mouse and keyboard. No search runs for them.

import { getJson } from "./http.js";
import { debounced, make } from "./dom.js";
import { filled, t } from "./texts.js";

/**
 * Add suggestions to a box.
 * @param {HTMLInputElement} box has a list element with the id in its `aria-controls`
 * @param {(name: object) => void} choose called with the chosen suggestion
 * @returns {{exact: (text: string) => object|undefined}} finds a suggestion that is the text itself
 */
export function addSuggestions(box, choose) {
  const list = document.getElementById(box.getAttribute("aria-controls"));
  let names = [];
  let at = -1;

  function close() {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    mark(-1);
  }

  function mark(number) {
    at = number;
    for (const [index, row] of [...list.children].entries()) row.setAttribute("aria-selected", String(index === at));
    if (at < 0) box.removeAttribute("aria-activedescendant");
    else box.setAttribute("aria-activedescendant", list.children[at].id);
  }

  function take(number) {
    box.value = names[number].text;
    close();
    choose(names[number]);
  }

  function show() {
    list.replaceChildren(...names.map((name, index) => {
      const entries = name.entries === null ? "" : filled(t.n_entries, { n: name.entries });
      const key = name.key === name.text ? "" : name.key;
      const row = make("li", { role: "option", id: `${list.id}-${index}`, "aria-selected": "false" },
        make("span", { class: "name" }, make("b", {}, name.text), " ", name.says === name.text ? "" : name.says), " ",
        make("span", { class: "muted" }, [name.kind === "ligand" ? t.is_ligand : "", key, entries].filter(Boolean).join(" · ")));
      row.addEventListener("mousedown", (event) => { event.preventDefault(); take(index); });
      return row;
    }));
    list.hidden = names.length === 0;
    box.setAttribute("aria-expanded", String(names.length > 0));
    mark(-1);
  }

  const ask = debounced(async () => {
    const text = box.value.trim();
    let found = [];
    try {
      if (text.length > 1 && text.length < 60) found = (await getJson(`/api/suggestions?text=${encodeURIComponent(text)}`)).suggestions;
    } catch {
      // the box works without
    }
    if (text !== box.value.trim()) return;
    names = found;
    if (document.activeElement === box && names[0]?.text !== text) show();
    else close();
    box.dispatchEvent(new Event("suggested"));
  }, 150);

  box.addEventListener("input", ask);
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) mark((at + step + names.length + (at < 0 && step < 0 ? 1 : 0)) % names.length);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && at >= 0) take(at);
    else {
      if (event.key === "Enter") close();
      return;
    }
    event.preventDefault();
  });

  return { exact: (text) => names.find((name) => name.text.toLowerCase() === text.toLowerCase()) };
}
