// A row for each output: its text, what it is called, and which of them the judge is at.

import { heardOf, lengthOf, setText } from "./block.js";
import { letterOf } from "./keys.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// The same rows for block after block: for new ones the browser would have twice the work.
/** @template OneAnswer */
export class OutputRows {
  /** @type {HTMLElement[]} */
  rows = [];
  active = 0;
  block = /** @type {Block<OneAnswer>} */ (/** @type {unknown} */ (null));
  // All there ever were, by place.
  /** @type {HTMLElement[]} */
  #made = [];
  // What each is called, as long as it is not introduced with more.
  /** @type {string[]} */
  #names = [];

  // `makeRow(index)` where there is none yet.
  /** @param {Block<OneAnswer>} block @param {(index: number) => HTMLElement} makeRow */
  arrange(block, makeRow) {
    this.block = block;
    this.rows = block.candidates.map((candidate, index) => {
      const row = (this.#made[index] ??= this.#prepared(makeRow(index), index));
      const letter = /** @type {HTMLElement} */ (row.querySelector(".row-letter"));
      setText(/** @type {HTMLElement} */ (row.querySelector(".row-text")), candidate);
      // In so many words: of a name put together from elements Orca says some twice, or in another order.
      this.#names[index] = `${letter.textContent} ${heardOf(candidate)}`;
      row.setAttribute("aria-label", this.#names[index]);
      row.classList.remove("wanting");
      return row;
    });
    const there = /** @type {HTMLElement[]} */ (Array.from($("rows").querySelectorAll(".row")));
    if (there.length !== this.rows.length || !this.rows.every((row) => there.includes(row))) {
      $("rows").replaceChildren(...this.rows);
    }
    $("outputs").dataset.length = lengthOf(block);
    this.activate(0);
  }

  /** @param {HTMLElement} row @param {number} index */
  #prepared(row, index) {
    /** @type {HTMLElement} */ (row.querySelector(".row-letter b")).textContent = letterOf(index);
    row.addEventListener("focusin", () => this.activate(index));
    row.addEventListener("focusout", () => row.setAttribute("aria-label", this.#names[index]));
    return row;
  }

  /** @param {number} index */
  activate(index) {
    this.active = index;
    this.rows.forEach((row, each) => row.classList.toggle("active", each === index));
  }

  // The next or the last as they stand on the page, which in tiers is not by letter.
  /** @param {number} by */
  neighbour(by) {
    /** @type {HTMLElement[]} */
    const shown = Array.from($("rows").querySelectorAll(".row"));
    const row = shown[shown.indexOf(this.rows[this.active]) + by];
    return row ? this.rows.indexOf(row) : null;
  }

  /** @param {number} index @param {FocusOptions} [options] */
  focusRow(index, options) {
    const row = this.rows[index];
    const input = /** @type {HTMLElement} */ (row.querySelector("input:checked") ?? row.querySelector("input"));
    this.activate(index);
    input.focus({ preventScroll: true, ...options });
    if (!options?.preventScroll) row.scrollIntoView({ block: "nearest" });
  }

  // Said with the output that gets the focus next: an announcement would come after it, and nobody can
  // judge an output before its source.
  /** @param {number} index @param {string} words */
  introduceRow(index, words) {
    const row = this.rows[index];
    const at = /** @type {HTMLElement | null} */ (document.activeElement);
    // Where the focus is already, nothing would be said.
    if (row.contains(at)) at?.blur();
    row.setAttribute("aria-label", `${words} ${this.#names[index]}`);
  }

  /** @param {number[]} indices */
  markWanting(indices) {
    this.rows.forEach((row, index) => row.classList.toggle("wanting", indices.includes(index)));
  }
}
