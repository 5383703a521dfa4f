// What a screen reader is told, politely: what changed beside where the focus is.

const place = document.getElementById("announcement");
// What still stands here when a dialog closes would be said again; what goes while it is being read is cut off.
const CLEAR_MS = 3000;
// A character.
const READ_MS = 70;
// WebKit says the same words again only where they were gone for a tenth of a second.
const GONE_MS = 150;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;

// `texts`, if any, are of the block and are read in their own language.
/** @param {string} words @param {(TextOf | null)[]} texts */
export function announce(words, ...texts) {
  const said = document.createElement("span");
  said.append(words);
  for (const text of texts) {
    if (!text) continue;
    const span = document.createElement("span");
    Object.assign(span, { lang: text.lang, dir: text.dir, textContent: text.text });
    said.append(" ", span);
  }
  clearTimeout(next);
  if (place.textContent !== said.textContent) return put(said);
  place.replaceChildren();
  next = setTimeout(() => put(said), GONE_MS);
}

/** @param {HTMLElement} said */
function put(said) {
  const { length } = said.textContent;
  place.replaceChildren(...said.childNodes);
  next = setTimeout(() => place.replaceChildren(), CLEAR_MS + length * READ_MS);
}
