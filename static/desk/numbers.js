// Keeps a form back while a number field holds something else than a number: browsers would send it empty, and an empty limit
// means none. The browser's own words say so beside the field.

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const fields = [...form.elements].filter((field) => field instanceof HTMLInputElement);
  const wrong = fields.find(({ validity }) => validity.badInput);
  if (!wrong) return;
  event.preventDefault();
  // The browser says nothing beside a field that is folded away.
  const folded = wrong.closest("details");
  if (folded) folded.open = true;
  wrong.reportValidity();
});

export {};
