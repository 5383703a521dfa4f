// Selections by mouse or touch, extended to whole words; the menu opens at once.

import { isWriting } from "../keys.js";
import { isUnder, placeOf, rangeOf } from "../later/text_nodes.js";
import { snapped, stopsOf } from "./places.js";

// Dragging the handles of a selection takes time.
const SETTLED_MS = 500;
// A number or a name in Latin letters.
const LEFT_TO_RIGHT = /^[\p{N}\p{Script=Latin}]/u;

export class Pointer {
  isTouch = false;
  // The text selected last.
  #selectedText = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling;
  // Where the mouse button was pressed and released.
  /** @type {PointerEvent[]} */
  #ends = [];

  /** @param {SpansScreen} screen */
  constructor(screen) {
    this.screen = screen;
    document.addEventListener("pointerdown", (event) => this.#pressed(event), { capture: true });
    // The browser changes the selection only after the event. Other buttons open its own menu, for the word under the pointer.
    document.addEventListener("pointerup", (event) => this.isTouch || event.button || setTimeout(() => this.#released(event)));
    document.addEventListener("copy", (event) => this.#copy(event));
    document.addEventListener("selectionchange", () => {
      clearTimeout(this.#settling);
      if (this.isTouch) this.#settling = setTimeout(() => this.#offer(), SETTLED_MS);
    });
  }

  /** @param {PointerEvent} event */
  #pressed(event) {
    this.isTouch = event.pointerType === "touch";
    this.#ends = [event];
  }

  /** @param {PointerEvent} event */
  #released(event) {
    this.#ends.push(event);
    this.#take(event.altKey);
  }

  // The numbers and Latin names at both ends of a selection in a right-to-left text: Firefox puts the caret on their far
  // side, which leaves them out.
  /** @param {SpansOutput} output @returns {Stretch[]} */
  #turnedWords({ candidate, text, isRightToLeft }) {
    if (!isRightToLeft || this.isTouch) return [];
    const words = stopsOf(candidate, false).filter(({ start, end }) => LEFT_TO_RIGHT.test(candidate.text.slice(start, end)));
    return words.filter((word) => this.#ends.some((end) => isUnder(rangeOf(text, word), end)));
  }

  // The selected output and stretch, or null.
  /** @param {boolean} [byCharacter] */
  selection(byCharacter = this.screen.byCharacter) {
    const selection = getSelection();
    const { anchorNode, focusNode } = selection ?? {};
    if (!selection || selection.isCollapsed || !anchorNode || !focusNode || !this.screen.isShown()) return null;
    const output = this.screen.texts.find(({ text }) => text.contains(anchorNode));
    if (!output?.mayMark) return null;
    const from = placeOf(output.text, anchorNode, selection.anchorOffset);
    const to = placeOf(output.text, focusNode, selection.focusOffset);
    const words = byCharacter ? [] : this.#turnedWords(output);
    const start = Math.min(from, to, ...words.map((word) => word.start));
    const end = Math.max(from, to, ...words.map((word) => word.end));
    const stretch = snapped(output.candidate, { start, end }, byCharacter);
    return stretch && { output, stretch };
  }

  // With Alt, single characters.
  /** @param {boolean} isExact */
  #take(isExact) {
    const selected = this.selection(isExact || this.screen.byCharacter);
    if (!selected) return;
    const { output, stretch } = selected;
    getSelection()?.removeAllRanges();
    this.#selectedText = output.candidate.text.slice(stretch.start, stretch.end);
    const error = output.errorAround(stretch);
    output.goTo(stretch.start);
    // A double click on a word of an error selects the whole error.
    if (!error) output.pick(stretch);
    this.screen.choose(output, error ?? stretch, error?.severity ?? null);
  }

  // Copies what is shown as selected, because the browser's own selection is gone.
  /** @param {ClipboardEvent} event */
  #copy(event) {
    if (!this.screen.isShown() || !getSelection()?.isCollapsed || isWriting(/** @type {HTMLElement} */ (event.target))) return;
    const selected = this.screen.texts.map(({ selectedText }) => selectedText).find(Boolean);
    const text = selected ?? (this.screen.choice.isOpen ? this.#selectedText : "");
    if (!text || !event.clipboardData) return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  }

  #offer() {
    const selected = this.selection();
    if (selected) this.screen.choose(selected.output, selected.stretch, null);
  }
}
