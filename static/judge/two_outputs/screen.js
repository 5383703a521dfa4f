// Two outputs side by side: which is better? One key answers and submits.

import { announce } from "../announce.js";
import { heardOf, lengthOf, marked, setText } from "../block.js";
import { differences } from "../differences.js";
import { digitOf, letterOf } from "../keys.js";
import { BarScreen, showKeys } from "../later/bar.js";
import { say } from "../words.js";
import * as twoOutputs from "./answer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
/** @type {Record<string, string>} */
const OUTPUTS = { a: "first", b: "second" };

/** @type {AnswerOf<TwoOutputsAnswer>} */
export const answers = twoOutputs;

/** @param {Page} page */
export const open = (page) => new TwoOutputsScreen(page);

const isRightToLeft = () => getComputedStyle($("rows")).direction === "rtl";

/** @param {number} index */
function makeOutput(index) {
  const output = $("two-outputs-template").content.firstElementChild.cloneNode(true);
  const name = say("output", { letter: letterOf(index) });
  output.setAttribute("aria-label", name);
  output.querySelector(".output-name").textContent = name;
  return output;
}

// Has the focus while nothing is chosen; not a button, so that an Enter meant for the previous sentence gives no answer.
function makeBar() {
  const bar = document.createElement("div");
  bar.className = "verdicts";
  bar.tabIndex = -1;
  // Screen readers pass digits and arrows to the page here.
  bar.setAttribute("role", "application");
  return bar;
}

/** @extends {BarScreen<TwoOutputsAnswer>} @implements {ProtocolScreen<TwoOutputsAnswer>} */
class TwoOutputsScreen extends BarScreen {
  answers = answers;
  submitsAtOnce = true;
  // Texts are above, at full width.
  layout = "columns";
  #outputs = [makeOutput(0), makeOutput(1)];
  // The verdicts that the block's rules allow, in the order of the buttons.
  /** @type {[Verdict, number][]} */
  #choices = [];

  /** @param {Page} page */
  constructor(page) {
    super(page, makeBar());
  }

  get question() {
    return say("which_is_better");
  }

  enter() {
    $("rows").replaceChildren(...this.#outputs, this.bar);
    const [start, end] = isRightToLeft() ? "→←" : "←→";
    for (const key of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-side]"))) {
      key.textContent = key.dataset.side === "start" ? start : end;
    }
  }

  /** @param {Block<TwoOutputsAnswer>} block */
  show(block) {
    this.block = block;
    block.candidates.forEach((candidate, index) => setText(this.#outputs[index].querySelector(".output-text"), candidate));
    $("outputs").dataset.length = lengthOf(block);
    this.#offer(twoOutputs.choicesOf(this.hit.rules));
    this.nameBar();
    this.want(false);
  }

  // Updates the buttons and the rows of the key list.
  /** @param {[Verdict, number][]} choices */
  #offer(choices) {
    showKeys("verdict", choices.map(([verdict]) => verdict));
    if (choices === this.#choices) return;
    this.#choices = choices;
    this.bar.replaceChildren(...choices.map(([verdict, digit]) => this.#makeButton(verdict, digit)));
  }

  /** @param {Verdict} verdict @param {number} digit */
  #makeButton(verdict, digit) {
    const button = $("verdict-template").content.firstElementChild.cloneNode(true);
    button.dataset.verdict = verdict;
    button.setAttribute("aria-keyshortcuts", String(digit));
    button.querySelector("kbd").textContent = String(digit);
    button.querySelector(".verdict-word").textContent = say(`verdict_${verdict}`);
    button.addEventListener("click", (event) => this.choose(verdict, event));
    return button;
  }

  get #buttons() {
    return /** @type {HTMLElement[]} */ ([...this.bar.children]);
  }

  get #chosen() {
    const { verdict } = this.block.answer;
    return this.#buttons.find((button) => button.dataset.verdict === verdict);
  }

  showAnswer() {
    const chosen = this.#chosen;
    for (const button of this.#buttons) button.setAttribute("aria-pressed", String(button === chosen));
    if (chosen) this.want(false);
  }

  /** @param {boolean} on */
  showDifferences(on) {
    const { candidates } = this.block;
    const runs = on ? differences(candidates) : candidates.map(({ text }) => [{ text, differs: false }]);
    this.#outputs.forEach((output, index) => output.querySelector(".output-text").replaceChildren(...runs[index].map(marked)));
  }

  // Announces both outputs; neither gets the focus.
  /** @param {string} words */
  introduce(words) {
    const texts = this.block.candidates.map((each, index) => `${say("output", { letter: letterOf(index) })}: ${heardOf(each)}`);
    const { verdict } = this.block.answer;
    this.hear([words, ...texts, verdict ? say(`verdict_${verdict}`) : this.question]);
  }

  // --- Verdicts ----------------------------------------------------------------------------------

  /** @param {Verdict} verdict @param {UIEvent} event */
  choose(verdict, event) {
    if (this.page.isUnread(event)) return true;
    this.block.answer.verdict = verdict;
    this.page.conclude(`${say(`verdict_${verdict}`)}.`);
    return true;
  }

  // Has an output read in its own language.
  /** @param {string} which */
  #read(which) {
    const index = which === "first" ? 0 : 1;
    announce(`${say("output", { letter: letterOf(index) })}:`, this.block.candidates[index]);
    return true;
  }

  // --- Keys --------------------------------------------------------------------------------------

  /** @param {Verdict} verdict @param {Pressed} event */
  #choosing(verdict, event) {
    const isOffered = this.#choices.some(([each]) => each === verdict);
    // Holding the key must not answer several sentences.
    return isOffered ? () => event.repeat || this.choose(verdict, event) : null;
  }

  // Arrows follow the sides of the outputs. The browser handles them in scrolling texts and in the menu.
  /** @param {Pressed} event */
  arrow(event) {
    const { key, shiftKey, target } = event;
    if (shiftKey || target.closest("#texts, [popover]")) return null;
    const start = isRightToLeft() ? "ArrowRight" : "ArrowLeft";
    if (key === "ArrowDown") return this.#choosing("same", event);
    if (key === "ArrowUp") return null;
    return this.#choosing(key === start ? "first" : "second", event);
  }

  /** @param {Pressed} event */
  single(event) {
    const digit = digitOf(event);
    const [verdict] = this.#choices.find(([, each]) => each === digit) ?? [];
    return verdict ? this.#choosing(verdict, event) : null;
  }

  /** @param {string} letter @param {Pressed} event */
  letter(letter, { repeat }) {
    const which = OUTPUTS[letter];
    return which && !repeat ? () => this.#read(which) : null;
  }
}
