// The text that outputs are compared with, usually the source, aligned by sentence: beside a single output, or above
// several. The current sentence is marked.

import { markBreaks, setText } from "../block.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {string} text @param {number} line */
export function lineOf(text, line) {
  const cell = document.createElement("span");
  cell.dataset.line = String(line);
  cell.textContent = text;
  return markBreaks(cell);
}

// The line of an element.
/** @param {EventTarget | null} target */
function lineUnder(target) {
  const cell = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("[data-line]")) : null;
  return cell ? Number(cell.dataset.line) : null;
}

/** @param {HTMLElement} root @param {number | null} line */
export function markLine(root, line) {
  for (const cell of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-line]"))) {
    cell.classList.toggle("at-line", cell.dataset.line === String(line));
  }
}

export class ComparedText {
  root = $("spans-compared-template").content.firstElementChild.cloneNode(true);
  /** @type {Compared | null} */
  #compared = null;

  // Calls `onLine` with the line under the pointer and `onChosen` with a clicked line.
  /** @param {{ onLine: (line: number | null) => void, onChosen: (line: number) => void }} calls */
  constructor({ onLine, onChosen }) {
    for (const container of [$("texts"), $("rows")]) {
      container.addEventListener("mouseover", ({ target }) => this.#compared && onLine(this.#lineAt(target)));
      container.addEventListener("mouseleave", () => this.#compared && onLine(null));
    }
    for (const container of [$("texts"), this.root]) {
      container.addEventListener("click", ({ target }) => {
        const line = this.#compared && this.#lineAt(target);
        if (line !== null) onChosen(line);
      });
    }
  }

  /** @param {Compared | null} compared */
  show(compared) {
    this.#compared = compared;
    if (!compared) return;
    const { text, lines } = compared;
    const title = this.#paragraph?.closest("[aria-labelledby], [aria-label]")?.querySelector("h2")?.textContent ?? "";
    this.root.setAttribute("aria-label", title);
    /** @type {HTMLElement} */ (this.root.querySelector(".label")).textContent = title;
    const own = setText(/** @type {HTMLElement} */ (this.root.querySelector(".compared-text")), text);
    own.replaceChildren(...lines.map(lineOf));
  }

  // Its element among the texts above, which are rebuilt when context is shown.
  get #paragraph() {
    const all = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#texts :is(.source, .reference)"));
    return Array.from(all).find((candidate) => candidate.textContent === this.#compared?.text.text);
  }

  #inLines() {
    const paragraph = this.#paragraph;
    if (paragraph && this.#compared && !paragraph.querySelector("[data-line]")) {
      paragraph.replaceChildren(...this.#compared.lines.map(lineOf));
    }
    return paragraph;
  }

  /** @param {EventTarget | null} target */
  #lineAt(target) {
    this.#inLines();
    return lineUnder(target);
  }

  /** @param {number | null} line */
  mark(line) {
    if (!this.#compared) return;
    markLine(this.root, line);
    const paragraph = this.#inLines();
    if (!paragraph) return;
    markLine(paragraph, line);
    const cell = /** @type {HTMLElement | null} */ (paragraph.querySelector(".at-line"));
    const part = /** @type {HTMLElement | null} */ (paragraph.closest("#texts > *"));
    if (cell && part?.contains(cell)) bringIntoView(cell, part);
  }
}

// Scrolls only the part itself.
/** @param {HTMLElement} cell @param {HTMLElement} part */
function bringIntoView(cell, part) {
  const label = part.querySelector("h2")?.offsetHeight ?? 0;
  const top = cell.offsetTop - label;
  const bottom = cell.offsetTop + cell.offsetHeight;
  if (top < part.scrollTop || cell.offsetHeight > part.clientHeight - label) part.scrollTop = top;
  else if (bottom > part.scrollTop + part.clientHeight) part.scrollTop = bottom - part.clientHeight;
}
