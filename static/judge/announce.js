// What a screen reader is told, politely: what changed beside where the focus is.

const place = document.getElementById("announcement");
// What still stands here when a dialog closes would be said again.
const CLEAR_MS = 3000;
let clearing = 0;

// `texts`, if any, are of the block and are read in their own language.
export function announce(words, ...texts) {
  const parts = [words];
  for (const text of texts.filter(Boolean)) {
    const span = document.createElement("span");
    Object.assign(span, { lang: text.lang, dir: text.dir, textContent: text.text });
    parts.push(" ", span);
  }
  place.replaceChildren(...parts);
  clearTimeout(clearing);
  clearing = setTimeout(() => place.replaceChildren(), CLEAR_MS);
}
