// Defers work, such as sending and storing, until the browser has painted the effect of a key.

// Background tabs do not paint, so do not wait longer.
const LONGEST_MS = 100;

/** @param {() => void} work */
export function whenPainted(work) {
  let isPainted = false;
  const once = () => {
    if (!isPainted) work();
    isPainted = true;
  };
  // This frame has been shown when the next one begins.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(once, 0)));
  setTimeout(once, LONGEST_MS);
}

// No one can read a sentence faster than this.
export const UNREAD_MS = 800;
// The second press or tap of a double one comes sooner.
export const DOUBLE_MS = 350;

// This frame has been shown when the next one begins. Background tabs wait until they are seen.
/** @param {() => void} work */
const onceSeen = (work) => requestAnimationFrame(() => requestAnimationFrame(work));

const MODIFIERS = ["Shift", "Control", "Alt", "Meta", "CapsLock"];

// Detects input meant for the previous sentence, which would answer the next one unread.
export class Guard {
  #readableAt = -Infinity;
  // Time of the first click of a series, such as a double click.
  #firstAt = -Infinity;
  // The last key that was pressed or element that was clicked, and the one that led to this sentence.
  /** @type {string | EventTarget | null} */
  #last = null;
  /** @type {string | EventTarget | null} */
  #leading = null;
  #arrivedAt = -Infinity;
  #settledAt = -Infinity;

  // Call whenever a sentence or menu is shown: the input that led to it is not accepted again until it was painted for a while.
  // Returns the time, by which `leave` knows it.
  arrive(wait = UNREAD_MS) {
    this.#leading = this.#last;
    this.#arrivedAt = performance.now();
    this.#settledAt = Infinity;
    onceSeen(() => {
      if (this.#settledAt === Infinity) this.#settledAt = performance.now() + wait;
    });
    return this.#arrivedAt;
  }

  // Call when that menu has closed: the input that led to it may open it again.
  /** @param {number} arrivedAt */
  leave(arrivedAt) {
    if (arrivedAt === this.#arrivedAt) this.#leading = null;
  }

  // Returns whether a key or click is the one that led to this sentence, once more; any other input ends this.
  /** @param {KeyboardEvent | MouseEvent} event */
  isAgain(event) {
    const input = event instanceof KeyboardEvent ? event.key : event.target;
    if (MODIFIERS.includes(/** @type {string} */ (input))) return false;
    const isSameSeries = event instanceof MouseEvent && event.detail > 1 && this.#firstAt < this.#arrivedAt;
    const isSame = this.#leading !== null && (input === this.#leading || isSameSeries);
    const isHeld = event instanceof KeyboardEvent && event.repeat;
    if (isSame && (isHeld || event.timeStamp < this.#settledAt)) return true;
    this.#last = input;
    this.#leading = null;
    return false;
  }

  // Call for each new sentence. No input is accepted until it is painted.
  arm() {
    this.#readableAt = Infinity;
    onceSeen(() => {
      if (this.#readableAt === Infinity) this.#readableAt = performance.now() + UNREAD_MS;
    });
  }

  disarm() {
    this.#readableAt = -Infinity;
  }

  // Uses the time of the event, not of its handling; all clicks of a series count as the first.
  /** @param {UIEvent} event */
  stops({ timeStamp, detail }) {
    this.begin({ timeStamp, detail });
    return this.#firstAt < this.#readableAt;
  }

  // Notes when a series of clicks began.
  /** @param {{ timeStamp: number, detail: number }} click */
  begin({ timeStamp, detail }) {
    if (detail <= 1) this.#firstAt = timeStamp;
  }
}
