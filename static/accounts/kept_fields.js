// Keeps what was typed into a page's forms while its language changes, which loads the page again.

const KEY = "fields before the language changed";
const NEVER_KEPT = new Set(["password", "file", "hidden", "submit", "button"]);

/**
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field
 * @typedef {{name: string, value: string, isChecked: boolean | null}} Entry
 */

/** @returns {Field[]} */
function fields() {
  const found = /** @type {NodeListOf<Field>} */ (
    document.querySelectorAll("main form :is(input, select, textarea)[name]")
  );
  return [...found].filter((field) => !NEVER_KEPT.has(field.type));
}

/**
 * @param {Field} field
 * @returns {field is HTMLInputElement}
 */
function isTicked(field) {
  return field.type === "checkbox" || field.type === "radio";
}

function keep() {
  const entries = fields().map((field) => ({
    name: field.name,
    value: field.value,
    isChecked: isTicked(field) ? field.checked : null,
  }));
  sessionStorage.setItem(KEY, JSON.stringify({ address: location.href, entries }));
}

/** @param {Entry[]} entries */
function restore(entries) {
  for (const field of fields()) {
    const ticked = isTicked(field);
    const position = entries.findIndex(
      (entry) => entry.name === field.name && (!ticked || entry.value === field.value),
    );
    if (position < 0) continue;
    const [entry] = entries.splice(position, 1);
    if (isTicked(field)) field.checked = Boolean(entry.isChecked);
    else field.value = entry.value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

const kept = sessionStorage.getItem(KEY);
sessionStorage.removeItem(KEY);
if (kept) {
  const { address, entries } = JSON.parse(kept);
  if (address === location.href) restore(entries);
}
document.getElementById("language-menu")?.addEventListener("submit", keep);
