// What a screen reader is told, politely: what changed beside where the focus is.

const place = document.getElementById("announcement");

// `texts`, if any, are of the block and are read in their own language.
export function announce(words, ...texts) {
  const parts = [words];
  for (const text of texts.filter(Boolean)) {
    const span = document.createElement("span");
    Object.assign(span, { lang: text.lang, dir: text.dir, textContent: text.text });
    parts.push(" ", span);
  }
  place.replaceChildren(...parts);
}
