// Feedback after a practice sentence: whether the answer was as expected, and why. One dialog at a time.

import { build, setText } from "../block.js";
import { letterOf } from "../keys.js";
import { say } from "../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

export class Feedback {
  /** @type {(PracticeFeedback & { block: Block })[]} */
  #waiting = [];

  /** @param {Queue} queue */
  constructor(queue) {
    this.queue = queue;
    $("feedback-dialog").addEventListener("close", () => this.#next());
  }

  /** @param {OutboxEvents["sent"]} detail */
  answered({ item, answer }) {
    const block = this.queue.find(item.body.block);
    if (!block) return;
    this.#waiting.push({ block, ...answer.feedback });
    this.#next();
  }

  #next() {
    // Do not cover an open dialog; try again when it closes.
    const open = document.querySelector("dialog[open]");
    if (open) open.addEventListener("close", () => this.#next(), { once: true });
    else this.#show(this.#waiting.shift());
  }

  /** @param {(PracticeFeedback & { block: Block }) | undefined} feedback */
  #show(feedback) {
    if (!feedback) return;
    const { block, agrees, expected, explanation } = feedback;
    $("feedback-title").textContent = say(agrees ? "practice_agrees" : "practice_differs");
    $("feedback-order").textContent = say("practice_expected", { order: expected });
    $("feedback-explanation").textContent = explanation;
    $("feedback-texts").replaceChildren(
      ...[...expected.matchAll(/[A-Z]/g)].map(([letter]) => {
        // The server only names letters of the block.
        const candidate = /** @type {Candidate} */ (
          block.candidates.find((_, index) => letterOf(index) === letter)
        );
        const words = setText(build("span", { className: "reading" }), candidate);
        return build("li", {}, build("b", {}, letter), " ", words);
      }),
    );
    $("feedback-dialog").showModal();
  }
}
