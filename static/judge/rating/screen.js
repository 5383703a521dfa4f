// One output and its rating: digits rate, Enter submits.

import { build, heardOf, lengthOf, setText } from "../block.js";
import { digitOf } from "../keys.js";
import { BarScreen } from "../later/bar.js";
import { labelled, say } from "../words.js";
import * as rating from "./answer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

const BEST = 5;
const WORST = 1;

/** @type {AnswerOf<RatingAnswer>} */
export const answers = rating;

/** @param {Page} page */
export const open = (page) => new RatingScreen(page);

/** @param {"rating-output-template" | "rating-scale-template"} id @returns {HTMLElement} */
const made = (id) => $(id).content.firstElementChild.cloneNode(true);

/** @extends {BarScreen<RatingAnswer>} @implements {ProtocolScreen<RatingAnswer>} */
class RatingScreen extends BarScreen {
  answers = answers;
  submitsAtOnce = false;
  isOfOneOutputAlone = true;
  #output = made("rating-output-template");

  /** @param {Page} page */
  constructor(page) {
    super(page, made("rating-scale-template"));
    for (const each of this.#radios) each.addEventListener("change", () => this.rate(Number(each.value)));
    this.bar.addEventListener("click", (event) => this.page.isUnread(event) && event.preventDefault());
  }

  // The legend is the question.
  nameBar() {
    this.bar.removeAttribute("aria-label");
  }

  get #radios() {
    return /** @type {HTMLInputElement[]} */ ([...this.bar.querySelectorAll("input")]);
  }

  get #language() {
    return this.hit.languages.target.name;
  }

  get question() {
    return say(this.#asked.question, { language: this.#language });
  }

  get #asked() {
    return rating.asked(this.hit.rules);
  }

  enter() {
    $("rows").replaceChildren(this.#output, this.bar);
  }

  /** @param {Block<RatingAnswer>} block */
  show(block) {
    this.block = block;
    setText(/** @type {HTMLElement} */ (this.#output.querySelector(".rating-text")), block.candidates[0]);
    $("outputs").dataset.length = lengthOf(block);
    /** @type {HTMLElement} */ (this.bar.querySelector("legend")).textContent = this.question;
    this.#namePoints();
    this.want(false);
  }

  // Only the ends have names on the page; the list of keys, and a mouse over a point, explain all.
  #namePoints() {
    /** @param {string | number} value */
    const nameOf = (value) => say(`${this.#asked.points}_${value}`, { language: this.#language });
    for (const { value, labels } of this.#radios) {
      const [label] = labels ?? [];
      if (label instanceof HTMLElement) label.title = nameOf(value);
    }
    /** @type {HTMLElement} */ (this.bar.querySelector(".best-points")).textContent = nameOf(BEST);
    /** @type {HTMLElement} */ (this.bar.querySelector(".worst-points")).textContent = nameOf(WORST);
    const points = this.#radios.map(({ value }) => build("li", { value: Number(value) }, nameOf(value)));
    $("points-help").replaceChildren(...points);
  }

  showAnswer() {
    const { value } = this.block.answer;
    for (const each of this.#radios) each.checked = Number(each.value) === value;
    if (value) this.want(false);
  }

  // Announces the text to compare with, the output, then the question.
  /** @param {string} words */
  introduce(words) {
    const references = this.block.references.map(({ text }) => labelled(say("reference"), text));
    const heard = [words, ...references, heardOf(this.block.candidates[0]), this.question];
    this.hear(heard);
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    const chosen = this.#radios.find((each) => each.checked);
    (chosen ?? this.bar).focus(options);
  }

  // --- Points ------------------------------------------------------------------------------------

  /** @param {number} value */
  rate(value) {
    this.block.answer.value = value;
    this.showAnswer();
    this.page.answered();
    return true;
  }

  /** @param {number} value @param {KeyboardEvent} event */
  #byKey(value, event) {
    if (this.page.isUnread(event)) return true;
    this.rate(value);
    this.focus();
    return true;
  }

  // --- Keys --------------------------------------------------------------------------------------

  /** @param {Pressed} event */
  single(event) {
    const digit = digitOf(event);
    if (!digit || event.shiftKey) return null;
    return () => event.repeat || this.#byKey(digit, event);
  }
}
