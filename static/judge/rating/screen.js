// Outputs and their ratings: a digit rates and moves on to the next criterion, Enter submits.

import { build, heardOf, lengthOf, setText } from "../block.js";
import { digitOf, letterOf, STEPS } from "../keys.js";
import { labelled, say } from "../words.js";
import * as rating from "./answer.js";
import { inLanguage, nameOfOutput, ScaleOfCriterion } from "./scale.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const HIGHEST_DIGIT = 9;

/** @type {AnswerOf<RatingAnswer>} */
export const answers = rating;

/** @param {Page} page */
export const open = (page) => new RatingScreen(page);

/** @implements {ProtocolScreen<RatingAnswer>} */
class RatingScreen {
  answers = answers;
  submitsAtOnce = false;
  block = /** @type {Block<RatingAnswer>} */ (/** @type {unknown} */ (null));
  // The scales of all outputs in order, and the one that keys act on.
  /** @type {ScaleOfCriterion[]} */
  #scales = [];
  #active = 0;
  // The digit with which a longer point may begin; empty if none was typed.
  #firstDigit = "";
  /** @type {Criterion[]} */
  #criteria = [];

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  get isOfOneOutputAlone() {
    return this.block.candidates.length === 1;
  }

  get #hit() {
    return this.page.queue.hits.get(this.block.hit);
  }

  // The question of a single criterion.
  get asksAloud() {
    return this.#criteria.length === 1;
  }

  get keys() {
    const scales = this.#scales.map(({ criterion }) => criterion);
    /** @type {Record<string, boolean>} */
    const own = {
      points: scales.length === 1 && !rating.isContinuous(scales[0]),
      "points-next": scales.length > 1 && !scales.every(rating.isContinuous),
      ten: scales.some(({ lowest, highest }) => lowest === 0 && highest === 10),
      slider: scales.some(rating.isContinuous),
      criteria: scales.length > 1,
    };
    return Object.keys(own).filter((name) => own[name]);
  }

  get question() {
    return this.#criteria.length === 1 ? this.#criteria[0].question : say("criteria_question");
  }

  // --- What is shown -------------------------------------------------------------------------------

  /** @param {Block<RatingAnswer>} block */
  show(block) {
    this.block = block;
    const language = this.#hit.languages.target.name;
    this.#criteria = rating.criteriaOf(this.#hit.rules).map((criterion) => inLanguage(criterion, language));
    this.#scales = [];
    this.#active = 0;
    this.#firstDigit = "";
    const outputs = block.candidates.map((candidate, index) => this.#makeOutput(candidate, index));
    $("rows").replaceChildren(...outputs.flat());
    $("rows").style.setProperty("--outputs", String(outputs.length));
    if (outputs.length > 1) $("outputs").dataset.layout = "columns";
    else delete $("outputs").dataset.layout;
    $("outputs").dataset.length = lengthOf(block);
    this.#nameKeys();
  }

  // A single output and its scales are below each other; of several, each holds its own.
  /** @param {Candidate} candidate @param {number} index */
  #makeOutput(candidate, index) {
    const root = $("rating-output-template").content.firstElementChild.cloneNode(true);
    setText(/** @type {HTMLElement} */ (root.querySelector(".rating-text")), candidate);
    const scales = this.#criteria.map((criterion) => this.#makeScale(criterion, index).root);
    const name = root.querySelector(".output-name");
    if (this.isOfOneOutputAlone) {
      name.remove();
      return [root, ...scales];
    }
    name.textContent = nameOfOutput(letterOf(index));
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", name.textContent);
    root.append(build("div", { className: "rating-scales" }, ...scales));
    return [root];
  }

  /** @param {Criterion} criterion @param {number} output */
  #makeScale(criterion, output) {
    const position = this.#scales.length;
    const isAlone = this.#criteria.length === 1;
    const of = this.isOfOneOutputAlone ? "" : nameOfOutput(letterOf(output));
    const scale = new ScaleOfCriterion(criterion, {
      isAlone,
      // Rows would show the other texts, too.
      isCompact: this.page.segments.isShown && !this.#hit.rules.only_ends_named,
      isOnlyEnds: Boolean(this.#hit.rules.only_ends_named),
      name: [of, criterion.name].filter(Boolean).join(", "),
      onValue: (value) => this.#rate(position, value),
      onTap: () => this.page.segments.isShown && this.#goOn(position),
      onDone: () => this.#goOn(position),
      onBack: () => scale.root.focus(),
      onMove: (by) => this.#move(by),
      onInvalid: () => this.page.note(say("score_invalid")),
    });
    scale.root.addEventListener("focusin", () => this.#activate(position));
    scale.root.addEventListener("click", (event) => this.page.isUnread(event) && event.preventDefault());
    this.#scales.push(scale);
    return scale;
  }

  #nameKeys() {
    const [scale] = this.#scales;
    const texts = this.#criteria.length === 1 ? scale.texts : [];
    $("points-help").replaceChildren(...texts.map(({ value, text }) => build("li", { value }, text)));
  }

  /** @param {number} position */
  #outputOf(position) {
    return this.block.answer.outputs[Math.floor(position / this.#criteria.length)];
  }

  showAnswer() {
    this.#scales.forEach((scale, position) => scale.show(this.#outputOf(position)[scale.criterion.key]));
  }

  // --- The focus -----------------------------------------------------------------------------------

  /** @param {number} position */
  #activate(position) {
    if (position !== this.#active) this.#firstDigit = "";
    this.#active = position;
    if (this.#scales.length === 1) return;
    this.#scales.forEach((scale, index) => scale.root.classList.toggle("active", index === position));
  }

  // The places of scales without a rating.
  get #unrated() {
    return this.#scales.flatMap((scale, position) => (this.#outputOf(position)[scale.criterion.key] === undefined ? [position] : []));
  }

  get #first() {
    return this.#scales[this.#unrated[0] ?? 0];
  }

  // Announces the text to compare with, the output, then the criterion.
  /** @param {string} words */
  introduce(words) {
    const references = this.block.references.map(({ text }) => labelled(say("reference"), text));
    const scale = this.#first;
    const output = Math.floor(this.#scales.indexOf(scale) / this.#criteria.length);
    const text = heardOf(this.block.candidates[output]);
    const labelledText = this.isOfOneOutputAlone ? text : labelled(nameOfOutput(letterOf(output)), text);
    const { name, question } = scale.criterion;
    const labelledQuestion = this.#criteria.length === 1 ? question : labelled(name, question);
    scale.introduce([words, ...references, labelledText, labelledQuestion].filter(Boolean).join(" "));
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#first.focus(options);
  }

  resume() {
    this.#scales[this.#active].focus();
  }

  // The scale whose field holds something that is no score.
  get #invalid() {
    return this.#scales.find(({ isInvalid }) => isInvalid);
  }

  unfinished() {
    return this.#invalid ? { key: "score_invalid" } : null;
  }

  refuse() {
    const missing = this.#unrated;
    this.#scales.forEach((scale, position) => scale.want(missing.includes(position)));
    (this.#invalid ?? this.#scales[missing[0]])?.focus();
  }

  /** @param {number} by */
  #move(by) {
    const scale = this.#scales[this.#active + by];
    scale?.focus();
    return true;
  }

  // After the last rating, goes to what is still missing, or to the submit button.
  /** @param {number} position */
  #goOn(position) {
    const rest = this.#unrated;
    const next = rest.find((candidate) => candidate > position) ?? rest[0];
    if (next === undefined) this.page.answerCompleted();
    else this.#scales[next].focus();
  }

  // --- Ratings -------------------------------------------------------------------------------------

  /** @param {number} position @param {number | null} value */
  #rate(position, value) {
    this.#firstDigit = "";
    const { key } = this.#scales[position].criterion;
    const output = this.#outputOf(position);
    if (value === null) delete output[key];
    else output[key] = value;
    this.#scales[position].show(output[key]);
    this.page.answered();
  }

  // A digit with which a longer point may begin rates, and waits for the next one, however long that takes.
  /** @param {string} digit @param {KeyboardEvent} event */
  #byDigit(digit, event) {
    const first = this.#firstDigit;
    const { criterion } = this.#scales[this.#active];
    const isLonger = first && Number(first + digit) <= criterion.highest;
    if (isLonger) return this.#byNumber(Number(first + digit), event);
    // It is for the next criterion.
    if (first && this.#unrated.length) this.#goOn(this.#active);
    const { criterion: next, isSlider } = this.#scales[this.#active];
    if (isSlider) return this.#scales[this.#active].typeInto();
    if (!rating.mayGoOn(digit, next) || rating.pointOfKey(digit, next) === null) return this.#byKey(digit, event);
    if (this.page.isUnread(event)) return true;
    this.#rate(this.#active, Number(digit));
    this.#scales[this.#active].focus();
    this.#firstDigit = digit;
    this.page.note(say("digit_may_follow", { value: Number(digit) }));
    return true;
  }

  // What Enter does while a second digit may follow, unless it submits; false if nothing.
  goOnFrom() {
    if (!this.#firstDigit || (this.#scales.length === 1 && !this.page.segments.isShown)) return false;
    this.#firstDigit = "";
    this.#goOn(this.#active);
    return true;
  }

  /** @param {string} key @param {KeyboardEvent} event */
  #byKey(key, event) {
    return this.#byNumber(rating.pointOfKey(key, this.#scales[this.#active].criterion), event);
  }

  /** @param {number | null} value @param {KeyboardEvent} event */
  #byNumber(value, event) {
    const position = this.#active;
    const scale = this.#scales[position];
    if (value === null) return false;
    if (this.page.isUnread(event)) return true;
    this.#rate(position, value);
    if (this.#scales.length === 1 && !this.page.segments.isShown) scale.focus();
    else this.#goOn(position);
    return true;
  }

  // --- Keys ----------------------------------------------------------------------------------------

  // The browser's default: arrows move between the points of a scale.
  /** @returns {Action | null} */
  arrow() {
    return null;
  }

  /** @param {Pressed} event */
  single(event) {
    const digit = digitOf(event, HIGHEST_DIGIT);
    if (digit === null || event.shiftKey) return null;
    const scale = this.#scales[this.#active];
    if (scale.isSlider) return () => scale.typeInto();
    return () => event.repeat || this.#byDigit(String(digit), event);
  }

  /** @param {string} letter @param {Pressed} event */
  letter(letter, event) {
    if (letter in STEPS) return () => this.#move(STEPS[letter]);
    if (letter !== "x" || event.repeat || this.#scales[this.#active].isSlider) return null;
    return () => this.#byKey(letter, event);
  }
}
