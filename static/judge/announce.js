// What a screen reader is told, politely: what changed beside where the focus is.

const place = document.getElementById("announcement");
// What still stands here when a dialog closes would be said again.
const CLEAR_MS = 3000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let clearing;

// `texts`, if any, are of the block and are read in their own language.
/** @param {string} words @param {(TextOf | null)[]} texts */
export function announce(words, ...texts) {
  /** @type {(string | HTMLElement)[]} */
  const parts = [words];
  for (const text of texts) {
    if (!text) continue;
    const span = document.createElement("span");
    Object.assign(span, { lang: text.lang, dir: text.dir, textContent: text.text });
    parts.push(" ", span);
  }
  place.replaceChildren(...parts);
  clearTimeout(clearing);
  clearing = setTimeout(() => place.replaceChildren(), CLEAR_MS);
}
