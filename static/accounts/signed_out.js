// After signing out: deletes the sentences and the page stored for offline use, but keeps unsent judgments. Also opens
// judges' links.

import { tokenIn } from "../judge/later/pasted_link.js";

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

async function forget() {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("quintet/hits/")) localStorage.removeItem(key);
  }
  for (const name of await caches.keys()) {
    if (name.startsWith("quintet ")) await caches.delete(name);
  }
}

forget().catch(() => undefined); // Storage may not be available.

const form = byId("link-form");
const field = /** @type {HTMLInputElement} */ (byId("link"));
form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = tokenIn(field.value);
  if (token) {
    location.assign(String(form.dataset.address).replace("TOKEN", token));
    return;
  }
  const problem = byId("link-problem");
  problem.textContent = String(problem.dataset.words);
  field.focus();
});
