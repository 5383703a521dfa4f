// How far the judge is in all of their work in the campaign, and about how long the rest takes.

import { lengthOf, say } from "./words.js";

// From so many sentences on, a place in the HIT is worth showing to a judge whose number of sentences is open.
const LONG_HIT = 5;

/** @type {ById} */
const $ = (id) => document.getElementById(id);

export class Progress {
  done = 0;
  /** @type {number | null} */
  wanted = null;
  // Of training, which explains each answer: it is called practice all the time, and its sentences are not counted in words.
  isPractice = false;
  // Of one sentence, by the server's estimate; null as long as there is none.
  /** @type {number | null} */
  #minutesEach = null;
  #arrivedAt = -Infinity;

  // The server's count wins, unless an answer is on its way there or arrived there after the count was asked for.
  /** @param {CountedProgress} counted @param {{ waiting: number, asked: number }} since */
  learn({ done, wanted, minutes_left: minutesLeft }, { waiting, asked }) {
    this.done = waiting || asked <= this.#arrivedAt ? Math.max(this.done, done) : done;
    this.wanted = wanted;
    const left = (wanted ?? 0) - done;
    this.#minutesEach = minutesLeft === null || left <= 0 ? null : minutesLeft / left;
    this.show();
  }

  // An answer has arrived at the server.
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
    return wanted === null ? say("done", { n: done }) : say("done_of", { done, wanted });
  }

  // At the end of a HIT: how many, how long; never how well.
  /** @param {Hit} hit */
  summaryOf({ activeMs = 0 }) {
    const minutes = Math.round(activeMs / 60_000);
    return `${this.#words}. ${minutes ? say("took", { n: minutes }) : say("took_seconds")}`;
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

  // In steps that an estimate deserves: of one minute up to ten, then of five.
  /** @param {number} left */
  #estimate(left) {
    if (this.#minutesEach === null || left <= 0) return "";
    const minutes = left * this.#minutesEach;
    const step = minutes < 10 ? 1 : 5;
    return say("time_left", { time: lengthOf(Math.max(1, Math.round(minutes / step) * step) * 60) });
  }

  // The place in the HIT is told to screen readers. It is shown after going back, and where the whole is not known.
  /** @param {{ position: number, total: number, revised: boolean, isPractice?: boolean }} place */
  showSentence({ position, total, revised, isPractice = false }) {
    this.isPractice = isPractice;
    this.show();
    $("sentence").textContent = say(revised ? "sentence_revised" : "sentence", { position, total });
    $("sentence").classList.toggle("visually-hidden", !revised && (this.wanted !== null || total < LONG_HIT));
  }
}
