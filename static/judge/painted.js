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
