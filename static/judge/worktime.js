// What the judge has worked, today and in all: what the server counted, and what was done here since.

import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const A_DAY_MS = 24 * 60 * 60 * 1000;
const MINUTES_AN_HOUR = 60;

// "1 h 42 min": whole minutes that have passed.
/** @param {number} seconds */
export function lengthOf(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (!minutes) return say("length_seconds");
  if (minutes < MINUTES_AN_HOUR) return say("length_minutes", { minutes });
  return say("length_hours", { hours: Math.floor(minutes / MINUTES_AN_HOUR), minutes: minutes % MINUTES_AN_HOUR });
}

export class WorkTime {
  // Null as long as the server was not asked: a part of it would be taken for all.
  /** @type {{ today: Worked, total: Worked } | null} */
  #counted = null;
  // By performance.now().
  #dayEndsAt = Infinity;
  #submissions = 0;
  #learnt = 0;
  #asking = false;

  /** @param {JudgingApi} api @param {Outbox} outbox */
  constructor(api, outbox) {
    this.api = api;
    this.outbox = outbox;
  }

  // One was submitted or skipped; `first`: not a revision.
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

  // Asks the server, unless it does not have all of it yet.
  async refresh() {
    if (this.#asking || this.outbox.waiting().length) return;
    this.#asking = true;
    await this.#ask();
    this.#asking = false;
  }

  async #ask() {
    const submissions = this.#submissions;
    let answer;
    try {
      answer = await this.api.workTime();
    } catch {
      // Without the network what is known stays.
      return;
    }
    // What was submitted meanwhile may be in it or not.
    if (answer.status !== 200 || !answer.data?.total || submissions !== this.#submissions) return;
    const { today, total, seconds_left_today: secondsLeft } = answer.data;
    this.#counted = { today, total };
    this.#dayEndsAt = answer.asked + secondsLeft * 1000;
    this.#learnt = submissions;
  }

  async refreshIfBehind() {
    if (!this.#counted || this.#learnt !== this.#submissions) await this.refresh();
  }

  get known() {
    return this.#counted !== null;
  }

  // Empty where there is nothing to say yet, as `total()`.
  today() {
    this.#turnDay();
    return this.#say("worked_today", this.#counted?.today);
  }

  total() {
    return this.#say("worked_total", this.#counted?.total);
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

// In the menu; the server is asked when the first sentence is there, not before.
/** @param {Page} page */
export function prepareWorkTime(page) {
  const { worktime } = page;
  const menu = $("more-menu");

  function show() {
    $("worked-today").textContent = worktime.today();
    $("worked-total").textContent = worktime.total();
  }

  function learn() {
    if (page.block && !worktime.known) worktime.refresh();
  }

  page.addEventListener("shown", learn);
  page.outbox.addEventListener("sent", learn);
  menu.addEventListener("toggle", async () => {
    if (!menu.matches(":popover-open")) return;
    show();
    await worktime.refresh();
    show();
  });
}
