// The dialogs about the current block: reason for a skip, problem report, unsaved change. Each acts on the block it was
// opened for, even if the page has moved on.

import { digitOf, isComposing, isWriting, lettersOn } from "./keys.js";
import * as store from "./store.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/**
 * @typedef {object} Calls
 * @property {() => boolean} mayOpen
 * @property {(chosen: string, comment: string) => string | null} lackOf the key of the missing part
 * @property {(block: Block, chosen: string, comment: string) => void} take
 * @property {() => string} [commentOf] the comment to begin with
 */

/** @param {"skip" | "report"} name @param {Page} page @param {Calls} calls */
function prepareChoices(name, page, { mayOpen, lackOf, take, commentOf }) {
  const dialog = $(`${name}-dialog`);
  const form = $(`${name}-form`);
  const problem = $(`${name}-problem`);
  const comment = $(`${name}-comment`);
  /** @type {NodeListOf<HTMLInputElement>} */
  const choices = form.querySelectorAll("[type=radio]");
  /** @type {Block | null} */
  let block = null;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = form.querySelector("input:checked")?.value ?? "";
    const words = comment.value.trim();
    const lack = lackOf(chosen, words);
    problem.textContent = lack ? say(lack) : "";
    if (lack) {
      (chosen ? comment : choices[0]).focus();
      return;
    }
    dialog.close();
    if (block) take(block, chosen, words);
  });
  form.addEventListener("change", () => {
    problem.textContent = "";
  });
  // The digit before a choice selects it; Enter submits.
  form.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || isComposing(event) || isWriting(target)) return;
    if (!lettersOn() && !target.matches("[type=radio]")) return;
    const choice = choices[(digitOf(event, choices.length) ?? 0) - 1];
    if (!choice) return;
    event.preventDefault();
    choice.focus();
    choice.click();
  });
  $(`${name}-cancel`).addEventListener("click", () => dialog.close());

  return function open() {
    if (!mayOpen()) return false;
    block = page.block;
    form.reset();
    comment.value = commentOf?.() ?? "";
    problem.textContent = "";
    dialog.showModal();
    choices[0].focus();
    return true;
  };
}

/** @param {Page} page */
export function prepareSkip(page) {
  return prepareChoices("skip", page, {
    mayOpen: () => page.canSkip(),
    lackOf: (reason) => (reason ? null : "choice_wanted"),
    take: (block, reason, comment) => page.skip(block, { reason, comment }),
    // Only one comment is stored.
    commentOf: () => page.block?.comment ?? "",
  });
}

// The block must still be judged or skipped.
/** @param {Page} page @param {Outbox} outbox */
export function prepareReport(page, outbox) {
  return prepareChoices("report", page, {
    mayOpen: () => Boolean(page.block),
    lackOf(kind, comment) {
      if (!kind) return "choice_wanted";
      return kind === "other" && !comment ? "words_wanted" : null;
    },
    take(block, kind, comment) {
      outbox.add("problem-reports", block.id, { kind, comment });
      page.note(say("reported"));
    },
  });
}

// An unsaved change to an earlier sentence must be saved or discarded before another is shown. Returns the action of
// Escape: from the comment to the outputs, or from an earlier sentence back to work.
/** @param {Page} page */
export function prepareRevision(page) {
  const dialog = $("unsent-dialog");
  /** @type {Block | null} */
  let block = null;
  // The block the judge wants to see; undefined is the next one.
  /** @type {Block | undefined} */
  let to;

  /** @param {Block} [goingTo] */
  function discard(goingTo) {
    const revised = /** @type {Block} */ (page.block);
    page.queue.restore(revised);
    page.drafts.remove(revised.id);
    page.goTo(goingTo, say("discarded"));
  }

  page.addEventListener("unsent", ({ detail }) => {
    block = page.block;
    to = detail.to;
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (page.block !== block) return;
    if (dialog.returnValue === "save") page.submit(to);
    else if (dialog.returnValue === "discard") discard(to);
  });
  $("discard").addEventListener("click", () => discard());
  // The browser asks before the page is closed.
  addEventListener("beforeunload", (event) => {
    if (page.isUnsent() || page.unfinished) event.preventDefault();
  });

  return function escape() {
    if (!page.block) return false;
    if (page.view.closeComment()) page.screen?.resume();
    else if (page.block.state !== "open") page.leave();
    else return false;
    return true;
  };
}

// The list of keys: those that do something now.
/** @param {Page} page */
export function prepareKeys(page) {
  return function open() {
    const { keys } = page;
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-keys]"))) {
      row.hidden = !keys.includes(row.dataset.keys ?? "");
    }
    for (const count of document.querySelectorAll("[data-count]")) count.textContent = String(page.block?.candidates.length ?? "");
    $("keys-dialog").showModal();
  };
}

// A judge who sees other texts, such as their translations, must not judge them. The answer is kept across the reload.
/** @param {Page} page */
export function prepareAltered(page) {
  const dialog = $("altered-dialog");
  page.addEventListener("altered", () => {
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => dialog.returnValue === "reload" && location.reload());
}

// The judge's text size and spacing, stored on the device.

/** @param {"text-size" | "spacing"} name */
function prepareChoice(name) {
  const key = `quintet/${name}`;
  const choice = $(name);
  const show = () => document.documentElement.setAttribute(`data-${name}`, choice.value);
  choice.value = store.get(key) ?? "";
  show();
  choice.addEventListener("change", () => {
    store.put(key, choice.value);
    show();
  });
}

export function prepareSettings() {
  prepareChoice("text-size");
  prepareChoice("spacing");
  $("show-settings").addEventListener("click", () => $("settings-dialog").showModal());
}
