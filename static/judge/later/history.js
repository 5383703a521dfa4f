// The judge's own judgments, latest first; selecting one opens it for revision.

import { cursorAfter } from "../api.js";
import { build, setText } from "../block.js";
import { protocolOf } from "../screens.js";
import { LOCALE, reasonOf, say, sayPhrase } from "../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const when = new Intl.DateTimeFormat(LOCALE, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
});

/** @param {LentBlock} block @param {AnswerOf} answers @param {Rules} rules */
function saidOf({ judgment, skip_reason: reason, candidates }, answers, rules) {
  if (!judgment) return say("skipped", { reason: reasonOf(reason) });
  return sayPhrase(answers.summary(answers.read(judgment, candidates.length), rules));
}

export class History {
  /** @type {string | null} */
  #next = null;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.api = page.api;
    this.queue = page.queue;
    this.outbox = page.outbox;
    this.dialog = $("history-dialog");
    $("history-more").addEventListener("click", () => this.#load());
  }

  async open() {
    $("history-list").replaceChildren();
    this.#next = null;
    this.dialog.showModal();
    // Wait for unsent judgments if they can be sent; otherwise show the rest.
    if (this.outbox.state === "idle" || this.outbox.state === "sending") await this.outbox.emptied();
    await this.#load();
  }

  async #load() {
    const first = !this.#next;
    $("history-more").hidden = true;
    this.#say(say("history_loading"));
    let answer;
    try {
      answer = await this.api.history(this.#next);
    } catch {
      return this.#say(say("part_missing"));
    }
    if (answer.status !== 200) return this.#say(say("unreachable"));
    /** @type {{ results: JudgedBlock[], next: string | null, has_older: boolean }} */
    const { results, has_older: hasOlder } = answer.data;
    const lacks = await Promise.all(results.map((row) => this.queue.screens.load(protocolOf(row))));
    if (lacks.some(Boolean)) return this.#say(say("unreachable"));
    this.#next = cursorAfter(answer.data);
    $("history-more").hidden = !this.#next;
    const none = first && !results.length ? say("history_none") : "";
    this.#say(hasOlder && !this.#next ? say("history_earlier") : none);
    const items = results.map((row) => this.#item(row));
    $("history-list").append(...items);
    items[0]?.querySelector("button").focus();
  }

  /** @param {JudgedBlock} row */
  #item(row) {
    const { block } = row;
    const summary = saidOf(block, this.queue.screens.answersOf(protocolOf(row)), row.rules);
    const button = build(
      "button",
      { type: "button", className: "past" },
      setText(build("span", { className: "past-text reading" }), block.source ?? block.candidates[0]),
      build("span", { className: "past-order" }, summary),
      build("span", { className: "past-when quiet" }, when.format(new Date(row.judged_at))),
    );
    button.addEventListener("click", () => this.#reopen(row));
    return build("li", {}, button);
  }

  /** @param {JudgedBlock} row */
  #reopen(row) {
    this.dialog.close();
    // Orca does not announce a focus that moves while the dialog is being removed.
    setTimeout(() => this.page.leave(this.queue.reopen(row)), 50);
  }

  /** @param {string} words */
  #say(words) {
    $("history-state").textContent = words;
  }
}
