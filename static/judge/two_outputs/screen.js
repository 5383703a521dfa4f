// Two outputs side by side: which is better? One key answers and submits.

import { announce } from "../announce.js";
import { heardOf, lengthOf, marked, questionAbout, setText, unmarked, writeText } from "../block.js";
import { letterOf } from "../keys.js";
import { ButtonScreen } from "../later/bar.js";
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

/** @extends {ButtonScreen<TwoOutputsAnswer>} @implements {ProtocolScreen<TwoOutputsAnswer>} */
class TwoOutputsScreen extends ButtonScreen {
  answers = answers;
  submitsAtOnce = true;
  key = "verdict";
  // Texts are above, at full width.
  layout = "columns";
  #outputs = [makeOutput(0), makeOutput(1)];

  /** @param {Page} page */
  constructor(page) {
    super(page, $("verdicts-template").content.firstElementChild.cloneNode(true));
  }

  get question() {
    return this.hit.rules.question || questionAbout(this.block, "which_is_better");
  }

  asksAloud = true;

  get keys() {
    return ["verdict", ...this.choices.map(([verdict]) => `verdict-${verdict}`)];
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
    // The verdicts that the block's rules allow.
    this.offer(twoOutputs.choicesOf(this.hit.rules));
    this.nameBar();
    this.want(false);
  }

  showAnswer() {
    this.press(this.block.answer.verdict);
  }

  /** @param {Run[][] | null} marks */
  showDifferences(marks) {
    const runs = marks ?? unmarked(this.block.candidates);
    const { candidates } = this.block;
    this.#outputs.forEach((output, index) => writeText(output.querySelector(".output-text"), candidates[index], runs[index].map(marked)));
  }

  // Announces both outputs; neither gets the focus.
  /** @param {string} words */
  introduce(words) {
    const texts = this.block.candidates.map((candidate, index) => `${say("output", { letter: letterOf(index) })}: ${heardOf(candidate)}`);
    const { verdict } = this.block.answer;
    this.hear([words, ...texts, verdict ? this.wordOf(verdict) : this.question]);
  }

  // --- Verdicts ----------------------------------------------------------------------------------

  /** @param {Verdict} verdict @param {UIEvent} event */
  choose(verdict, event) {
    if (this.page.isUnread(event)) return true;
    this.block.answer.verdict = verdict;
    this.page.conclude(`${this.wordOf(verdict)}.`);
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

  // Arrows follow the sides of the outputs. The browser handles them in scrolling texts and in the menu.
  /** @param {Pressed} event */
  arrow(event) {
    const { key, shiftKey, target } = event;
    if (shiftKey || target.closest("#texts, [popover]")) return null;
    const start = isRightToLeft() ? "ArrowRight" : "ArrowLeft";
    if (key === "ArrowDown") return this.choosing("same", event);
    if (key === "ArrowUp") return null;
    return this.choosing(key === start ? "first" : "second", event);
  }

  /** @param {string} letter @param {Pressed} event */
  letter(letter, { repeat }) {
    const which = OUTPUTS[letter];
    return which && !repeat ? () => this.#read(which) : null;
  }
}
