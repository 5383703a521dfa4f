// How long a block took: on the clock, and actively, which is while the page is in front of a judge
// who does something at least once a minute. Reading is doing: a pause counts up to that minute.

const IDLE_CAP_MS = 60_000;
const SIGNS_OF_LIFE = ["pointerdown", "pointermove", "keydown", "scroll", "touchstart", "wheel"];

export class Clock {
  constructor() {
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
    this.started = this.last = performance.now();
    this.attended = this.#isAttended();
  }

  read() {
    this.#count();
    return {
      durationMs: Math.round(this.durationBefore + performance.now() - this.started),
      activeMs: Math.round(this.active),
    };
  }

  // The span since the last sign of life counts if the page was in front when it began.
  #count() {
    const now = performance.now();
    if (this.attended) this.active += Math.min(now - this.last, IDLE_CAP_MS);
    this.last = now;
    this.attended = this.#isAttended();
  }

  #isAttended() {
    return document.visibilityState === "visible" && document.hasFocus();
  }
}
