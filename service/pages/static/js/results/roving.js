// One tab stop for many things: arrow keys, Home and End go from one to the next.

/**
 * @param {Element} container element with the items
 * @param {() => Element[]} items elements that the keys visit, in order
 * @param {object} options `onMove(item)` is called when the keys have moved; `page`: items per Page Up and Down
 */
export function rove(container, items, { onMove = () => {}, page = 10 } = {}) {
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };

  /** Make an item the tab stop. @param {Element|undefined} current */
  function settle(current) {
    for (const item of container.querySelectorAll('[data-roving][tabindex="0"]')) item.setAttribute("tabindex", "-1");
    current?.setAttribute("tabindex", "0");
  }

  function prepare(current) {
    const all = items();
    for (const item of all) {
      item.setAttribute("data-roving", "");
      item.setAttribute("tabindex", "-1");
    }
    settle(all.includes(current) ? current : all[0]);
  }

  container.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    const from = event.target.closest?.("[data-roving]");
    if (step === undefined || from === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const all = items();
    const next = all[Math.min(Math.max(all.indexOf(from) + step, 0), all.length - 1)];
    if (next === undefined) return;
    event.preventDefault();
    settle(next);
    next.focus();
    onMove(next);
  });
  container.addEventListener("focusin", (event) => {
    const item = event.target.closest?.("[data-roving]");
    if (item) settle(item);
  });
  return { prepare, settle };
}
