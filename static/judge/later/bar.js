// Bases for screens on which one element has the focus while nothing is chosen: it is announced with the question, and
// digits work there.

import { digitOf } from "../keys.js";
import { say } from "../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @template OneAnswer */
export class BarScreen {
  block = /** @type {Block<OneAnswer>} */ (/** @type {unknown} */ (null));

  // The bar is the root itself, or found in it by the selector.
  /** @param {Page} page @param {HTMLElement} root @param {string} [selector] */
  constructor(page, root, selector) {
    this.page = page;
    this.root = root;
    this.bar = selector ? /** @type {HTMLElement} */ (root.querySelector(selector)) : root;
    // The words of `hear` are heard once.
    this.bar.addEventListener("focusout", ({ target }) => target === this.bar && this.nameBar());
  }

  get hit() {
    return this.page.queue.hits.get(this.block.hit);
  }

  // The names of its keys.
  /** @returns {string[]} */
  get keys() {
    return [];
  }

  // The question, in one line.
  get question() {
    return "";
  }

  // Its default name.
  nameBar() {
    this.bar.setAttribute("aria-label", this.question);
  }

  /** @param {string[]} words */
  hear(words) {
    // Screen readers say nothing if the focus does not move.
    if (document.activeElement === this.bar) this.bar.blur();
    this.bar.setAttribute("aria-label", words.join(" "));
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.bar.focus(options);
  }

  resume() {
    this.focus();
  }

  /** @param {boolean} wanting */
  want(wanting) {
    this.root.classList.toggle("wanting", wanting);
  }

  refuse() {
    this.want(true);
    this.resume();
  }

  // The browser's default: arrows move between focused answers.
  /** @param {Pressed} _event @returns {Action | null} */
  arrow(_event) {
    return null;
  }

  // Letters of the page.
  /** @param {string} _letter @param {Pressed} _event @returns {Action | null} */
  letter(_letter, _event) {
    return null;
  }
}

// Each answer is a button of the bar.
/** @template OneAnswer @extends {BarScreen<OneAnswer>} */
export class ButtonScreen extends BarScreen {
  // The answers on offer with their digits, in the order of the buttons.
  /** @type {(readonly [string, number])[]} */
  choices = [];
  // The beginning of the keys of their words.
  key = "";

  /** @param {string} _choice @param {UIEvent} _event */
  choose(_choice, _event) {
    return true;
  }

  /** @param {string} choice */
  wordOf(choice) {
    return say(`${this.key}_${choice}`);
  }

  /** @param {(readonly [string, number])[]} choices */
  offer(choices) {
    if (choices === this.choices) return;
    this.choices = choices;
    this.bar.replaceChildren(...choices.map(([choice, digit]) => this.#makeButton(choice, digit)));
  }

  /** @param {string} choice @param {number} digit */
  #makeButton(choice, digit) {
    const button = $("answer-template").content.firstElementChild.cloneNode(true);
    button.dataset.choice = choice;
    button.setAttribute("aria-keyshortcuts", String(digit));
    button.querySelector("kbd").textContent = String(digit);
    button.querySelector(".answer-word").textContent = this.wordOf(choice);
    button.addEventListener("click", (event) => this.choose(choice, event));
    return button;
  }

  /** @param {string | null} chosen */
  press(chosen) {
    for (const button of /** @type {HTMLElement[]} */ ([...this.bar.children])) {
      const isPressed = button.dataset.choice === chosen;
      if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", String(isPressed));
      button.classList.toggle("chosen", isPressed);
    }
    if (chosen) this.want(false);
  }

  // Holding the key must not answer several sentences.
  /** @param {string} choice @param {Pressed} event */
  choosing(choice, event) {
    return this.choices.some(([value]) => value === choice) ? () => event.repeat || this.choose(choice, event) : null;
  }

  /** @param {Pressed} event */
  single(event) {
    const digit = digitOf(event);
    const [choice] = this.choices.find(([, key]) => key === digit) ?? [];
    return choice ? this.choosing(choice, event) : null;
  }
}
