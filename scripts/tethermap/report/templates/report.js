"use strict";
(() => {
  const lower = (text) => text.toLowerCase();
  const words = (text) => lower(text).split(/\s+/).filter(Boolean);

  function filtered(name, items, text) {
    const box = document.querySelector(`[data-filter="${name}"]`);
    if (!box) return;
    const input = box.querySelector("input");
    const count = box.querySelector("output");
    const texts = items.map((item) => lower(text(item)));
    const show = () => {
      const wanted = words(input.value);
      let shown = 0;
      items.forEach((item, index) => {
        const fits = wanted.every((word) => texts[index].includes(word));
        item.hidden = !fits;
        shown += fits ? 1 : 0;
      });
      count.textContent = wanted.length ? `${shown} of ${items.length}` : "";
    };
    input.addEventListener("input", show);
    box.hidden = false;
    show();
  }

  function sortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const value = (row, column, numeric) => {
      const text = row.cells[column].textContent.trim();
      return numeric ? (text === "" ? NaN : parseFloat(text)) : text;
    };
    const compare = (a, b, numeric) => {
      if (!numeric) return a < b ? -1 : a > b ? 1 : 0;
      if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 2;
      return Number.isNaN(b) ? -2 : a - b;
    };
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        const numeric = head.dataset.sort === "number";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row, index) => ({ row, index, key: value(row, column, numeric) }));
        rows.sort((a, b) => {
          const order = compare(a.key, b.key, numeric);
          if (Math.abs(order) === 2 && numeric && (Number.isNaN(a.key) || Number.isNaN(b.key))) return order;
          return (down ? -order : order) || a.index - b.index;
        });
        body.append(...rows.map((item) => item.row));
      });
    });
  }

  document.querySelectorAll("table.sortable").forEach(sortable);
  filtered("instances", [...document.querySelectorAll("#instances tbody tr")], (row) => row.textContent);
  filtered("cards", [...document.querySelectorAll(".card")], (card) => card.dataset.words);
})();
