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

// Detects input meant for the previous sentence, which would answer the next one unread.
export class Guard {
  #readableAt = -Infinity;
  // Time of the first click of a series, such as a double click.
  #firstAt = -Infinity;

  // Call for each new sentence. No input is accepted until it is painted.
  arm() {
    this.#readableAt = Infinity;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (this.#readableAt === Infinity) this.#readableAt = performance.now() + UNREAD_MS;
      }),
    );
  }

  disarm() {
    this.#readableAt = -Infinity;
  }

  // Uses the time of the event, not of its handling; all clicks of a series count as the first.
  /** @param {UIEvent} event */
  stops({ timeStamp, detail }) {
    if (detail <= 1) this.#firstAt = timeStamp;
    return this.#firstAt < this.#readableAt;
  }
}
