// For work that can wait until the judge sees what a key did: sending and keeping take a moment.

// A tab in the background paints nothing, and is not waited for.
const LONGEST_MS = 100;

/** @param {() => void} work */
export function whenPainted(work) {
  let done = false;
  const once = () => {
    if (!done) work();
    done = true;
  };
  // At the beginning of the next frame, this one has been shown.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(once, 0)));
  setTimeout(once, LONGEST_MS);
}

// Nobody has read a sentence sooner than this after it was painted.
const UNREAD_MS = 800;

// Input meant for the sentence before. Where one tap or key answers, it would answer the next sentence unread.
export class Guard {
  #readableAt = -Infinity;
  // Of a series of clicks, a double one for instance.
  #firstAt = -Infinity;

  // Starts with a new sentence. Until the browser has painted it, nothing is meant for it.
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

  // By when the judge pressed, not when a busy processor came to it; a double click counts as its first.
  /** @param {UIEvent} event */
  stops({ timeStamp, detail }) {
    if (detail <= 1) this.#firstAt = timeStamp;
    return this.#firstAt < this.#readableAt;
  }
}
