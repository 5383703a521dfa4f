// A row for each output, with its text and name, and the active row.

import { heardOf, lengthOf, setText } from "./block.js";
import { letterOf } from "./keys.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// Rows are reused between blocks, which halves the browser's work.
/** @template OneAnswer */
export class OutputRows {
  /** @type {HTMLElement[]} */
  rows = [];
  active = 0;
  block = /** @type {Block<OneAnswer>} */ (/** @type {unknown} */ (null));
  // All rows created so far, by position.
  /** @type {HTMLElement[]} */
  #pool = [];
  // The default name of each row.
  /** @type {string[]} */
  #names = [];

  // Calls `makeRow(index)` for missing rows.
  /** @param {Block<OneAnswer>} block @param {(index: number) => HTMLElement} makeRow */
  arrange(block, makeRow) {
    this.block = block;
    this.rows = block.candidates.map((candidate, index) => {
      const row = (this.#pool[index] ??= this.#prepared(makeRow(index), index));
      const letter = /** @type {HTMLElement} */ (row.querySelector(".row-letter"));
      setText(/** @type {HTMLElement} */ (row.querySelector(".row-text")), candidate);
      // Explicit, because Orca repeats or reorders parts of names computed from elements.
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
    this.rows.forEach((row, rowIndex) => row.classList.toggle("active", rowIndex === index));
  }

  // The next or previous row on the page; tiers are not ordered by letter.
  /** @param {number} by */
  neighbour(by) {
    /** @type {HTMLElement[]} */
    const visible = Array.from($("rows").querySelectorAll(".row"));
    const row = visible[visible.indexOf(this.rows[this.active]) + by];
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

  // Words announced with the output that gets the focus next; a separate announcement would come after it, but the source
  // must come first.
  /** @param {number} index @param {string} words */
  introduceRow(index, words) {
    const row = this.rows[index];
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    // Screen readers say nothing if the focus does not move.
    if (row.contains(focused)) focused?.blur();
    row.setAttribute("aria-label", `${words} ${this.#names[index]}`);
  }

  /** @param {number[]} indices */
  markWanting(indices) {
    this.rows.forEach((row, index) => row.classList.toggle("wanting", indices.includes(index)));
  }
}
