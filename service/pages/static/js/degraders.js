// Prints the pinned pairs, and hides molecules beyond the limits that are typed.

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
document.querySelector("[data-print]")?.addEventListener("click", () => print());

// An exit that is selected belongs to the job in the form: another job starts without it.
for (const letter of ["a", "b"]) {
  const select = document.querySelector(`select[name="${letter}_job"]`);
  select.addEventListener("change", () => {
    for (const field of select.form.querySelectorAll(`input[type="hidden"][name^="${letter}_"]`)) field.remove();
  });
}
