// The dialog that asks why a block is skipped.

import { listenForChoices } from "./keys.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {Page} page */
export function prepareSkip(page) {
  const dialog = $("skip-dialog");
  const form = $("skip-form");
  // The block it was opened on: the page may have moved on by the time a reason is given.
  /** @type {Block | null} */
  let block = null;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reason = new FormData(form).get("reason");
    if (!reason) {
      $("skip-problem").textContent = say("reason_wanted");
      form.querySelector("input").focus();
      return;
    }
    dialog.close();
    if (block) page.skip(block, { reason: String(reason), comment: $("skip-comment").value.trim() });
  });
  form.addEventListener("change", () => {
    $("skip-problem").textContent = "";
  });
  listenForChoices(form);
  $("skip-cancel").addEventListener("click", () => dialog.close());

  return function open() {
    if (!page.canSkip()) return false;
    block = page.block;
    form.reset();
    $("skip-problem").textContent = "";
    dialog.showModal();
    form.querySelector("input").focus();
    return true;
  };
}
