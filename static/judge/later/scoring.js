// The score of one output: a slider for pointers, and a field for keyboards and screen readers.

import { isComposing, letterOfKey, lettersOn, STEPS } from "../keys.js";
import { say } from "../words.js";
import { scoreOf, stepped } from "./scores.js";

const MIDDLE = "50";
// Moving a finger this far up or down scrolls, in pixels; browsers decide at similar distances.
const SCROLL = 12;

export class Scoring {
  /** @type {number | null} */
  #score = null;
  // Where a finger was put on the slider; null while none is there.
  /** @type {{ x: number, y: number } | null} */
  #touch = null;
  // Whether the field holds something that is no score.
  #isInvalid = false;

  /**
   * @param {HTMLElement} output
   * @param {string} name of the field
   * @param {{ onScore: (score: number | null) => void, onDone: () => void, onBack: () => unknown, onMove: (by: number) => void, onInvalid: () => void }} calls
   */
  constructor(output, name, calls) {
    this.output = output;
    this.calls = calls;
    this.field = output.querySelector(".score-field");
    this.slider = output.querySelector(".score-slider");
    this.field.setAttribute("aria-label", name);
    this.field.addEventListener("input", () => this.#written());
    this.field.addEventListener("blur", () => this.#isInvalid || this.#write());
    this.field.addEventListener("focus", () => this.field.select());
    this.field.addEventListener("keydown", (event) => this.#pressed(event));
    this.slider.addEventListener("keydown", (event) => this.#pressed(event));
    this.slider.addEventListener("input", () => this.#slid());
    this.slider.addEventListener("pointerdown", (event) => this.#touched(event));
    // Pressing the slider at its current value fires no input event.
    this.slider.addEventListener("pointerup", (event) => this.#released(event));
    this.slider.addEventListener("pointercancel", () => this.#scrolled());
  }

  // A touch moves the slider before the browser knows whether the finger slides or scrolls, so its score counts at the end.
  /** @param {PointerEvent} event */
  #touched({ pointerType, clientX: x, clientY: y }) {
    this.#touch = pointerType === "touch" ? { x, y } : null;
  }

  #slid() {
    if (!this.#touch) {
      this.#give(Number(this.slider.value));
      return;
    }
    this.field.value = this.slider.value;
    this.output.classList.remove("unscored");
  }

  /** @param {PointerEvent} event */
  #released({ clientX, clientY }) {
    const touch = this.#touch;
    const up = Math.abs(clientY - (touch?.y ?? clientY));
    const along = Math.abs(clientX - (touch?.x ?? clientX));
    if (touch && up > SCROLL && up > along) return this.#scrolled();
    this.#touch = null;
    this.#give(Number(this.slider.value));
    // Nothing is given if the finger returned to the score.
    this.#write();
  }

  // Goes back to the score before the touch.
  #scrolled() {
    this.#touch = null;
    this.show(this.#score);
    this.#write();
  }

  /** @param {number | null} score */
  show(score) {
    this.#score = score;
    this.slider.value = score === null ? MIDDLE : String(score);
    this.output.classList.toggle("unscored", score === null);
    if (score === null) {
      this.field.removeAttribute("aria-valuenow");
      this.field.setAttribute("aria-valuetext", say("no_score"));
    } else {
      this.field.setAttribute("aria-valuenow", String(score));
      this.field.removeAttribute("aria-valuetext");
      this.want(false);
    }
    // Do not change the field while the judge is typing, nor what they have to correct.
    if (scoreOf(this.field.value) !== score && !(this.#isInvalid && score === null)) this.#write();
  }

  // Empties the field for another output.
  clear() {
    this.#isInvalid = false;
    this.#score = null;
    this.#write();
    this.want(false);
  }

  get isInvalid() {
    return this.#isInvalid;
  }

  focus() {
    this.field.focus();
  }

  /** @param {boolean} wanting */
  want(wanting) {
    this.output.classList.toggle("wanting", wanting);
    this.field.setAttribute("aria-invalid", String(wanting));
  }

  /** @param {number | null} score */
  #give(score) {
    if (score !== this.#score) this.calls.onScore(score);
  }

  #write() {
    this.#isInvalid = false;
    this.field.value = this.#score === null ? "" : String(this.#score);
  }

  #written() {
    const score = scoreOf(this.field.value);
    const wasInvalid = this.#isInvalid;
    this.#isInvalid = score === undefined;
    if (wasInvalid !== this.#isInvalid) this.want(this.#isInvalid);
    this.#give(score ?? null);
    if (this.#isInvalid && !wasInvalid) this.calls.onInvalid();
    else if (wasInvalid && score === null) this.calls.onScore(score);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const { key, repeat } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || isComposing(event)) return;
    // Keys that type nothing into the field.
    const by = lettersOn() ? STEPS[letterOfKey(event) ?? ""] : undefined;
    if (by) {
      event.preventDefault();
      return this.calls.onMove(by);
    }
    const score = stepped(this.#score, key);
    if (score === undefined && key !== "Enter" && key !== "Escape") return;
    // The page's own Escape follows if the focus stays.
    if (key === "Escape" && this.calls.onBack() === false) return;
    event.preventDefault();
    if (score !== undefined) this.#give(score);
    else if (this.#isInvalid) this.calls.onInvalid();
    else if (key === "Enter" && !repeat) this.calls.onDone();
  }
}
