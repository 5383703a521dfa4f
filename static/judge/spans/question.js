// Whether a score that contradicts the errors is meant: asked once of each sentence, and never refused.

import { sayPhrase } from "../words.js";
import { questions } from "./contradictions.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const dialog = $("spans-dialog");

export class Question {
  // What was asked of each block.
  /** @type {Map<string, Set<string>>} */
  #asked = new Map();

  // Whether there is something to ask; `keep` or `change(output)` follows then.
  /**
   * @param {Block<SpansAnswer>} block
   * @param {ContradictionRule} rule
   * @param {{ keep: () => void, change: (output: number) => void }} calls
   */
  ask(block, rule, { keep, change }) {
    const asked = this.#asked.get(block.id) ?? new Set();
    this.#asked.set(block.id, asked);
    const found = questions(block.answer, rule).filter(({ id }) => !asked.has(id));
    if (!found.length) return false;
    for (const { id } of found) asked.add(id);
    $("spans-asked").replaceChildren(
      ...found.map(({ phrase }) => {
        const words = document.createElement("p");
        words.textContent = sayPhrase(phrase);
        return words;
      }),
    );
    dialog.returnValue = "";
    dialog.addEventListener("close", () => (dialog.returnValue === "keep" ? keep() : change(found[0].output)), { once: true });
    dialog.showModal();
    return true;
  }
}
