// The dialog that takes a problem with a block, which is judged or skipped all the same.

import { listenForChoices } from "./keys.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {Page} page @param {Outbox} outbox */
export function prepareReport(page, outbox) {
  const dialog = $("report-dialog");
  const form = $("report-form");
  const comment = $("report-comment");
  // The block it was opened on: the page may have moved on by the time it is sent.
  let reported = "";

  function firstKind() {
    return form.querySelector("input");
  }

  /** @param {FormDataEntryValue | null} kind */
  function problemOf(kind) {
    if (!kind) return "kind_wanted";
    return kind === "other" && !comment.value.trim() ? "words_wanted" : null;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const kind = new FormData(form).get("kind");
    const problem = problemOf(kind);
    $("report-problem").textContent = problem ? say(problem) : "";
    if (problem) {
      (kind ? comment : firstKind()).focus();
      return;
    }
    dialog.close();
    outbox.add("problem-reports", reported, { kind: String(kind), comment: comment.value.trim() });
    page.note(say("reported"));
  });
  form.addEventListener("change", () => {
    $("report-problem").textContent = "";
  });
  listenForChoices(form);
  $("report-cancel").addEventListener("click", () => dialog.close());

  return function open() {
    if (!page.block) return false;
    reported = page.block.id;
    form.reset();
    $("report-problem").textContent = "";
    dialog.showModal();
    firstKind().focus();
    return true;
  };
}
