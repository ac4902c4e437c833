// Puts the chosen exit into the fields of the form, and hides molecules beyond the limits that are typed.

for (const select of document.querySelectorAll("select[data-exit]")) {
  select.addEventListener("change", () => {
    const [stem = "", anchor = ""] = select.value.split(" ");
    const form = select.closest("form");
    form.elements[`${select.dataset.exit}_stem`].value = stem;
    form.elements[`${select.dataset.exit}_anchor`].value = anchor;
  });
}

const limits = [...document.querySelectorAll("input[data-most]")];
const rows = [...document.querySelectorAll("table[data-degraders] tbody tr")];

function filter() {
  for (const row of rows) {
    row.hidden = limits.some(
      (limit) => limit.value !== "" && Number(row.dataset[limit.dataset.most.toLowerCase()]) > Number(limit.value),
    );
  }
}

for (const limit of limits) limit.addEventListener("input", filter);
