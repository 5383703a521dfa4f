// A snippet translated by one system, one more sentence with each block; the last block asks whether statements about it
// are true.

import { announce } from "../announce.js";
import { build, lengthOf, setText } from "../block.js";
import { digitOf } from "../keys.js";
import { BarScreen } from "../later/bar.js";
import { say } from "../words.js";
import * as quiz from "./answer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
/** @type {Record<string, "yes" | "no">} */
const LETTERS = { y: "yes", n: "no" };

/** @type {AnswerOf<QuizAnswer>} */
export const answers = quiz;

/** @param {Page} page */
export const open = (page) => new QuizScreen(page);

/** @extends {BarScreen<QuizAnswer>} @implements {ProtocolScreen<QuizAnswer>} */
class QuizScreen extends BarScreen {
  answers = answers;
  isOfOneOutputAlone = true;
  #text = this.root.querySelector(".quiz-text");
  #list = this.root.querySelector(".quiz-statements");
  #onward = this.root.querySelector(".quiz-onward");
  /** @type {string[]} */
  #statements = [];
  // The text read before the current block.
  #before = "";

  /** @param {Page} page */
  constructor(page) {
    super(page, $("quiz-template").content.firstElementChild.cloneNode(true), ".quiz-asked");
    this.#onward.textContent = say("quiz_read");
    this.#onward.addEventListener("click", (event) => this.page.send(event));
    this.#list.addEventListener("click", (event) => this.page.isUnread(event) && event.preventDefault());
  }

  // Sentences without statements have their own button.
  get submitsAtOnce() {
    return !this.#statements.length;
  }

  get asksAloud() {
    return this.#statements.length > 0;
  }

  get keys() {
    return [this.#statements.length ? "quiz" : "quiz-read", "quiz-text"];
  }

  get question() {
    return say(this.#statements.length ? "quiz_question" : "quiz_reading");
  }

  get #fieldsets() {
    return /** @type {HTMLElement[]} */ ([...this.#list.children]);
  }

  enter() {
    $("rows").replaceChildren(this.root);
  }

  /** @param {Block<QuizAnswer>} block */
  show(block) {
    this.block = block;
    const { queue } = this.page;
    this.#statements = quiz.statementsOf(this.hit.rules, block.id);
    if (block.answer.given?.length !== this.#statements.length) block.answer.given = quiz.unsaid(this.#statements.length);
    const [candidate] = block.candidates;
    const sibling = queue.blocks.find(({ hit, position }) => hit === block.hit && position === block.position - 1);
    const { before, after } = quiz.parted(candidate.text, sibling?.candidates[0].text);
    this.#before = before;
    setText(this.#text, candidate).textContent = before;
    this.#text.append(build("span", { className: "quiz-new" }, after));
    const isAsked = this.#statements.length > 0;
    this.#onward.hidden = isAsked;
    this.#list.replaceChildren(...this.#statements.map((statement, index) => this.#makeStatement(statement, index)));
    this.nameBar();
    this.want(false);
    $("outputs").dataset.length = lengthOf(block);
  }

  /** @param {string} statement @param {number} index */
  #makeStatement(statement, index) {
    const fieldset = $("quiz-statement-template").content.firstElementChild.cloneNode(true);
    const { lang } = this.block.candidates[0];
    setText(fieldset.querySelector(".quiz-words"), { text: statement, lang });
    for (const input of /** @type {HTMLInputElement[]} */ ([...fieldset.querySelectorAll("input")])) {
      input.name = `quiz-${index}`;
      input.addEventListener("change", () => this.#choose(index, /** @type {QuizChoice} */ (input.value)));
    }
    return fieldset;
  }

  nameBar() {
    this.bar.setAttribute("aria-label", say(this.#statements.length ? "quiz_question" : "quiz_read"));
  }

  showAnswer() {
    const { given } = this.block.answer;
    this.#fieldsets.forEach((fieldset, index) => {
      for (const input of /** @type {HTMLInputElement[]} */ ([...fieldset.querySelectorAll("input")]))
        {input.checked = input.value === given?.[index];}
      fieldset.classList.toggle("open", !given?.[index]);
    });
    if (!quiz.lack(this.block.answer)) this.want(false);
  }

  // Announces the new text, then the questions.
  /** @param {string} words */
  introduce(words) {
    const text = this.block.candidates[0].text.slice(this.#before.length);
    const questions = this.#statements.length ? [say("quiz_question"), ...this.#statements] : [];
    this.hear([words, text, ...questions]);
  }

  refuse() {
    this.want(true);
    (this.#fieldsets[this.#open] ?? this.bar).focus();
  }

  // --- The answers -------------------------------------------------------------------------------

  // The first unanswered statement, or −1.
  get #open() {
    return this.block.answer.given?.indexOf("") ?? -1;
  }

  // The focused statement, else the first unanswered one, else the last.
  get #current() {
    const focused = this.#fieldsets.findIndex((fieldset) => fieldset.contains(document.activeElement));
    if (focused >= 0) return focused;
    return this.#open >= 0 ? this.#open : this.#statements.length - 1;
  }

  /** @param {number} index @param {QuizChoice} choice */
  #choose(index, choice) {
    const choices = [...(this.block.answer.given ?? quiz.unsaid(this.#statements.length))];
    choices[index] = choice;
    this.block.answer.given = choices;
    this.page.answered();
  }

  /** @param {QuizChoice} choice @param {KeyboardEvent} event */
  #byKey(choice, event) {
    if (this.page.isUnread(event)) return true;
    const index = this.#current;
    this.#choose(index, choice);
    const next = this.#open;
    (this.#fieldsets[next >= 0 ? next : index] ?? this.bar).focus();
    if (next < 0) announce(say(`quiz_${choice}`));
    return true;
  }

  // --- Keys --------------------------------------------------------------------------------------

  /** @param {Pressed} event */
  single(event) {
    const choice = quiz.CHOICES[(digitOf(event, quiz.CHOICES.length) ?? 0) - 1];
    if (!choice || !this.#statements.length) return null;
    return () => event.repeat || this.#byKey(choice, event);
  }

  /** @param {string} letter @param {Pressed} event */
  letter(letter, event) {
    if (letter in LETTERS && this.#statements.length) return () => event.repeat || this.#byKey(LETTERS[letter], event);
    if (letter !== "a" || event.repeat) return null;
    return () => announce("", this.block.candidates[0]);
  }
}
