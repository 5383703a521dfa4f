// Nobody is signed in here any more: the sentences and the page that the judging page keeps for a reload without
// network go. Judgments that are not sent yet stay. The link of a judge opens here, too.

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

forget().catch(() => undefined); // a browser that keeps nothing

const form = byId("link-form");
const field = /** @type {HTMLInputElement} */ (byId("link"));
form.hidden = false;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = field.value.trim().match(/(?:^|\/)i\/([\w-]+)\/?$/)?.[1];
  if (token) {
    location.assign(String(form.dataset.address).replace("TOKEN", token));
    return;
  }
  const problem = byId("link-problem");
  problem.textContent = String(problem.dataset.words);
  field.focus();
});
