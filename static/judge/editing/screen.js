// One output to edit, or another judge's edit to accept or reject.

import { announce } from "../announce.js";
import { heardOf, lengthOf, prepareForText, setText } from "../block.js";
import { isComposing } from "../keys.js";
import { ButtonScreen } from "../later/bar.js";
import { say } from "../words.js";
import * as editing from "./answer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// The choices with their digits, for editing and for accepting.
/** @type {[string, number][]} */
const EDIT = [["edited", 1], ["unchanged", 2], ["unable", 3]];
/** @type {[string, number][]} */
const ACCEPT = [["yes", 1], ["no", 2]];
// Characters per line, to estimate the height of the field.
const LINE = 60;
const FEWEST_LINES = 3;
const MOST_LINES = 14;

/** @type {AnswerOf<EditingAnswer>} */
export const answers = editing;

/** @param {Page} page */
export const open = (page) => new EditingScreen(page);

/** @extends {ButtonScreen<EditingAnswer>} @implements {ProtocolScreen<EditingAnswer>} */
class EditingScreen extends ButtonScreen {
  answers = answers;
  key = "choose";
  // Texts are above, at full width.
  layout = "columns";
  #original = this.root.querySelector(".edit-shown");
  // The answer that would drop the edit, if the judge was warned of it.
  #warnedOf = "";
  #field = this.root.querySelector(".edit-field");

  /** @param {Page} page */
  constructor(page) {
    // Screen readers pass digits to the page here.
    super(page, $("editing-template").content.firstElementChild.cloneNode(true), ".answers");
    this.#field.setAttribute("aria-label", say("edit_text"));
    this.#field.addEventListener("input", () => this.#written());
    this.#field.addEventListener("keydown", (event) => this.#pressed(event));
  }

  get #isAsked() {
    return editing.isAsked(this.hit.rules);
  }

  // Edits are submitted when finished; other answers immediately.
  get submitsAtOnce() {
    return this.#isAsked;
  }

  asksAloud = true;

  get submitKey() {
    return this.#isAsked ? "Enter" : "Control+Enter";
  }

  get keys() {
    return [this.#isAsked ? "accept" : "edit", "edit-text"];
  }

  get question() {
    return say(this.#isAsked ? "accept_question" : "edit_question");
  }

  enter() {
    $("rows").replaceChildren(this.root);
  }

  /** @param {Block<EditingAnswer>} block */
  show(block) {
    this.block = block;
    this.#warnedOf = "";
    const [candidate] = block.candidates;
    const isAsked = this.#isAsked;
    this.#original.hidden = !isAsked;
    this.#field.hidden = isAsked;
    setText(this.#original, candidate);
    this.#field.placeholder = say("empty");
    prepareForText(this.#field, candidate);
    this.#field.value = block.answer.text ?? candidate.text;
    this.#field.rows = Math.min(MOST_LINES, Math.max(FEWEST_LINES, Math.ceil(candidate.text.length / LINE) + 1));
    this.offer(isAsked ? ACCEPT : EDIT);
    // Moves to the text; not an answer.
    this.bar.querySelector('[data-choice="edited"]')?.removeAttribute("aria-pressed");
    this.nameBar();
    this.want(false);
    $("outputs").dataset.length = lengthOf(block);
  }

  get #chosen() {
    const { outcome, acceptable } = this.block.answer;
    if (acceptable !== null) return acceptable ? "yes" : "no";
    return outcome;
  }

  showAnswer() {
    const { text } = this.block.answer;
    const value = text ?? this.block.candidates[0].text;
    // Only if the page changed it, not while the judge is typing.
    if (this.#field.value !== value) this.#field.value = value;
    this.press(this.#chosen);
  }

  // Has the text read aloud without focusing it, so that digits work.
  /** @param {string} words */
  introduce(words) {
    this.hear([words, this.question, heardOf(this.block.candidates[0])]);
  }

  resume() {
    if (this.#isAsked || this.block.answer.outcome !== "edited") this.focus();
    else this.#field.focus();
  }

  // --- The answer --------------------------------------------------------------------------------

  /** @param {string} choice @param {UIEvent} event */
  choose(choice, event) {
    if (choice === "edited") {
      this.#field.focus();
      return true;
    }
    if (this.page.isUnread(event)) return true;
    if (this.#isEditLost(choice)) {
      this.page.ask(say("edit_lost", { answer: this.wordOf(choice) }));
      return true;
    }
    const { keystrokes } = this.block.answer;
    const changes = this.#isAsked ? { acceptable: choice === "yes" } : { outcome: /** @type {EditOutcome} */ (choice), keystrokes };
    Object.assign(this.block.answer, editing.blank(), changes);
    this.page.conclude(`${this.wordOf(choice)}.`);
    return true;
  }

  // Returns whether an answer drops an edit; asked about once.
  /** @param {string} choice */
  #isEditLost(choice) {
    const isFirst = this.#warnedOf !== choice;
    this.#warnedOf = choice;
    return isFirst && this.block.answer.outcome === "edited";
  }

  #written() {
    this.#warnedOf = "";
    Object.assign(this.block.answer, editing.written(this.block.answer, this.#field.value, this.block.candidates[0].text));
    this.page.answered();
  }

  // Leaves the text, so that digits work.
  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (key !== "Escape" || ctrlKey || metaKey || altKey || isComposing(event)) return;
    event.preventDefault();
    this.focus();
  }

  // --- Keys --------------------------------------------------------------------------------------

  // Has the text read again in its own language.
  /** @param {string} letter @param {Pressed} event */
  letter(letter, { repeat }) {
    if (letter !== "a" || repeat) return null;
    return () => announce("", { ...this.block.candidates[0], text: this.block.answer.text ?? this.block.candidates[0].text });
  }
}
