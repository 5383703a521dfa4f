// The dialog that asks why a block is skipped.

import { say } from "./words.js";

const $ = (id) => document.getElementById(id);

export function prepareSkip(onSkip) {
  const dialog = $("skip-dialog");
  const form = $("skip-form");

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reason = new FormData(form).get("reason");
    if (!reason) {
      $("skip-problem").textContent = say("reason_wanted");
      form.elements.reason[0].focus();
      return;
    }
    dialog.close();
    onSkip({ reason, comment: $("skip-comment").value.trim() });
  });
  form.addEventListener("change", () => {
    $("skip-problem").textContent = "";
  });
  $("skip-cancel").addEventListener("click", () => dialog.close());

  return function open() {
    form.reset();
    $("skip-problem").textContent = "";
    dialog.showModal();
    form.elements.reason[0].focus();
  };
}
