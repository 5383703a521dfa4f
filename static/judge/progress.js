// The judge's progress in the campaign and an estimate of the remaining time.

import { lengthOf, say } from "./words.js";

// The minimum length of a HIT whose position is shown if the judge has no target.
const LONG_HIT = 5;

/** @type {ById} */
const $ = (id) => document.getElementById(id);

export class Progress {
  done = 0;
  /** @type {number | null} */
  wanted = null;
  // Training is labelled as practice and its sentences are not counted.
  isPractice = false;
  // Per sentence, as estimated by the server; null if there is no estimate.
  /** @type {number | null} */
  #minutesEach = null;
  #arrivedAt = -Infinity;

  // The server's count applies, unless a submission is unsent or arrived after the request.
  /** @param {CountedProgress} counted @param {{ waiting: number, asked: number }} since */
  learn({ done, wanted, minutes_left: minutesLeft }, { waiting, asked: requestedAt }) {
    this.done = waiting || requestedAt <= this.#arrivedAt ? Math.max(this.done, done) : done;
    this.wanted = wanted;
    const remaining = (wanted ?? 0) - done;
    this.#minutesEach = minutesLeft === null || remaining <= 0 ? null : minutesLeft / remaining;
    this.show();
  }

  // A submission has reached the server.
  arrived() {
    this.#arrivedAt = performance.now();
  }

  add() {
    this.done += 1;
    this.show();
  }

  get #words() {
    const { done, wanted } = this;
    if (this.isPractice) return say("practice");
    // The last HIT may have more sentences than are still wanted.
    return wanted === null || done > wanted ? say("done", { n: done }) : say("done_of", { done, wanted });
  }

  // A summary at the end of a HIT: number and the day's work so far, never quality.
  /** @param {string} today */
  summary(today) {
    return `${this.#words}. ${today}`.trim();
  }

  show() {
    const { done, wanted } = this;
    const bar = $("bar");
    $("count").textContent = this.#words;
    bar.hidden = wanted === null || this.isPractice;
    $("minutes").textContent = "";
    if (wanted === null || this.isPractice) return;
    bar.max = wanted;
    bar.value = Math.min(done, wanted);
    $("minutes").textContent = this.#estimate(wanted - done);
  }

  // Rounded to minutes up to ten, then to five minutes.
  /** @param {number} remaining */
  #estimate(remaining) {
    if (this.#minutesEach === null || remaining <= 0) return "";
    const minutes = remaining * this.#minutesEach;
    const step = minutes < 10 ? 1 : 5;
    return say("time_left", { time: lengthOf(Math.max(1, Math.round(minutes / step) * step) * 60) });
  }

  // The position in the HIT. Visible after going back or without a target; otherwise only for screen readers.
  /** @param {{ position: number, total: number, revised: boolean, isPractice?: boolean }} place */
  showSentence({ position, total, revised, isPractice = false }) {
    this.isPractice = isPractice;
    this.show();
    $("sentence").textContent = say(revised ? "sentence_revised" : "sentence", { position, total });
    $("sentence").classList.toggle("visually-hidden", !revised && (this.wanted !== null || total < LONG_HIT));
  }
}
