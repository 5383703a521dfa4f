// Polite announcements to screen readers, of changes away from the focus.

import { prepareForText } from "./block.js";

const place = document.getElementById("announcement");
// Leftover text would be read again when a dialog closes; text removed too early is cut off.
const CLEAR_MS = 3000;
// Reading time per character.
const READ_MS = 70;
// WebKit repeats the same words only if they were gone for 100 ms.
const GONE_MS = 150;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;

// `texts` belong to the block and are read in their own languages.
/** @param {string} words @param {(TextOf | null)[]} texts */
export function announce(words, ...texts) {
  const said = document.createElement("span");
  said.append(words);
  for (const text of texts) {
    if (!text) continue;
    const span = prepareForText(document.createElement("span"), text);
    span.textContent = text.text;
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
