// Marks all occurrences of the word under the mouse pointer in the source, reference and outputs of the sentence,
// ignoring case.

import { tokens } from "../differences.js";
import { isUnder, placeUnder, rangeOf } from "./text_nodes.js";

const NAME = "same-word";
const PLACES = "#document [aria-current] .reading, #texts .reading, #rows .reading:not(textarea)";

/** @param {string} word @param {string} lang */
const key = (word, lang) => word.normalize("NFC").replace(/\p{Cf}/gu, "").toLocaleLowerCase(lang || undefined);

// The words of a text with their positions, without punctuation and spaces.
/** @param {HTMLElement} element */
function wordsOf({ textContent, lang }) {
  let end = 0;
  return tokens(textContent ?? "", lang).flatMap((part) => {
    const start = end;
    end += part.length;
    return /[\p{L}\p{N}]/u.test(part) ? [{ start, end, key: key(part, lang) }] : [];
  });
}

export class SameWords {
  #last = "";
  #follow = (/** @type {PointerEvent} */ event) => this.#markUnder(event);

  start() {
    // Only browsers that can highlight without changing the text do it.
    if (CSS.highlights) document.addEventListener("pointermove", this.#follow);
  }

  stop() {
    document.removeEventListener("pointermove", this.#follow);
    this.#mark("");
  }

  /** @param {PointerEvent} event */
  #markUnder(event) {
    if (event.pointerType !== "mouse") return;
    const under = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(PLACES)) : null;
    const offset = under && placeUnder(under, event);
    // A caret is between characters, so it can be after one word and before the next.
    const words = under && offset !== null ? wordsOf(under).filter(({ start, end }) => start <= offset && offset <= end) : [];
    const word = words.find((candidate) => under && isUnder(rangeOf(under, candidate), event));
    this.#mark(word?.key ?? "");
  }

  /** @param {string} target */
  #mark(target) {
    if (target === this.#last) return;
    this.#last = target;
    if (!target) {
      CSS.highlights?.delete(NAME);
      return;
    }
    const places = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(PLACES)]);
    const ranges = places
      .filter((element) => element.checkVisibility())
      .flatMap((element) => wordsOf(element).flatMap((word) => (word.key === target ? [rangeOf(element, word)] : [])));
    CSS.highlights.set(NAME, new Highlight(...ranges));
  }
}
