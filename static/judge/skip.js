// The dialog that asks why a block is skipped.

import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {(skip: { reason: string, comment: string }) => void} onSkip */
export function prepareSkip(onSkip) {
  const dialog = $("skip-dialog");
  const form = $("skip-form");

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reason = new FormData(form).get("reason");
    if (!reason) {
      $("skip-problem").textContent = say("reason_wanted");
      form.querySelector("input").focus();
      return;
    }
    dialog.close();
    onSkip({ reason: String(reason), comment: $("skip-comment").value.trim() });
  });
  form.addEventListener("change", () => {
    $("skip-problem").textContent = "";
  });
  $("skip-cancel").addEventListener("click", () => dialog.close());

  return function open() {
    form.reset();
    $("skip-problem").textContent = "";
    dialog.showModal();
    form.querySelector("input").focus();
  };
}
