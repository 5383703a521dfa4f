// A sentence gone back to: its change is saved or discarded before anything else is shown.

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {Page} page */
export function prepareRevision(page) {
  const dialog = $("unsent-dialog");
  // The block it was opened on: the page may have moved on by the time of an answer.
  /** @type {Block | null} */
  let block = null;
  // Where the judge was going; undefined is on with the work.
  /** @type {Block | undefined} */
  let to;

  page.addEventListener("unsent", ({ detail }) => {
    block = page.block;
    to = detail.to;
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (page.block !== block) return;
    if (dialog.returnValue === "save") page.submit(to);
    else if (dialog.returnValue === "discard") page.discard(to);
  });
  $("discard").addEventListener("click", () => page.discard());
  // The browser's own question, where the page itself is left.
  addEventListener("beforeunload", (event) => {
    if (page.isUnsent()) event.preventDefault();
  });
}
