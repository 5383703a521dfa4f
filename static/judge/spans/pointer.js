// Selections by mouse or touch, extended to whole words; the menu opens at once.

import { isWriting } from "../keys.js";
import { placeOf } from "../later/text_nodes.js";
import { snapped } from "./places.js";

// Dragging the handles of a selection takes time.
const SETTLED_MS = 500;

export class Pointer {
  isTouch = false;
  // The text selected last.
  #selectedText = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling;

  /** @param {SpansScreen} screen */
  constructor(screen) {
    this.screen = screen;
    document.addEventListener("pointerdown", ({ pointerType }) => (this.isTouch = pointerType === "touch"), { capture: true });
    // The browser changes the selection only after the event. Other buttons open its own menu, for the word under the pointer.
    document.addEventListener("pointerup", ({ altKey, button }) => this.isTouch || button || setTimeout(() => this.#take(altKey)));
    document.addEventListener("copy", (event) => this.#copy(event));
    document.addEventListener("selectionchange", () => {
      clearTimeout(this.#settling);
      if (this.isTouch) this.#settling = setTimeout(() => this.#offer(), SETTLED_MS);
    });
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
    const stretch = snapped(output.candidate, { start: Math.min(from, to), end: Math.max(from, to) }, byCharacter);
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
