// Hints: one line at the bottom with a new sentence, shown once per device, and never for what the judge already does. It
// disappears with the answer.

import { lettersOn } from "./keys.js";
import * as store from "./store.js";
import { say } from "./words.js";

const touch = matchMedia("(pointer: coarse)");

/** @param {Page} page */
const isLater = (page) => Boolean(page.queue.before(page.block));
/** @param {Page} page */
const isRanking = ({ block, queue }) => Boolean(block) && queue.hits.get(/** @type {Block} */ (block).hit).protocol === "ranking";
/** @param {"differences" | "context"} tool @returns {(page: Page) => boolean} */
const hasTool = (tool) => (page) => isLater(page) && !document.getElementById(tool).hidden;
const hasKeys = () => !touch.matches && lettersOn();

// In display order, each with its condition.
/** @type {Record<string, (page: Page) => boolean>} */
const HINTS = {
  ranks: isRanking,
  back: isLater,
  ties: (page) => isLater(page) && isRanking(page),
  skip: isLater,
  differences: hasTool("differences"),
  context: hasTool("context"),
  comment: isLater,
  keys: (page) => isLater(page) && hasKeys(),
};

export class Hints {
  /** @param {Page} page @param {string} owner */
  constructor(page, owner) {
    this.page = page;
    this.key = `quintet/hints/${owner}`;
    page.addEventListener("done", ({ detail: { block, kind } }) => {
      const { labels = [] } = block.answer;
      if (kind === "skips") this.learn("skip");
      if (new Set(labels).size < labels.length) this.learn("ties");
    });
  }

  /** @returns {string[]} */
  get #names() {
    return store.get(this.key) ?? [];
  }

  // Remembers a hint that was shown or is not needed.
  /** @param {string} name */
  learn(name) {
    const names = this.#names;
    if (!names.includes(name)) store.put(this.key, [...names, name]);
  }

  // The hint for the current block, with keys in brackets, or an empty string.
  next() {
    if (this.page.block?.state !== "open") {
      this.learn("back");
      return "";
    }
    const names = this.#names;
    const name = Object.keys(HINTS).find((hint) => !names.includes(hint) && HINTS[hint](this.page));
    if (!name) return "";
    this.learn(name);
    return say(hasKeys() ? `hint_${name}` : `hint_${name}_touch`);
  }
}
