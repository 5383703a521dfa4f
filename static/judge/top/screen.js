// Top or not: a row for each output with a button that marks it as top, or two that mark it as the best or the worst; Enter
// submits.

import { announce } from "../announce.js";
import { marked, questionAbout, unmarked, writeText } from "../block.js";
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

  /** @param {Page} page */
  constructor(page) {
    super();
    this.page = page;
  }

  get #isBestWorst() {
    return Boolean(this.page.queue.hits.get(this.block.hit).rules.best_worst);
  }

  get question() {
    return questionAbout(this.block, this.#isBestWorst ? "best_worst_question" : "top_question");
  }

  /** @param {Block<TopAnswer>} block */
  show(block) {
    this.arrange(block, (index) => this.#make(index));
    const marks = this.#isBestWorst ? "best-worst" : "top";
    $("outputs").dataset.marks = marks;
  }

  get keys() {
    return [this.#isBestWorst ? "best-worst" : "top", "top-rows"];
  }

  /** @param {number} index */
  #make(index) {
    const row = $("top-row-template").content.firstElementChild.cloneNode(true);
    const [box, worst] = row.querySelectorAll("input");
    const [key, keyOfWorst] = row.querySelectorAll("kbd");
    key.textContent = String(index + 1);
    keyOfWorst.textContent = `⇧${index + 1}`;
    box.setAttribute("aria-keyshortcuts", String(index + 1));
    worst.setAttribute("aria-keyshortcuts", `Shift+${index + 1}`);
    row.addEventListener("click", (event) => this.page.isUnread(event) && event.preventDefault());
    box.addEventListener("change", () => this.#mark(index, box.checked));
    worst.addEventListener("change", () => this.#choose(index, "worst", worst.checked));
    return row;
  }

  showAnswer() {
    const { answer } = this.block;
    const begun = topOrNot.begun(answer);
    this.rows.forEach((row, index) => {
      const [box, worst] = row.querySelectorAll("input");
      box.checked = answer.top[index];
      worst.checked = answer.worst === index;
    });
    if (begun) this.markWanting([]);
  }

  /** @param {Run[][] | null} marks */
  showDifferences(marks) {
    const runs = marks ?? unmarked(this.block.candidates);
    const { candidates } = this.block;
    this.rows.forEach((row, index) => writeText(row.querySelector(".row-text"), candidates[index], runs[index].map(marked)));
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
    if (this.#isBestWorst) return this.#choose(index, "best", isTop);
    this.block.answer.top[index] = isTop;
    this.page.answered();
  }

  /** @param {number} index @param {"best" | "worst"} mark @param {boolean} isMarked */
  #choose(index, mark, isMarked) {
    this.block.answer = topOrNot.chosen(this.block.answer, index, mark, isMarked);
    this.page.answered();
  }

  // The focus does not move, so that no text is read again.
  /** @param {number} index @param {boolean} isForWorst */
  #toggle(index, isForWorst) {
    const { top, worst } = this.block.answer;
    const isMarked = isForWorst ? worst !== index : !top[index];
    const mark = isForWorst ? "worst" : this.#isBestWorst ? "best" : "top";
    if (isForWorst) this.#choose(index, "worst", isMarked);
    else this.#mark(index, isMarked);
    this.rows[index].scrollIntoView({ block: "nearest" });
    announce(say(isMarked ? `${mark}_on` : "top_off", { letter: letterOf(index) }));
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
    const isForWorst = event.shiftKey && this.#isBestWorst;
    return () => event.repeat || this.page.isUnread(event) || this.#toggle(digit - 1, isForWorst);
  }

  /** @param {string} letter */
  letter(letter) {
    return letter in STEPS ? () => this.#move(STEPS[letter]) : null;
  }
}
