// The score of one output: a slider for pointers, and a field for keyboards and screen readers.

import { letterOf, letterOfKey, lettersOn, STEPS } from "../keys.js";
import { say } from "../words.js";
import { scoreOf, stepped } from "./scores.js";

const MIDDLE = "50";

export class Scoring {
  /** @type {number | null} */
  #score = null;

  /**
   * @param {HTMLElement} output
   * @param {number} index
   * @param {{ onScore: (score: number | null) => void, onDone: () => void, onBack: () => void, onMove: (by: number) => void }} calls
   */
  constructor(output, index, calls) {
    this.output = output;
    this.calls = calls;
    this.field = output.querySelector(".score-field");
    this.slider = output.querySelector(".score-slider");
    this.field.setAttribute("aria-label", say("score_of", { letter: letterOf(index) }));
    this.field.addEventListener("input", () => this.#written());
    this.field.addEventListener("blur", () => this.#write());
    this.field.addEventListener("focus", () => this.field.select());
    this.field.addEventListener("keydown", (event) => this.#pressed(event));
    this.slider.addEventListener("keydown", (event) => this.#pressed(event));
    // Pressing the slider at its current value fires no input event.
    for (const name of ["input", "pointerup"]) {
      this.slider.addEventListener(name, () => this.#give(Number(this.slider.value)));
    }
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
    // Do not change the field while the judge is typing.
    if (scoreOf(this.field.value) !== score) this.#write();
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
    this.field.value = this.#score === null ? "" : String(this.#score);
  }

  #written() {
    const score = scoreOf(this.field.value);
    if (score === undefined) this.#write();
    else this.#give(score);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const { key, repeat } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return;
    // Keys that type nothing into the field.
    const by = lettersOn() ? STEPS[letterOfKey(event) ?? ""] : undefined;
    if (by) {
      event.preventDefault();
      return this.calls.onMove(by);
    }
    const score = stepped(this.#score, key);
    if (score === undefined && key !== "Enter" && key !== "Escape") return;
    event.preventDefault();
    if (score !== undefined) this.#give(score);
    else if (key === "Escape") this.calls.onBack();
    else if (!repeat) this.calls.onDone();
  }
}
