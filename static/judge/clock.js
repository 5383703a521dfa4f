// Measures how long a block took, in total and actively. Time is active while the page is in front and the judge does
// something now and then; a judge may read without moving for as long as the block's texts allow. After that the judge
// is away ("away"), and no time counts until they return. Time in another window does not count ("attention": the judge
// left or came back), but a judge may look something up there before they are away.

import { tokens } from "./differences.js";

const ELSEWHERE_MS = 75_000;
// Also while a recording plays.
const SIGNS_OF_LIFE = ["pointerdown", "pointermove", "keydown", "scroll", "touchstart", "wheel", "timeupdate"];

export class Clock extends EventTarget {
  // Active time since the page was opened, for all blocks.
  worked = 0;
  away = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #allowed = 60_000;
  // As performance.now().
  started = 0;
  last = 0;
  durationBefore = 0;
  active = 0;
  attended = false;

  constructor() {
    super();
    this.start();
    for (const name of SIGNS_OF_LIFE) {
      addEventListener(name, () => this.#count(), { passive: true, capture: true });
    }
    for (const name of ["focus", "blur", "pageshow", "pagehide"]) addEventListener(name, () => this.#count());
    document.addEventListener("visibilitychange", () => this.#count());
  }

  start({ durationMs = 0, activeMs = 0 } = {}) {
    this.durationBefore = durationMs;
    this.active = activeMs;
    this.started = performance.now();
    this.back();
  }

  // `stillness`: milliseconds without activity that still count.
  /** @param {number} stillness */
  allow(stillness) {
    this.#allowed = stillness;
    this.#watch();
  }

  back() {
    this.away = false;
    this.last = performance.now();
    this.attended = this.#isAttended();
    this.#watch();
    this.dispatchEvent(new Event("attention"));
  }

  // The time of this block that does not count, in ms. Has no side effects.
  get uncounted() {
    const now = performance.now();
    const running = this.counts ? Math.min(now - this.last, this.#allowed) : 0;
    return Math.max(0, this.durationBefore + now - this.started - this.active - running);
  }

  get counts() {
    return this.attended && !this.away;
  }

  read() {
    this.#count();
    const durationMs = Math.round(this.durationBefore + performance.now() - this.started);
    // Never more than the total, even if a draft says so.
    return { durationMs, activeMs: Math.min(Math.round(this.active), durationMs) };
  }

  // The time since the last activity counts if the page was in front when it began.
  #count() {
    if (this.away) return;
    const span = performance.now() - this.last;
    if (this.attended) {
      const counted = Math.min(span, this.#allowed);
      this.active += counted;
      this.worked += counted;
    }
    const tooLong = span >= this.#patience();
    this.last += span;
    const attended = this.#isAttended();
    const changed = attended !== this.attended;
    this.attended = attended;
    if (tooLong) this.leave();
    else if (changed) this.#watch();
    if (changed) this.dispatchEvent(new Event("attention"));
  }

  leave() {
    this.away = true;
    clearTimeout(this.#timer);
    this.dispatchEvent(new Event("away"));
  }

  // One timer, which activity does not reset, because events are frequent; it restarts itself if it fires too early.
  #watch() {
    clearTimeout(this.#timer);
    const remaining = this.last + this.#patience() - performance.now();
    this.#timer = setTimeout(() => this.#look(), Math.max(0, remaining));
  }

  #look() {
    if (performance.now() - this.last >= this.#patience()) this.#count();
    else this.#watch();
  }

  #patience() {
    return this.attended ? this.#allowed : ELSEWHERE_MS;
  }

  #isAttended() {
    return document.visibilityState === "visible" && document.hasFocus();
  }
}

// The longest time to read a block without moving. Among the 17 languages of IReST (Trauzettel-Klosinski and Dietz
// 2012, read aloud, 184 words per minute on average), Arabic is slowest with 138 words per minute; Chinese is read at 255
// characters per minute. Judging is slower than reading, so allow half these speeds and half a minute to think.

const WORDS_A_MINUTE = 70;
const CHARACTERS_A_MINUTE = 125;
const TO_THINK_MS = 30_000;
const AT_MOST_MS = 5 * 60_000;

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** @param {TextOf} text */
export function minutesToRead({ text, lang }) {
  const characters = text.match(WITHOUT_SPACES)?.length ?? 0;
  const rest = text.replace(WITHOUT_SPACES, " ");
  const words = tokens(rest, lang).filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
  return words / WORDS_A_MINUTE + characters / CHARACTERS_A_MINUTE;
}

// For source, references and outputs of blocks together, in milliseconds.
/** @param {Block[]} blocks */
export function stillnessAllowed(...blocks) {
  const texts = blocks.flatMap(({ source, references, candidates }) => [...(source ? [source] : []), ...references, ...candidates]);
  const minutes = texts.reduce((sum, text) => sum + minutesToRead(text), 0);
  return Math.min(AT_MOST_MS, TO_THINK_MS + Math.round(minutes * 60_000));
}
