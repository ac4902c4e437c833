// Building blocks of an exit: requested when its box is opened, because the chemistry needs a second.

import { make } from "../dom.js";
import { getJson } from "../http.js";
import { filled, t } from "../texts.js";

/** Return the sentences about one exit as elements. */
function told(handle) {
  const text = handle.contacts_lost.length === 0 ? t.contacts_remain : t.contacts_remain_lost;
  const counts = { n: handle.contacts_kept, lost: handle.contacts_lost.join("; ") };
  const kept = handle.contacts_kept === null ? null : make("p", {}, filled(text, counts));
  const advice = handle.what_to_do === "" ? null : make("p", {}, handle.what_to_do);
  if (handle.to_make.length === 0) return [make("p", {}, t.no_reaction), kept];
  const blocks = handle.to_make.map((block) => make("li", {}, `${block.name}: `, make("code", {}, block.smiles)));
  const removes = handle.removes.length === 0 ? null : make("p", {}, filled(t.cut_removes, { atoms: handle.removes.join(", ") }));
  return [advice, make("ul", {}, ...blocks), removes, kept];
}

document.addEventListener(
  "toggle",
  async (event) => {
    const box = event.target;
    if (!(box instanceof HTMLDetailsElement) || !box.open || !box.dataset.handle) return;
    const address = box.dataset.handle;
    delete box.dataset.handle; // once
    const link = box.querySelector("p");
    const wait = make("p", { class: "muted", role: "status" }, t.loading);
    box.insertBefore(wait, link);
    try {
      const answer = await getJson(address);
      wait.replaceWith(...answer.handles.flatMap(told).filter((part) => part !== null));
    } catch (error) {
      wait.replaceChildren(error.message);
      box.dataset.handle = address;
    }
  },
  true,
);
