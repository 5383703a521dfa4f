// Outputs side by side, with their errors and scores.

import { announce } from "../announce.js";
import { build, lengthOf } from "../block.js";
import { digitOf, STEPS } from "../keys.js";
import { say, sayPhrase } from "../words.js";
import * as spans from "./answer.js";
import { Choice } from "./choice.js";
import { ComparedText } from "./compared.js";
import { questions } from "./contradictions.js";
import { USUAL } from "./marks.js";
import { Output } from "./output.js";
import { Pointer } from "./pointer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// Asks once per sentence whether scores that contradict the errors are intended.

class Question {
  // The questions already asked, by block.
  /** @type {Map<string, Set<string>>} */
  #idsByBlock = new Map();

  // Returns whether there is a question; calls `keep` or `change(output)` afterwards.
  /**
   * @param {Block<SpansAnswer>} block
   * @param {ContradictionRule} rule
   * @param {{ keep: () => void, change: (output: number) => void }} calls
   */
  ask(block, rule, { keep, change }) {
    const earlierIds = this.#idsByBlock.get(block.id) ?? new Set();
    this.#idsByBlock.set(block.id, earlierIds);
    const newQuestions = questions(block.answer, rule).filter(({ id }) => !earlierIds.has(id));
    if (!newQuestions.length) return false;
    for (const { id } of newQuestions) earlierIds.add(id);
    $("spans-asked").replaceChildren(
      ...newQuestions.map(({ phrase }) => build("p", {}, sayPhrase(phrase))),
    );
    const dialog = $("spans-dialog");
    dialog.returnValue = "";
    dialog.addEventListener("close", () => (dialog.returnValue === "keep" ? keep() : change(newQuestions[0].output)), { once: true });
    dialog.showModal();
    return true;
  }
}

/** @type {AnswerOf<SpansAnswer>} */
export const answers = spans;

/** @param {Page} page */
export const open = (page) => new SpansScreen(page);

/** @implements {ProtocolScreen<SpansAnswer>} */
export class SpansScreen {
  answers = answers;
  submitsAtOnce = false;
  // Texts are above, at full width.
  layout = "columns";
  /** @type {Output[]} */
  outputs = [];
  // The source beside each output, if errors can be marked in it.
  /** @type {Output[]} */
  sources = [];
  block = /** @type {Block<SpansAnswer>} */ (/** @type {unknown} */ (null));
  pointer = new Pointer(this);
  /** @type {Choice} */
  choice;
  // All outputs and sources created so far, by position.
  /** @type {Output[]} */
  #outputPool = [];
  /** @type {Output[]} */
  #sourcePool = [];
  #hint = $("spans-hint-template").content.firstElementChild.cloneNode(true);
  #exact = this.#hint.querySelector(".by-character");
  #undoing = /** @type {HTMLButtonElement} */ (this.#hint.querySelector(".undo-mark"));
  // The errors of outputs before each change of this answer, latest last.
  /** @type {{ index: number, spans: Span[] }[]} */
  #earlier = [];
  #question = new Question();
  #active = 0;
  byCharacter = false;
  #compared = new ComparedText({
    onLine: (line) => this.isShown() && this.#markLine(line ?? this.#lineAtCursor),
    onChosen: (line) => this.isShown() && this.#showLine(line),
  });
  // The alignment of sentences, once computed, and the current sentence.
  /** @type {Beside | null} */
  #beside = null;
  /** @type {number | null} */
  #line = null;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.choice = new Choice(page);
    this.#exact.addEventListener("click", () => this.#exchangeStops());
    this.#undoing.addEventListener("click", () => this.#undo());
  }

  get question() {
    if (this.#rules.spans_asked === false) return say("scores_question");
    return say(spans.isScored(this.#rules) ? "spans_question" : "marks_question");
  }

  isShown() {
    return this.page.acting === this;
  }

  leave() {
    this.choice.close();
    this.#loosen();
  }

  // All texts with marks.
  get texts() {
    return [...this.outputs, ...this.sources];
  }

  get #severities() {
    return this.#rules.severities ?? USUAL;
  }

  get #rules() {
    return this.page.queue.hits.get(this.block.hit).rules;
  }

  /** @param {Block<SpansAnswer>} block */
  show(block) {
    this.choice.close();
    this.block = block;
    this.#earlier = [];
    this.#undoing.disabled = true;
    this.#active = 0;
    const rules = this.#rules;
    this.outputs = block.candidates.map((candidate, index) => {
      const output = (this.#outputPool[index] ??= new Output(this, index));
      output.show(candidate, rules, this.byCharacter);
      return output;
    });
    const { source } = block;
    this.sources = source && rules.source_marked ? this.outputs.map((output, index) => this.#showSource(source, output, index)) : [];
    for (const surplus of this.#sourcePool.slice(this.sources.length)) surplus.root.remove();
    document.body.classList.toggle("source-marked", this.sources.length > 0);
    const roots = this.outputs.map(({ root }) => root);
    this.#loosen();
    if ($("rows").children.length !== roots.length + 1 || !this.#hint.isConnected) $("rows").replaceChildren(this.#hint, ...roots);
    $("rows").style.setProperty("--outputs", String(roots.length));
    $("outputs").dataset.length = lengthOf(block);
    const isAsked = rules.spans_asked !== false;
    this.#hint.hidden = !isAsked;
    // The hint about scores names the keys of minor and major.
    const isUsual = spans.isScored(rules) && String(rules.severities) === "minor,major";
    this.#hint.classList.toggle("own-marks", !isUsual);
    this.#align();
  }

  get submitKey() {
    return this.#rules.spans_asked === false ? "Enter" : "Control+Enter";
  }

  // Also names the severities in the list of keys.
  get keys() {
    const rules = this.#rules;
    const isAsked = rules.spans_asked !== false;
    const way = spans.haveCategories(rules) ? "menu" : "next";
    const severities = this.#severities.map((severity, index) => `${index + 1}: ${say(severity)}`);
    $("severities-help").textContent = severities.join(say("semicolon"));
    /** @type {HTMLElement} */ (document.querySelector("[data-severities]")).textContent = String(severities.length);
    /** @type {Record<string, boolean | undefined>} */
    const own = {
      marks: isAsked,
      [`mark-${way}`]: isAsked,
      "mark-by-space": !this.isPlayable,
      [`missing-${way}`]: isAsked && rules.missing,
      score: spans.isScored(rules),
      outputs: this.outputs.length > 1,
      lines: this.outputs.length === 1 && this.#beside !== null,
    };
    return Object.keys(own).filter((name) => own[name]);
  }

  // Space plays then, wherever the focus is.
  get isPlayable() {
    const { beside, outputs } = this.page.media.playable;
    return beside || outputs;
  }

  // Shows the source above an output.
  /** @param {TextOf} source @param {Output} output @param {number} index */
  #showSource(source, output, index) {
    const sourceOutput = (this.#sourcePool[index] ??= new Output(this, index, "source"));
    sourceOutput.show(/** @type {Candidate} */ (/** @type {unknown} */ (source)), this.#rules, this.byCharacter);
    output.root.prepend(sourceOutput.root);
    return sourceOutput;
  }

  // Shows each text in one piece.
  #loosen() {
    this.#beside = this.#line = null;
    this.#compared.show(null);
    this.#compared.root.remove();
    $("rows").classList.remove("aligned");
  }

  // Aligns sentences, if there are several: across outputs, or between a single output and its source.
  async #align() {
    const { block } = this;
    // On a page of several blocks, each is beside its source.
    if (this.page.segments.isShown) return;
    // If the module cannot be loaded offline, texts stay whole.
    const sentences = await import("../later/sentences.js").catch(() => null);
    const beside = sentences?.beside(block);
    if (block !== this.block || !beside || !this.isShown()) return;
    this.#beside = beside;
    this.#compared.show(beside.compared);
    if (beside.compared && this.outputs.length === 1) {
      this.outputs[0].root.before(this.#compared.root);
      $("rows").style.setProperty("--outputs", "2");
    }
    $("rows").classList.add("aligned");
    $("rows").style.setProperty("--lines", String(beside.count));
    this.outputs.forEach((output, index) => output.showLines(beside.lines[index]));
    this.#markLine(this.#lineAtCursor);
  }

  showAnswer() {
    for (const text of this.texts) text.showSaid();
  }

  /** @param {Run[][] | null} runs */
  showDifferences(runs) {
    this.outputs.forEach((output, index) => output.showDifferences(runs?.[index] ?? null));
  }

  // --- The focus -----------------------------------------------------------------------------------

  // The first output without a score.
  get #first() {
    return this.outputs[spans.unscored(this.block.answer, this.#rules)[0] ?? 0];
  }

  /** @param {string} words */
  introduce(words) {
    this.#first.introduce(words);
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#first.focus(options);
  }

  resume() {
    this.outputs[this.#active].focus();
  }

  refuse() {
    const [unnamed] = spans.uncategorised(this.block.answer, this.#rules);
    const missing = spans.unscored(this.block.answer, this.#rules);
    if (this.#selecting) return this.#selecting.askSeverity();
    this.outputs.forEach(({ scoring }, index) => scoring.want(missing.includes(index)));
    if (this.#invalid) return this.#invalid.scoring.focus();
    if (unnamed !== undefined) this.outputs[unnamed].focus();
    else this.outputs[missing[0]]?.scoring.focus();
  }

  /** @param {number} index */
  activate(index) {
    this.#active = index;
    this.outputs.forEach((output, outputIndex) => {
      output.root.classList.toggle("active", outputIndex === index);
    });
  }

  // The text with a selection that has no severity yet.
  get #selecting() {
    return this.texts.find(({ selectedText }) => selectedText);
  }

  unfinished() {
    if (this.#selecting) return { key: "severity_wanted" };
    return this.#invalid ? { key: "score_invalid" } : null;
  }

  // The output whose field holds something that is no score.
  get #invalid() {
    return this.outputs.find(({ scoring }) => scoring.isInvalid);
  }

  // Ends the selections in other texts: there is one at a time.
  /** @param {Output} selected */
  selected(selected) {
    for (const text of this.texts) if (text !== selected) text.unpick();
  }

  // Moves to another output, or to another sentence of a single output.
  /** @param {number} by */
  move(by) {
    if (this.outputs.length > 1) this.outputs[this.#active + by]?.focus();
    else if (this.#beside) this.#showLine(Math.max(0, Math.min((this.#line ?? -1) + by, this.#beside.count - 1)));
    return true;
  }

  // --- Sentence beside sentence --------------------------------------------------------------------

  get #lineAtCursor() {
    return this.outputs[this.#active]?.lineAtCursor ?? null;
  }

  /** @param {number | null} line */
  #markLine(line) {
    this.#line = line;
    this.#compared.mark(line);
    for (const output of this.outputs) output.markLine(line);
  }

  // Moves to a line of the active output, unless that would end a selection.
  /** @param {number} line */
  #showLine(line) {
    if (!this.#selecting) this.outputs[this.#active]?.goToLine(line);
    this.#markLine(line);
  }

  /** @param {Output} output */
  followCursor(output) {
    if (this.#beside) this.#markLine(output.lineAtCursor);
  }

  // The compared sentence, which is announced first.
  /** @param {number} line @returns {TextOf | null} */
  comparedIn(line) {
    const compared = this.#beside?.compared;
    return compared ? { ...compared.text, text: compared.lines[line] ?? "" } : null;
  }

  // --- The answer ----------------------------------------------------------------------------------

  changed() {
    this.page.answered();
  }

  // Replaces the errors of an output, until this is undone.
  /** @param {number} index @param {Span[]} errors */
  setSpans(index, errors) {
    const edited = this.block.answer.outputs[index];
    this.#earlier.push({ index, spans: edited.spans });
    this.#undoing.disabled = false;
    edited.spans = errors;
    this.changed();
  }

  #undo() {
    const last = this.#earlier.pop();
    if (!last) return;
    this.#undoing.disabled = !this.#earlier.length;
    this.choice.close();
    this.block.answer.outputs[last.index].spans = last.spans;
    this.changed();
    this.outputs[last.index].focus({ preventScroll: true });
    announce(say("mark_undone"));
  }

  /** @param {number} index @param {number | null} score */
  score(index, score) {
    this.block.answer.outputs[index].score = score;
    this.changed();
  }

  // After a score, moves to the next output without one, or to the submit button.
  /** @param {number} index */
  goOn(index) {
    const rest = spans.unscored(this.block.answer, this.#rules);
    const next = rest.find((candidate) => candidate > index) ?? rest[0];
    if (next === undefined) this.page.answerCompleted();
    else this.outputs[next].focus();
  }

  // Opens the severity menu for a stretch, next to it or to its list item.
  /** @param {Output} output @param {Stretch} stretch @param {Severity | null} severity @param {() => DOMRect} [boxOf] */
  choose(output, stretch, severity, boxOf = () => output.boxOf(stretch)) {
    const { block } = this;
    /** @param {Severity | null} chosen */
    const take = (chosen) => {
      if (block !== this.block) return;
      getSelection()?.removeAllRanges();
      output.focus({ preventScroll: true });
      if (chosen || severity) output.mark(stretch, chosen);
      else output.unpick();
    };
    // What the menu was opened for stays selected when the judge does something else.
    const leave = () => severity || output.pick(stretch);
    this.choice.open(boxOf, this.#severities, severity, { take, cancel: () => output.unpick(), leave });
  }

  /** @param {() => void} go */
  asks(go) {
    const { block } = this;
    const { spans_asked: areAsked, contradictions: rule } = this.#rules;
    // HITs stored before thresholds were added have none.
    if (areAsked === false || !rule || !spans.isScored(this.#rules)) return false;
    return this.#question.ask(block, rule, {
      keep: () => block === this.page.block && go(),
      change: (output) => block === this.page.block && this.outputs[output].scoring.focus(),
    });
  }

  // --- Keys ----------------------------------------------------------------------------------------

  // The output whose word cursor has the focus.
  /** @param {Pressed} event */
  #under({ target }) {
    return this.texts.find((text) => text.hasCursor(target));
  }

  // Gives the focus back to the texts from where no key does anything else. Nobody sees the word cursor there, so the key does
  // nothing yet.
  /** @param {Pressed} event */
  #comingBack({ target }) {
    return target.closest("input, [popover]") ? null : () => this.#comeBack();
  }

  #comeBack() {
    const output = this.#selecting ?? this.outputs[this.#active];
    output.focus();
    return output.mayMark;
  }

  // Left and right follow the direction of the text.
  /** @param {Pressed} event */
  arrow(event) {
    const output = this.#under(event);
    if (!output) return null;
    const { key, shiftKey } = event;
    if (key === "ArrowUp" || key === "ArrowDown") return () => output.moveLine(key === "ArrowUp" ? -1 : 1);
    const forwards = output.isRightToLeft ? "ArrowLeft" : "ArrowRight";
    return () => output.move(key === forwards ? 1 : -1, shiftKey);
  }

  /** @param {Pressed} event */
  single(event) {
    const { key, repeat } = event;
    if (this.choice.isOpen) {
      const action = this.choice.actionOf(event);
      if (action) return repeat ? null : action;
    }
    const severities = this.#severities;
    const removes = key === "Backspace" || key === "Delete";
    const digit = removes ? 0 : digitOf(event, this.#rules.spans_asked === false ? 9 : severities.length);
    const output = this.#under(event);
    if (!output) return digit === null ? null : this.#comingBack(event);
    if (key === "Home") return () => output.go(0);
    if (key === "End") return () => output.goToEnd();
    if (repeat) return null;
    return digit === null ? null : () => output.give(digit ? severities[digit - 1] : null);
  }

  /** @param {string} letter @param {Pressed} event */
  letter(letter, { repeat }) {
    if (letter in STEPS) return () => this.move(STEPS[letter]);
    if (repeat) return null;
    const output = this.outputs[this.#active];
    if (letter === "p") return spans.isScored(this.#rules) ? () => output.scoring.focus() : null;
    if (!output.mayMark) return null;
    if (letter === "x") return () => output.turnMissing();
    if (letter === "z") return () => this.#undo();
    return letter === "w" ? () => this.#exchangeStops() : null;
  }

  #exchangeStops() {
    this.byCharacter = !this.byCharacter;
    this.#exact.setAttribute("aria-pressed", String(this.byCharacter));
    for (const text of this.texts) text.stopBy(this.byCharacter);
    announce(say(this.byCharacter ? "by_characters" : "by_words"));
  }
}
