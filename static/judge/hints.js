// What a judge can learn on the way: one line at the foot with a new sentence, once on this device, and not at all where
// the judge has done the same already. It asks for nothing, and goes with the answer.

import { lettersOn } from "./keys.js";
import * as store from "./store.js";
import { say } from "./words.js";

const touch = matchMedia("(pointer: coarse)");

/** @param {Page} page */
const isLater = (page) => Boolean(page.queue.before(page.block));
/** @param {Page} page */
const isRanking = ({ block, queue }) => Boolean(block) && queue.hits.get(/** @type {Block} */ (block).hit).protocol === "ranking";
/** @param {Page} page */
const hasTools = (page) => isLater(page) && !page.screen?.isOfOneOutputAlone;
const hasKeys = () => !touch.matches && lettersOn();

// In the order in which they are shown, each with where it applies.
/** @type {Record<string, (page: Page) => boolean>} */
const HINTS = {
  ranks: isRanking,
  back: isLater,
  ties: (page) => isLater(page) && isRanking(page),
  skip: isLater,
  differences: hasTools,
  context: hasTools,
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
  get #known() {
    return store.get(this.key) ?? [];
  }

  // What the judge was shown, or has done.
  /** @param {string} name */
  learn(name) {
    const known = this.#known;
    if (!known.includes(name)) store.put(this.key, [...known, name]);
  }

  // For the block shown; keys stand in brackets. Empty if there is none.
  next() {
    if (this.page.block?.state !== "open") {
      this.learn("back");
      return "";
    }
    const known = this.#known;
    const name = Object.keys(HINTS).find((each) => !known.includes(each) && HINTS[each](this.page));
    if (!name) return "";
    this.learn(name);
    return say(hasKeys() ? `hint_${name}` : `hint_${name}_touch`);
  }
}
