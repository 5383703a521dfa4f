// One output, and how many points it gets: a digit gives them, Enter submits.

import { heardOf, lengthOf, setText } from "../block.js";
import { digitOf } from "../keys.js";
import { say } from "../words.js";
import * as rating from "./answer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const UNUSED = "dc";

/** @type {AnswerOf<RatingAnswer>} */
export const answers = rating;

/** @param {Page} page */
export const open = (page) => new RatingScreen(page);

/** @param {"rating-output-template" | "rating-scale-template"} id @returns {HTMLElement} */
const made = (id) => $(id).content.firstElementChild.cloneNode(true);

/** @implements {ProtocolScreen<RatingAnswer>} */
class RatingScreen {
  answers = answers;
  submitsAtOnce = false;
  isOfOneOutputAlone = true;
  #output = made("rating-output-template");
  #scale = made("rating-scale-template");
  block = /** @type {Block<RatingAnswer>} */ (/** @type {unknown} */ (null));

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    for (const each of this.#radios) each.addEventListener("change", () => this.rate(Number(each.value)));
    this.#scale.addEventListener("click", (event) => this.page.isUnread(event) && event.preventDefault());
    // Words to be heard with it are heard once; then its question names it.
    this.#scale.addEventListener("focusout", ({ target }) => {
      if (target === this.#scale) this.#scale.removeAttribute("aria-label");
    });
  }

  get #radios() {
    return /** @type {HTMLInputElement[]} */ ([...this.#scale.querySelectorAll("input")]);
  }

  get #language() {
    return this.page.queue.hits.get(this.block.hit).languages.target.name;
  }

  get question() {
    return say(this.#asked.question, { language: this.#language });
  }

  get #asked() {
    return rating.asked(this.page.queue.hits.get(this.block.hit).rules);
  }

  enter() {
    $("rows").replaceChildren(this.#output, this.#scale);
  }

  /** @param {Block<RatingAnswer>} block */
  show(block) {
    this.block = block;
    setText(/** @type {HTMLElement} */ (this.#output.querySelector(".rating-text")), block.candidates[0]);
    $("outputs").dataset.length = lengthOf(block);
    const { best, worst } = this.#asked;
    /** @type {(part: string, words: string) => void} */
    const put = (part, words) => {
      /** @type {HTMLElement} */ (this.#scale.querySelector(part)).textContent = words;
    };
    put("legend", this.question);
    put(".best-points", say(best, { language: this.#language }));
    put(".worst-points", say(worst, { language: this.#language }));
    this.#scale.classList.remove("wanting");
  }

  showAnswer() {
    const { value } = this.block.answer;
    for (const each of this.#radios) each.checked = Number(each.value) === value;
    if (value) this.#scale.classList.remove("wanting");
  }

  // What it is compared with is heard before it, the question after.
  /** @param {string} words */
  introduce(words) {
    const references = this.block.references.map(({ text }) => `${say("reference")}: ${text}`);
    const heard = [words, ...references, heardOf(this.block.candidates[0]), this.question];
    // Where the focus is already, nothing would be said.
    if (document.activeElement === this.#scale) this.#scale.blur();
    this.#scale.setAttribute("aria-label", heard.join(" "));
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    const chosen = this.#radios.find((each) => each.checked);
    (chosen ?? this.#scale).focus(options);
  }

  resume() {
    this.focus();
  }

  refuse() {
    this.#scale.classList.add("wanting");
    this.focus();
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

  // They go from one point to the next where the focus is on one, as the browser has it.
  arrow() {
    return null;
  }

  /** @param {Pressed} event */
  single(event) {
    const digit = digitOf(event);
    if (!digit || event.shiftKey) return null;
    return () => event.repeat || this.#byKey(digit, event);
  }

  /** @param {string} letter */
  letter(letter) {
    return UNUSED.includes(letter) ? () => true : null;
  }
}
