// One output, or the source beside it: its text with marks, the word cursor, the list of errors, and the score.

import { announce } from "../announce.js";
import { build, heardOf, markBreaks, setText } from "../block.js";
import { letterOf } from "../keys.js";
import { labelled, say } from "../words.js";
import { areAlike, haveCategories, isScored } from "./answer.js";
import { lineOf, markLine } from "./compared.js";
import { afterwards, categorised, isPlaced, marked, markOf, USUAL, withMark } from "./marks.js";
import { Cursor, inPlaces, inPoints, piecesOf, stopAt, stopsOf } from "./places.js";
import { Scoring } from "../later/scoring.js";
import { onNextLine, placeUnder, rangeOf } from "../later/text_nodes.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {(string | false | null | undefined)[]} words */
const joined = (...words) => words.filter(Boolean).join(", ");

// A piece of text, in an element if it is marked.
/** @param {Piece} piece @param {boolean} selecting @param {string} severityText the severity, in the last piece of an error @param {boolean} suggested */
function nodeOf({ text, span, severity, differs, chosen }, selecting, severityText, suggested) {
  if (!severity && !differs && !chosen) return text;
  const element = document.createElement(differs ? "mark" : "span");
  element.textContent = text;
  if (severity) {
    element.className = `error ${severity}`;
    element.dataset.span = String(span);
    element.classList.toggle("suggested", suggested);
    if (severityText) element.dataset.severity = severityText;
  }
  if (chosen) element.classList.add(selecting ? "chosen" : "at");
  return element;
}

export class Output {
  root = $("spans-output-template").content.firstElementChild.cloneNode(true);
  text = this.root.querySelector(".marking-text");
  #cursorField = this.root.querySelector(".word-cursor");
  #cursor = new Cursor([]);
  candidate = /** @type {Candidate} */ (/** @type {unknown} */ (null));
  /** @type {Rules} */
  #rules = {};
  /** @type {Run[] | null} */
  #runs = null;
  /** @type {string[] | null} */
  #lines = null;
  /** @type {number | null} */
  #atLine = null;
  // The stretch that waits for a severity, and the stop that was tapped first.
  /** @type {Stretch | null} */
  #picked = null;
  /** @type {number | null} */
  #tapped = null;
  // The state shown on the page.
  #state = "";
  #scoreName = "";

  // Found before the source is put into the same element.
  #tapHint = this.root.querySelector(".tap-hint");
  #list = this.root.querySelector(".marked-list");
  #marksPlace = /** @type {HTMLElement} */ (this.root.querySelector(".mark-buttons"));
  #scoreParts = /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll(".scoring, .anchors")]);
  // The buttons of marks without a position, by kind.
  /** @type {Map<string, HTMLElement>} */
  #markButtons = new Map();

  /** @param {SpansScreen} screen @param {number} index @param {string} [kind] of its marks: `error`, or `source` for the source */
  constructor(screen, index, kind = "error") {
    this.screen = screen;
    this.index = index;
    this.kind = kind;
    this.name = "";
    this.root.classList.toggle("spans-source", kind === "source");
    this.scoring = new Scoring(this.root, "", {
      onScore: (score) => screen.score(index, score),
      onDone: () => screen.goOn(index),
      onBack: () => !this.#cursorField.hidden && this.focus(),
      onMove: (by) => screen.move(by),
      onInvalid: () => screen.page.note(say("score_invalid")),
    });
    this.root.addEventListener("focusin", () => screen.activate(index));
    this.root.addEventListener("focusout", () => this.#nameAgain());
    this.#cursorField.addEventListener("keydown", (event) => this.#pressed(event));
    this.text.addEventListener("click", (event) => this.#clicked(event));
  }

  // --- What is shown -------------------------------------------------------------------------------

  /** @param {Candidate} candidate @param {Rules} rules @param {boolean} byCharacter */
  show(candidate, rules, byCharacter) {
    this.candidate = candidate;
    this.#rules = rules;
    this.#nameIt();
    this.#runs = this.#lines = this.#picked = this.#tapped = this.#atLine = null;
    this.#state = "";
    setText(this.text, candidate);
    this.#cursor = new Cursor(stopsOf(candidate, byCharacter));
    const isAsked = rules.spans_asked !== false;
    this.#cursorField.hidden = !isAsked;
    this.#makeMarkButtons(isAsked && this.kind === "error" ? rules : {});
    const isWithScore = this.kind === "error" && isScored(rules);
    for (const part of this.#scoreParts) part.hidden = !isWithScore;
    this.#tapHint.hidden = true;
    this.scoring.clear();
    this.#nameAgain();
  }

  // One output alone needs no letter.
  #nameIt() {
    const isAlone = this.screen.block.candidates.length === 1;
    const isSource = this.kind === "source";
    const letter = letterOf(this.index);
    if (isAlone) this.name = say(isSource ? "source" : "output_alone");
    else this.name = say(isSource ? "source_of_output" : "output", { letter });
    this.#scoreName = isAlone ? say("score_alone") : say("score_of", { letter });
    this.root.setAttribute("aria-label", this.name);
    this.root.querySelector(".output-name").textContent = this.name;
  }

  // A button for missing content, and for each special mark.
  /** @param {Rules} rules */
  #makeMarkButtons({ missing = false, marks = [] }) {
    this.#markButtons.clear();
    const kinds = missing ? ["missing", ...marks] : marks;
    for (const kind of kinds) {
      const button = $("spans-mark-template").content.firstElementChild.cloneNode(true);
      button.querySelector("kbd").hidden = kind !== "missing";
      if (kind === "missing") button.setAttribute("aria-keyshortcuts", "x");
      button.addEventListener("click", () => this.turnMark(kind));
      this.#markButtons.set(kind, button);
    }
    this.#marksPlace.replaceChildren(...this.#markButtons.values());
  }

  get #severities() {
    return this.#rules.severities ?? USUAL;
  }

  get #answer() {
    return this.screen.block.answer.outputs[this.index];
  }

  /** @returns {Placed[]} */
  get #errors() {
    return this.#answer.spans.flatMap((span, index) =>
      span.kind === this.kind && isPlaced(span)
        ? [{ ...inPlaces(this.candidate.text, /** @type {Stretch} */ (span)), severity: span.severity, category: span.category, span: index, suggested: this.#isSuggested(span) }]
        : [],
    );
  }

  // Whether the judge left a suggested error as it was.
  /** @param {Span | null} span */
  #isSuggested(span) {
    const { suggested = [] } = this.screen.block.candidates[this.index];
    return span !== null && suggested.some((suggestion) => areAlike(suggestion, span));
  }

  showSaid() {
    const { score, spans } = this.#answer;
    this.scoring.show(score);
    for (const [kind, button] of this.#markButtons) {
      const mark = markOf(spans, kind);
      for (const severity of this.#severities) button.classList.toggle(severity, mark?.severity === severity);
      const words = joined(mark && say(mark.severity), mark?.category, this.#isSuggested(mark) && say("suggested"));
      const name = this.#nameOfMark(kind);
      button.querySelector(".mark-word").textContent = words ? labelled(name, words) : name;
    }
    this.#write();
  }

  /** @param {string} kind */
  #nameOfMark(kind) {
    return kind === "missing" ? say("missing_content") : kind;
  }

  /** @param {Run[] | null} runs */
  showDifferences(runs) {
    this.#runs = runs;
    this.#write();
  }

  /** @param {string[] | null} lines */
  showLines(lines) {
    this.#lines = lines;
    this.#write();
  }

  #write() {
    const errors = this.#errors;
    const chosen = this.#picked ?? this.#cursor.stretch;
    const selecting = this.#picked !== null || this.#cursor.isSelecting;
    // Do not rewrite an unchanged text, or a selection would be lost.
    const state = JSON.stringify([errors, this.#runs, chosen, selecting, this.#lines]);
    if (state === this.#state) return;
    this.#state = state;
    const rows = piecesOf({ text: this.candidate.text, errors, runs: this.#runs, chosen, lines: this.#lines });
    /** @param {Piece} piece */
    const nodeOfPiece = (piece) => {
      const error = errors.find(({ span }) => span === piece.span);
      const severityText = error && error.end === piece.end ? joined(say(error.severity), error.suggested && say("suggested")) : "";
      return nodeOf(piece, selecting, severityText, Boolean(error?.suggested));
    };
    const nodes = rows.map((pieces) => pieces.map(nodeOfPiece));
    this.text.replaceChildren(...(this.#lines ? nodes.map((row, line) => this.#line(row, line)) : nodes.flat()));
    const list = this.#list;
    list.replaceChildren(
      ...itemsOf(errors, this.candidate, {
        onOpen: (error, button) => {
          this.screen.choose(this, error, error.severity, () => button.getBoundingClientRect());
          this.screen.choice.focus();
        },
        onRemove: (error) => {
          this.mark(error, null);
          this.focus();
        },
      }),
    );
    list.hidden = !errors.length;
  }

  /** @param {(Node | string)[]} nodes @param {number} line */
  #line(nodes, line) {
    const cell = lineOf("", line);
    cell.append(...nodes);
    markBreaks(cell);
    cell.classList.toggle("at-line", line === this.#atLine);
    return cell;
  }

  // Marks the current sentence, here or in the compared text.
  /** @param {number | null} line */
  markLine(line) {
    this.#atLine = line;
    markLine(this.text, line);
  }

  // The line of the word cursor; null if the text is not split into lines.
  get lineAtCursor() {
    const stop = this.#cursor.stops[this.#cursor.at];
    if (!this.#lines || !stop || this.#cursorField.hidden) return null;
    let end = 0;
    return this.#lines.findIndex((line) => (end += line.length) > stop.start);
  }

  // Moves to the first word of a sentence, or scrolls to the sentence if no words can be marked.
  /** @param {number} line */
  goToLine(line) {
    const lines = this.#lines ?? [];
    const start = lines.slice(0, line).join("").length;
    const cell = /** @type {HTMLElement | null} */ (this.text.querySelector(`[data-line="${line}"]`));
    if (!this.#cursorField.hidden && lines[line]?.trim()) this.go(stopAt(this.#cursor.stops, start));
    else cell?.scrollIntoView({ block: "nearest" });
    announce("", this.screen.comparedIn(line), { ...this.candidate, text: lines[line] ?? "" });
  }

  // --- The focus -----------------------------------------------------------------------------------

  get #focused() {
    return this.#cursorField.hidden ? this.scoring.field : this.#cursorField;
  }

  #nameAgain() {
    this.#cursorField.setAttribute("aria-label", labelled(this.name, this.candidate?.text ?? ""));
    this.scoring.field.setAttribute("aria-label", this.#scoreName);
  }

  /** @param {string} words */
  introduce(words) {
    const element = this.#focused;
    // Screen readers say nothing if the focus does not move.
    if (document.activeElement === element) element.blur();
    const text = this.#cursorField.hidden ? `${labelled(this.name, heardOf(this.candidate))} ` : "";
    element.setAttribute("aria-label", `${words} ${text}${element.getAttribute("aria-label")}`);
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.#focused.focus({ preventScroll: true, ...options });
    if (!options?.preventScroll) this.#scroll();
  }

  // --- The word cursor -------------------------------------------------------------------------------

  // Returns whether a key pressed on this element acts on the word.
  /** @param {HTMLElement} target */
  hasCursor(target) {
    return target === this.#cursorField;
  }

  get isRightToLeft() {
    return getComputedStyle(this.text).direction === "rtl";
  }

  /** @param {number} by @param {boolean} [extending] */
  move(by, extending) {
    return this.go(this.#cursor.at + by, extending);
  }

  /** @param {number} by */
  moveLine(by) {
    return this.go(onNextLine(this.text, this.#cursor.stops, this.#cursor.at, by) ?? this.#cursor.at);
  }

  /** @param {number} index @param {boolean} [extending] */
  go(index, extending) {
    this.#picked = null;
    if (extending) this.screen.selected(this);
    if (!this.#cursor.stops.length) return true;
    this.#cursor.go(index, extending);
    this.#write();
    this.#scroll();
    this.#tell();
    this.screen.followCursor(this);
    return true;
  }

  // Moves the cursor to a position, as after a click.
  /** @param {number} offset */
  goTo(offset) {
    this.unpick();
    this.#cursor.goTo(offset);
    this.#write();
    this.focus({ preventScroll: true });
    this.screen.followCursor(this);
  }

  goToEnd() {
    return this.go(this.#cursor.stops.length - 1);
  }

  /** @param {boolean} byCharacter */
  stopBy(byCharacter) {
    this.#cursor.exchange(stopsOf(this.candidate, byCharacter));
    this.#write();
  }

  #scroll() {
    const current = /** @type {HTMLElement | null} */ (this.text.querySelector(".at, .chosen"));
    (this.#cursorField.hidden ? this.root : (current ?? this.root)).scrollIntoView({ block: "nearest" });
  }

  // The whole error around the current word, or the selection.
  #target() {
    const stretch = this.#picked ?? this.#cursor.stretch;
    if (!stretch) return null;
    const { start, end } = stretch;
    const errors = this.#errors;
    const error = this.selectedText
      ? errors.find((candidate) => candidate.start === start && candidate.end === end)
      : errors.find((candidate) => candidate.start < end && candidate.end > start);
    return error ?? { start, end, severity: null };
  }

  #tell() {
    const stretch = this.#cursor.stretch;
    if (!stretch) return;
    const target = this.#target();
    const selected = this.#cursor.isSelecting ? `${say("selected")}:` : "";
    const error = target?.severity ? `${joined(say(`${target.severity}_error`), target.suggested && say("suggested"))}:` : "";
    this.#announce(selected || error, stretch);
  }

  /** @param {string} words @param {Stretch} stretch */
  #announce(words, { start, end }) {
    announce(words, { ...this.candidate, text: this.candidate.text.slice(start, end) });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const { key, repeat } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    // Elsewhere, Space plays a recording.
    if (key === "Enter" || (key === " " && !this.screen.isPlayable)) {
      event.preventDefault();
      if (!repeat) this.turn();
    } else if (key === "Escape" && !this.screen.choice.isOpen && this.#unpick()) {
      event.preventDefault();
      this.#tell();
    }
  }

  // --- Marks -----------------------------------------------------------------------------------------

  // Cycles through the severities and none, or opens the menu if errors have categories.
  turn() {
    const target = this.#target();
    if (!target) return true;
    if (!haveCategories(this.#rules)) this.mark(target, afterwards(target.severity, this.#severities));
    else {
      this.screen.choose(this, target, target.severity);
      this.screen.choice.focus();
    }
    return true;
  }

  /** @param {Severity | null} severity */
  give(severity) {
    const target = this.#target();
    const isMarked = severity || target?.severity;
    if (target && (isMarked || this.#cursor.isSelecting)) this.mark(target, severity);
    else if (this.#unpick()) this.#tell();
    return true;
  }

  // Asks for the severity of the selection.
  askSeverity() {
    const target = this.#target();
    if (!target) return;
    this.focus();
    this.screen.choose(this, target, target.severity);
    this.screen.choice.focus();
  }

  /** @param {Stretch} stretch @param {Severity | null} severity */
  mark(stretch, severity) {
    const { start, end } = inPoints(this.candidate.text, stretch);
    const spans = marked(this.#answer.spans, { start, end }, severity, this.kind);
    this.#unpick();
    if (!spans) return announce(say("marks_full"));
    this.screen.setSpans(this.index, spans);
    this.#announce(`${say(severity ? `${severity}_error` : "unmarked")}:`, stretch);
    if (!severity) return;
    const boxOf = () => this.boxOf(stretch);
    const back = () => this.screen.choose(this, stretch, severity, boxOf);
    this.#categorise({ kind: this.kind, start, end, severity }, boxOf, back);
  }

  // Asks for the category of a mark that is there already, if errors have categories. `back` asks for its severity again.
  /** @param {Span} span @param {() => DOMRect} boxOf @param {() => void} back */
  #categorise(span, boxOf, back) {
    if (!haveCategories(this.#rules)) return;
    const { block } = this.screen;
    /** @param {string} category */
    const take = (category) => {
      if (block !== this.screen.block) return;
      this.screen.setSpans(this.index, categorised(this.#answer.spans, span, category));
      announce(labelled(say(`${span.severity}_error`), category));
      this.focus({ preventScroll: true });
    };
    this.screen.choice.openCategories(boxOf, this.#rules, { take, back });
  }

  turnMissing() {
    return this.turnMark("missing");
  }

  // Cycles through the severities of a mark without a position, or opens the menu if errors have categories.
  /** @param {string} kind */
  turnMark(kind) {
    const button = this.#markButtons.get(kind);
    if (!button) return true;
    if (haveCategories(this.#rules)) {
      this.#chooseMark(kind, button);
      return true;
    }
    const before = markOf(this.#answer.spans, kind)?.severity ?? null;
    this.#giveMark(kind, afterwards(before, this.#severities));
    return true;
  }

  /** @param {string} kind @param {HTMLElement} button */
  #chooseMark(kind, button) {
    const before = markOf(this.#answer.spans, kind)?.severity ?? null;
    const boxOf = () => button.getBoundingClientRect();
    /** @param {Severity | null} severity */
    const take = (severity) => {
      if (severity || before) this.#giveMark(kind, severity);
      if (severity) this.#categorise({ kind, start: null, end: null, severity }, boxOf, () => this.#chooseMark(kind, button));
      else button.focus();
    };
    this.screen.choice.open(boxOf, this.#severities, before, { take });
    this.screen.choice.focus();
  }

  /** @param {string} kind @param {Severity | null} severity */
  #giveMark(kind, severity) {
    const spans = withMark(this.#answer.spans, severity, kind);
    if (!spans) return announce(say("marks_full"));
    this.screen.setSpans(this.index, spans);
    const nothing = kind === "missing" ? say("nothing_missing") : labelled(kind, say("unmarked"));
    const words = severity ? labelled(this.#nameOfMark(kind), say(severity)) : nothing;
    announce(labelled(this.name, words));
  }

  // --- The pointer -----------------------------------------------------------------------------------

  get mayMark() {
    return this.#rules.spans_asked !== false;
  }

  // Shows a stretch as selected until a severity is chosen.
  /** @param {Stretch | null} stretch */
  pick(stretch) {
    this.#picked = stretch;
    if (stretch) this.screen.selected(this);
    this.#write();
  }

  // What is selected by pointer, or with Shift and the arrows.
  get selectedText() {
    const stretch = this.#picked ?? (this.#cursor.isSelecting ? this.#cursor.stretch : null);
    return stretch ? this.candidate.text.slice(stretch.start, stretch.end) : "";
  }

  // Ends the selection; returns whether there was one.
  #unpick() {
    const was = this.#picked !== null || this.#cursor.isSelecting;
    this.#picked = this.#tapped = null;
    this.#tapHint.hidden = true;
    this.#cursor.go(this.#cursor.at);
    if (was) this.#write();
    return was;
  }

  unpick() {
    if (this.selectedText) this.#unpick();
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    // Clicks of screen readers have no position.
    if (!this.mayMark || !event.detail || this.screen.pointer.selection()) return;
    const piece = /** @type {HTMLElement} */ (event.target).closest("[data-span]");
    const span = /** @type {HTMLElement | null} */ (piece)?.dataset.span;
    const error = this.#errors.find((candidate) => String(candidate.span) === span);
    const offset = placeUnder(this.text, event);
    if (offset === null || !this.#cursor.stops.length) return;
    if (this.screen.pointer.isTouch && (this.#tapped !== null || !error)) return this.#tap(offset);
    this.goTo(error ? error.start : offset);
    if (error) this.screen.choose(this, error, error.severity);
  }

  // Handles a tap on the first or last word of an error.
  /** @param {number} offset */
  #tap(offset) {
    const { stops } = this.#cursor;
    const stop = stopAt(stops, offset);
    const from = this.#tapped;
    this.focus({ preventScroll: true });
    this.#cursor.go(stop);
    this.screen.followCursor(this);
    const [first, last] = [stops[Math.min(from ?? stop, stop)], stops[Math.max(from ?? stop, stop)]];
    const stretch = { start: first.start, end: last.end };
    this.pick(stretch);
    const hint = this.#tapHint;
    hint.hidden = from !== null;
    this.#tapped = from === null ? stop : null;
    if (from === null) this.#announce(hint.textContent, stretch);
    else this.screen.choose(this, stretch, null);
  }

  // The error that contains the whole stretch.
  /** @param {Stretch} stretch */
  errorAround({ start, end }) {
    return this.#errors.find((candidate) => candidate.start <= start && end <= candidate.end);
  }

  /** @param {Stretch} stretch */
  boxOf(stretch) {
    return rangeOf(this.text, stretch).getBoundingClientRect();
  }
}

// The list of an output's errors, with buttons to change or remove each.

/**
 * @typedef {Stretch & { severity: Severity, category?: string, span: number, suggested: boolean }} Placed
 * @typedef {object} Calls
 * @property {(error: Placed, button: HTMLElement) => void} onOpen
 * @property {(error: Placed) => void} onRemove
 */

/** @param {TextOf} quoted */
const quote = (quoted) => build("q", {}, setText(document.createElement("bdi"), quoted));

/** @param {Placed[]} errors @param {TextOf} text @param {Calls} calls */
function itemsOf(errors, text, { onOpen, onRemove }) {
  return errors.map((error) => {
    const item = $("spans-item-template").content.firstElementChild.cloneNode(true);
    const quoted = text.text.slice(error.start, error.end);
    const open = item.querySelector(".item-open");
    const kind = joined(say(`${error.severity}_error`), error.category, error.suggested && say("suggested"));
    open.append(labelled(kind, ""), quote({ ...text, text: quoted }));
    open.classList.add(error.severity);
    open.classList.toggle("suggested", error.suggested);
    open.addEventListener("click", () => onOpen(error, open));
    const remove = item.querySelector(".item-remove");
    remove.setAttribute("aria-label", labelled(say("remove"), `“${quoted}”`));
    remove.addEventListener("click", () => onRemove(error));
    return item;
  });
}
