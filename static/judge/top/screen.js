// Top or not: a row for each output with a button that marks it as top; Enter submits.

import { announce } from "../announce.js";
import { marked, unmarked } from "../block.js";
import { digitOf, letterOf, STEPS } from "../keys.js";
import { OutputRows } from "../rows.js";
import { say } from "../words.js";
import * as topOrNot from "./answer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @type {AnswerOf<TopAnswer>} */
export const answers = topOrNot;

/** @param {Page} page */
export const open = (page) => new TopScreen(page);

/** @extends {OutputRows<TopAnswer>} @implements {ProtocolScreen<TopAnswer>} */
class TopScreen extends OutputRows {
  answers = answers;
  submitsAtOnce = false;
  question = say("top_question");

  /** @param {Page} page */
  constructor(page) {
    super();
    this.page = page;
  }

  /** @param {Block<TopAnswer>} block */
  show(block) {
    this.arrange(block, (index) => this.#make(index));
  }

  /** @param {number} index */
  #make(index) {
    const row = $("top-row-template").content.firstElementChild.cloneNode(true);
    const box = row.querySelector("input");
    row.querySelector("kbd").textContent = String(index + 1);
    box.setAttribute("aria-keyshortcuts", String(index + 1));
    row.addEventListener("click", (event) => this.page.isUnread(event) && event.preventDefault());
    box.addEventListener("change", () => this.#mark(index, box.checked));
    return row;
  }

  showAnswer() {
    const { answer } = this.block;
    const begun = topOrNot.begun(answer);
    this.rows.forEach((row, index) => (row.querySelector("input").checked = answer.top[index]));
    if (begun) this.markWanting([]);
  }

  /** @param {Run[][] | null} marks */
  showDifferences(marks) {
    const runs = marks ?? unmarked(this.block.candidates);
    this.rows.forEach((row, index) => row.querySelector(".row-text").replaceChildren(...runs[index].map(marked)));
  }

  /** @param {string} words */
  introduce(words) {
    this.introduceRow(0, words);
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.focusRow(0, options);
  }

  resume() {
    this.focusRow(this.active);
  }

  refuse() {
    this.markWanting([...this.rows.keys()]);
    this.focus();
  }

  // --- Marks -------------------------------------------------------------------------------------

  /** @param {number} index @param {boolean} isTop */
  #mark(index, isTop) {
    this.block.answer.top[index] = isTop;
    this.page.answered();
  }

  // The focus does not move, so that no text is read again.
  /** @param {number} index */
  #toggle(index) {
    const isTop = !this.block.answer.top[index];
    this.#mark(index, isTop);
    this.rows[index].scrollIntoView({ block: "nearest" });
    announce(say(isTop ? "top_on" : "top_off", { letter: letterOf(index) }));
    return true;
  }

  /** @param {number} by */
  #move(by) {
    const target = this.neighbour(by);
    if (target !== null) this.focusRow(target);
    return true;
  }

  // --- Keys --------------------------------------------------------------------------------------

  /** @param {Pressed} event */
  arrow({ key }) {
    const by = STEPS[key];
    return by ? () => this.#move(by) : null;
  }

  /** @param {Pressed} event */
  single(event) {
    const digit = digitOf(event);
    if (!digit || digit > this.rows.length) return null;
    // Holding the key must not mark and unmark.
    return () => event.repeat || this.page.isUnread(event) || this.#toggle(digit - 1);
  }

  /** @param {string} letter */
  letter(letter) {
    return letter in STEPS ? () => this.#move(STEPS[letter]) : null;
  }
}
