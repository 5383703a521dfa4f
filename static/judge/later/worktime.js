// The judge's work, today and in total: as counted by the server, plus what was done here since. Not loaded on the first
// visit, which has nothing to show.

import { lengthOf, say } from "../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const A_DAY_MS = 24 * 60 * 60 * 1000;

export class WorkTime {
  // Null until the server has answered: a part would look like the total.
  /** @type {{ today: Worked, total: Worked } | null} */
  #counted = null;
  // As performance.now().
  #dayEndsAt = Infinity;
  #submissions = 0;
  #learnt = -1;
  #asking = false;

  /** @param {Page} page */
  constructor({ api, outbox }) {
    this.api = api;
    this.outbox = outbox;
    outbox.addEventListener("sent", () => !this.#counted && this.refresh());
    this.menu = $("more-menu");
    this.menu.addEventListener("toggle", () => this.#fillMenu());
    this.#fillMenu();
  }

  // Counts a submission or skip; `first` unless it is a revision.
  /** @param {number} activeMs @param {boolean} first */
  add(activeMs, first) {
    this.#submissions += 1;
    this.#turnDay();
    if (!this.#counted) return;
    for (const worked of [this.#counted.today, this.#counted.total]) {
      worked.sentences += first ? 1 : 0;
      worked.active_seconds += activeMs / 1000;
    }
  }

  // Asks the server, unless some work is still unsent.
  async refresh() {
    if (this.#asking || this.outbox.waiting().length) return;
    this.#asking = true;
    await this.#ask();
    this.#asking = false;
  }

  async refreshIfBehind() {
    if (this.#learnt !== this.#submissions) await this.refresh();
  }

  // Empty if there is nothing to show yet, like `total()`.
  today() {
    this.#turnDay();
    return this.#say("worked_today", this.#counted?.today);
  }

  total() {
    return this.#say("worked_total", this.#counted?.total);
  }

  async #ask() {
    const submissions = this.#submissions;
    let answer;
    try {
      answer = await this.api.workTime();
    } catch {
      // Keep the known numbers while offline.
      return;
    }
    // It may or may not include what was submitted meanwhile.
    if (answer.status !== 200 || !answer.data?.total || submissions !== this.#submissions) return;
    const { today, total, seconds_left_today: secondsLeft } = answer.data;
    this.#counted = { today, total };
    this.#dayEndsAt = answer.asked + secondsLeft * 1000;
    this.#learnt = submissions;
  }

  async #fillMenu() {
    if (!this.menu.matches(":popover-open")) return;
    this.#fill();
    await this.refresh();
    this.#fill();
  }

  #fill() {
    $("worked-today").textContent = this.today();
    $("worked-total").textContent = this.total();
  }

  /** @param {string} key @param {Worked} [worked] */
  #say(key, worked) {
    return worked?.sentences ? say(key, { n: worked.sentences, time: lengthOf(worked.active_seconds) }) : "";
  }

  #turnDay() {
    while (performance.now() >= this.#dayEndsAt) {
      this.#dayEndsAt += A_DAY_MS;
      if (this.#counted) this.#counted.today = { sentences: 0, active_seconds: 0 };
    }
  }
}
