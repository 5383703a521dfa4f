// Polite announcements to screen readers, of changes away from the focus.

import { prepareForText } from "./block.js";

const region = document.getElementById("announcement");
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
  const message = document.createElement("span");
  message.append(words);
  for (const text of texts) {
    if (!text) continue;
    const span = prepareForText(document.createElement("span"), text);
    span.textContent = text.text;
    message.append(" ", span);
  }
  clearTimeout(next);
  if (region.textContent !== message.textContent) return put(message);
  region.replaceChildren();
  next = setTimeout(() => put(message), GONE_MS);
}

/** @param {HTMLElement} message */
function put(message) {
  const { length } = message.textContent;
  region.replaceChildren(...message.childNodes);
  next = setTimeout(() => region.replaceChildren(), CLEAR_MS + length * READ_MS);
}
