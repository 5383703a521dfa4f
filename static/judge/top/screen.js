// Top or not: a row with a button for each output, which marks it as top; Enter submits.

import { announce } from "../announce.js";
import { heardOf, lengthOf, marked, setText } from "../block.js";
import { differences } from "../differences.js";
import { digitOf, letterOf } from "../keys.js";
import { say } from "../words.js";
import * as topOrNot from "./answer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
/** @type {Record<string, number>} */
const ARROWS = { ArrowUp: -1, ArrowDown: 1 };

/** @type {AnswerOf<TopAnswer>} */
export const answers = topOrNot;

/** @param {Page} page */
export const open = (page) => new TopScreen(page);

/** @implements {ProtocolScreen<TopAnswer>} */
class TopScreen {
  answers = answers;
  submitsAtOnce = false;
  question = say("top_question");
  block = /** @type {Block<TopAnswer>} */ (/** @type {unknown} */ (null));
  // Those of the block, and all there ever were, by place.
  /** @type {HTMLElement[]} */
  #rows = [];
  /** @type {HTMLElement[]} */
  #made = [];
  // What each is called, as long as it is not introduced with more.
  /** @type {string[]} */
  #names = [];
  #active = 0;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /** @param {Block<TopAnswer>} block */
  show(block) {
    this.block = block;
    this.#rows = block.candidates.map((candidate, index) => {
      const row = (this.#made[index] ??= this.#make(index));
      setText(row.querySelector(".row-text"), candidate);
      // In so many words: of a name put together from elements Orca says some twice, or in another order.
      this.#names[index] = `${row.querySelector(".row-letter").textContent} ${heardOf(candidate)}`;
      row.setAttribute("aria-label", this.#names[index]);
      row.classList.remove("wanting");
      return row;
    });
    $("rows").replaceChildren(...this.#rows);
    $("outputs").dataset.length = lengthOf(block);
    this.#activate(0);
  }

  /** @param {number} index */
  #make(index) {
    const row = $("top-row-template").content.firstElementChild.cloneNode(true);
    const box = row.querySelector("input");
    row.querySelector(".row-letter b").textContent = letterOf(index);
    row.querySelector("kbd").textContent = String(index + 1);
    box.setAttribute("aria-keyshortcuts", String(index + 1));
    row.addEventListener("click", (event) => this.page.isUnread(event) && event.preventDefault());
    box.addEventListener("change", () => this.#mark(index, box.checked));
    row.addEventListener("focusin", () => this.#activate(index));
    row.addEventListener("focusout", () => row.setAttribute("aria-label", this.#names[index]));
    return row;
  }

  /** @param {number} index */
  #activate(index) {
    this.#active = index;
    this.#rows.forEach((row, each) => row.classList.toggle("active", each === index));
  }

  showAnswer() {
    const { answer } = this.block;
    const begun = topOrNot.begun(answer);
    this.#rows.forEach((row, index) => {
      row.querySelector("input").checked = answer.top[index];
      if (begun) row.classList.remove("wanting");
    });
  }

  /** @param {boolean} on */
  showDifferences(on) {
    const { candidates } = this.block;
    const runs = on ? differences(candidates) : candidates.map(({ text }) => [{ text, differs: false }]);
    this.#rows.forEach((row, index) => row.querySelector(".row-text").replaceChildren(...runs[index].map(marked)));
  }

  // Said with the output that gets the focus next: nobody can judge an output before its source.
  /** @param {string} words */
  introduce(words) {
    const [row] = this.#rows;
    const at = /** @type {HTMLElement | null} */ (document.activeElement);
    // Where the focus is already, nothing would be said.
    if (row.contains(at)) at?.blur();
    row.setAttribute("aria-label", `${words} ${this.#names[0]}`);
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#focusRow(0, options);
  }

  resume() {
    this.#focusRow(this.#active);
  }

  refuse() {
    for (const row of this.#rows) row.classList.add("wanting");
    this.focus();
  }

  /** @param {number} index @param {FocusOptions} [options] */
  #focusRow(index, options) {
    const row = this.#rows[index];
    row.querySelector("input").focus({ preventScroll: true, ...options });
    if (!options?.preventScroll) row.scrollIntoView({ block: "nearest" });
  }

  // --- Marks -------------------------------------------------------------------------------------

  /** @param {number} index @param {boolean} isTop */
  #mark(index, isTop) {
    this.block.answer.top[index] = isTop;
    this.page.answered();
  }

  // The focus stays where it is, so that no text is read again.
  /** @param {number} index */
  #toggle(index) {
    const isTop = !this.block.answer.top[index];
    this.#mark(index, isTop);
    this.#rows[index].scrollIntoView({ block: "nearest" });
    announce(say(isTop ? "top_on" : "top_off", { letter: letterOf(index) }));
    return true;
  }

  /** @param {number} by */
  #move(by) {
    if (this.#rows[this.#active + by]) this.#focusRow(this.#active + by);
    return true;
  }

  // --- Keys --------------------------------------------------------------------------------------

  /** @param {Pressed} event */
  arrow({ key }) {
    const by = ARROWS[key];
    return by ? () => this.#move(by) : null;
  }

  /** @param {Pressed} event */
  single(event) {
    const digit = digitOf(event);
    if (!digit || digit > this.#rows.length) return null;
    // A key held down must not mark and unmark.
    return () => event.repeat || this.page.isUnread(event) || this.#toggle(digit - 1);
  }

  /** @param {string} letter */
  letter(letter) {
    if (letter === "j") return () => this.#move(1);
    return letter === "k" ? () => this.#move(-1) : null;
  }
}
