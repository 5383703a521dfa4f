// A row for each output with its rank buttons.

import { marked, writeText } from "../block.js";
import { DOUBLE_MS } from "../painted.js";
import { OutputRows } from "../rows.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const template = $("row-template");
// As in judge.css: the sizes at which only the active row shows its ranks.
const PHONE = matchMedia("(max-width: 560px) and (min-height: 481px)");

export const isFolded = () => PHONE.matches && $("outputs").dataset.layout === "list";

/** @extends {OutputRows<RankingAnswer>} */
export class Rows extends OutputRows {
  #onRank;
  #onIgnored;
  // The labels removed by `clearAll`, to be restored.
  /** @type {Label[] | null} */
  #cleared = null;
  /** @type {Run[][] | null} */
  #runs = null;
  /** @type {Beside | null} */
  #beside = null;
  // True while the page itself moves the focus and scrolls.
  #isMoving = false;
  // The last rank chosen by a pointer.
  /** @type {{ input: HTMLInputElement | null, at: number }} */
  #last = { input: null, at: -Infinity };

  // Calls `onRank` when the judge uses a pointer or the radio buttons' own keys, with null for a removed rank;
  // `onIgnored` if a tap is not counted.
  /** @param {{ onRank: (index: number, rank: Label, isPointed: boolean) => void, onIgnored: () => void }} calls */
  constructor({ onRank, onIgnored }) {
    super();
    this.#onRank = onRank;
    this.#onIgnored = onIgnored;
  }

  /** @param {Block<RankingAnswer>} block */
  show(block) {
    this.#cleared = this.#runs = this.#beside = null;
    this.arrange(block, (index) => this.#make(index));
    $("rows").classList.remove("aligned");
    this.showLabels();
  }

  /** @param {number} index */
  #make(index) {
    const row = template.content.firstElementChild.cloneNode(true);
    /** @type {HTMLInputElement | null} */
    let wasChecked = null;
    let isPointed = false;
    row.addEventListener("keydown", () => (isPointed = false));
    for (const input of row.querySelectorAll("input")) {
      input.name = `rank-${index}`;
      input.closest("label")?.addEventListener("pointerdown", () => {
        wasChecked = input.checked ? input : null;
        isPointed = true;
      });
      input.addEventListener("change", ({ timeStamp }) => {
        if (isPointed) this.#last = { input, at: timeStamp };
        this.#onRank(index, Number(input.value), isPointed);
      });
      // A second tap removes the rank; radio buttons cannot be unchecked otherwise.
      input.addEventListener("click", (event) => {
        if (isPointed && isFolded() && this.#isSecondTap(input, event)) {
          event.preventDefault();
          this.#onIgnored();
          return;
        }
        if (wasChecked === input) this.#onRank(index, null, true);
        wasChecked = null;
      });
    }
    row.addEventListener("focusin", () => {
      this.activate(index);
      // The keyboard reached a row that opens only now.
      if (!this.#isMoving && isFolded()) row.querySelector(".ranks")?.scrollIntoView({ block: "nearest" });
    });
    row.addEventListener("click", (event) => {
      const selecting = String(getSelection()) !== "";
      const target = /** @type {HTMLElement} */ (event.target);
      if (!target.closest("label") && !selecting) this.focus(index, { preventScroll: !isFolded() });
    });
    return row;
  }

  // A tap on the same rank of another row, too soon to be intended: the first tap of a double tap may have opened the row.
  /** @param {HTMLInputElement} input @param {Event} event */
  #isSecondTap(input, { timeStamp }) {
    const { input: last, at: time } = this.#last;
    return last !== null && last !== input && last.value === input.value && timeStamp - time < DOUBLE_MS;
  }

  /** @param {number} index @param {FocusOptions} [options] */
  focus(index, options) {
    this.#isMoving = true;
    this.focusRow(index, options);
    this.#isMoving = false;
  }

  // Removes all ranks or restores the removed ones; returns the key of the announcement, or null.
  clearAll() {
    const { labels } = this.block.answer;
    const clearing = labels.some((label) => label !== null);
    if (!clearing && !this.#cleared) return null;
    this.block.answer.labels = clearing ? labels.map(() => null) : (this.#cleared ?? labels);
    this.#cleared = clearing ? labels : null;
    this.showLabels();
    return clearing ? "all_cleared" : "all_back";
  }

  showLabels() {
    this.rows.forEach((row, index) => {
      const label = this.block.answer.labels[index];
      for (const input of row.querySelectorAll("input")) input.checked = Number(input.value) === label;
      row.querySelector(".row-letter").dataset.rank = String(label ?? "");
      row.classList.toggle("ranked", label !== null);
      if (label !== null) row.classList.remove("wanting");
    });
  }

  /** @param {Run[][] | null} runs */
  showDifferences(runs) {
    this.#runs = runs;
    this.#write();
  }

  // Aligns sentences across outputs, or shows each text as a whole.
  /** @param {Beside | null} beside */
  showSentences(beside) {
    if (!beside && !this.#beside) return;
    this.#beside = beside;
    $("rows").classList.toggle("aligned", beside !== null);
    $("rows").style.setProperty("--lines", String((beside?.count ?? 0) + 2));
    this.#write();
  }

  #write() {
    this.rows.forEach((row, index) => {
      const candidate = this.block.candidates[index];
      const runs = this.#runs?.[index] ?? [{ text: candidate.text, differs: false }];
      writeText(row.querySelector(".row-text"), candidate, this.#beside?.cut(runs, index) ?? runs.map(marked));
    });
  }
}
