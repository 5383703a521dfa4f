// Selections by mouse or touch, extended to whole words; the menu opens at once.

import { placeOf } from "../later/text_nodes.js";
import { snapped } from "./places.js";

// Dragging the handles of a selection takes time.
const SETTLED_MS = 500;

export class Pointer {
  isTouch = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling;

  /** @param {SpansScreen} screen */
  constructor(screen) {
    this.screen = screen;
    document.addEventListener("pointerdown", ({ pointerType }) => (this.isTouch = pointerType === "touch"), { capture: true });
    // The browser changes the selection only after the event.
    document.addEventListener("pointerup", ({ altKey }) => this.isTouch || setTimeout(() => this.#take(altKey)));
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
    const error = output.errorAround(stretch);
    output.goTo(stretch.start);
    // A double click on a word of an error selects the whole error.
    if (!error) output.pick(stretch);
    this.screen.choose(output, error ?? stretch, error?.severity ?? null);
  }

  #offer() {
    const selected = this.selection();
    if (selected) this.screen.choose(selected.output, selected.stretch, null);
  }
}
