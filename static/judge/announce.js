// What a screen reader is told, politely: what changed beside where the focus is.

const place = document.getElementById("announcement");

// `text`, if any, is one under judgment and is read in its own language.
export function announce(words, text) {
  const parts = [words];
  if (text) {
    const span = document.createElement("span");
    Object.assign(span, { lang: text.lang, dir: text.dir, textContent: text.text });
    parts.push(" ", span);
  }
  place.replaceChildren(...parts);
}
