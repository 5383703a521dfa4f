// One block on the page: source, references and their neighbours at the side, a row for each output.
// Texts are only ever set as text, each with its own language and direction.

import { differences } from "./differences.js";
import { letterOf } from "./order.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const template = $("row-template");

/** @template {HTMLElement} E @param {E} element @param {TextOf} text */
function setText(element, { text, lang, dir }) {
  element.textContent = text;
  element.lang = lang;
  element.dir = dir;
  return element;
}

/** @param {TextOf} text @param {string} className */
function paragraph(text, className) {
  const element = document.createElement("p");
  element.className = `reading ${className}`;
  return setText(element, text);
}

// Before and after; folded, only the nearest neighbour on each side is there.
/**
 * @param {HTMLElement} own
 * @param {Context} context
 * @param {"source" | "reference"} side
 * @param {boolean} expanded
 */
function withNeighbours(own, context, side, expanded) {
  /** @type {(list: Neighbour[], from: number) => Neighbour[]} */
  const near = (list, from) => (expanded ? list : list.slice(from, from < 0 ? undefined : 1));
  /** @type {(list: Neighbour[]) => TextOf[]} */
  const texts = (list) => list.flatMap((each) => each[side] ?? []);
  return [
    ...texts(near(context.before, -1)).map((text) => paragraph(text, "neighbour")),
    own,
    ...texts(near(context.after, 0)).map((text) => paragraph(text, "neighbour")),
  ];
}

/** @param {Block} block @param {boolean} expanded */
export function showTexts(block, expanded) {
  /** @type {Context} */
  const context = { before: [], after: [], ...block.context };
  // A campaign may hide the source; it is not sent then.
  $("source-part").hidden = !block.source;
  const source = block.source ? [paragraph(block.source, "source")] : [];
  $("source").replaceChildren(...(source.length ? withNeighbours(source[0], context, "source", expanded) : []));

  const part = $("reference-part");
  part.replaceChildren();
  block.references.forEach((reference, index) => {
    const title = document.createElement("h2");
    title.className = "label";
    title.textContent =
      block.references.length > 1 ? say("reference_numbered", { number: index + 1 }) : say("reference");
    const own = paragraph(reference, "reference");
    const neighbours = expanded && index === 0;
    part.append(title, ...(neighbours ? withNeighbours(own, context, "reference", true) : [own]));
  });
}

// A character of Chinese is as wide as two others.
/** @param {TextOf} text */
const widthOf = ({ text }) => text.length + (text.match(/[\u2e80-\ud7ff\uf900-\ufaff]/g)?.length ?? 0);

// Decides how much air the outputs can be given. A source can be longer than what it becomes in Chinese.
/** @param {Block} block */
function lengthOf({ candidates, source }) {
  const outputs = candidates.reduce((sum, candidate) => sum + widthOf(candidate), 0);
  const width = Math.max(outputs, source ? candidates.length * widthOf(source) : 0);
  if (width > 2200) return "long paragraph";
  if (width > 1100) return "long";
  return width > 600 ? "medium" : "short";
}

// A run of an output's text, marked where it differs.
/** @param {Run} run */
export function marked({ text, differs }) {
  if (!differs) return text;
  const mark = document.createElement("mark");
  mark.textContent = text;
  return mark;
}

// The same rows for block after block: for new ones the browser would have twice the work.
export class Rows {
  /** @type {HTMLElement[]} */
  rows = [];
  active = 0;
  block = /** @type {Block} */ (/** @type {unknown} */ (null));
  // All there ever were, by place.
  /** @type {HTMLElement[]} */
  #made = [];
  // What each is called, as long as it is not introduced with more.
  /** @type {string[]} */
  #names = [];
  #onRank;
  // What `clearAll` took away, to be brought back.
  /** @type {Label[] | null} */
  #cleared = null;
  /** @type {Run[][] | null} */
  #runs = null;
  /** @type {Beside | null} */
  #beside = null;

  // `onRank(index, rank or null)` when the judge chose by pointer or by the radio's own keys.
  /** @param {(index: number, rank: Label) => void} onRank */
  constructor(onRank) {
    this.#onRank = onRank;
  }

  /** @param {Block} block */
  show(block) {
    this.block = block;
    this.#cleared = this.#runs = this.#beside = null;
    this.rows = block.candidates.map((candidate, index) => {
      const row = (this.#made[index] ??= this.#make(index));
      setText(row.querySelector(".row-text"), candidate);
      // In so many words: of a name put together from elements Orca says some twice, or in another order.
      this.#names[index] = `${row.querySelector(".row-letter").textContent} ${candidate.text}`;
      row.setAttribute("aria-label", this.#names[index]);
      row.classList.remove("wanting");
      return row;
    });
    const there = /** @type {HTMLElement[]} */ (Array.from($("rows").querySelectorAll(".row")));
    if (there.length !== this.rows.length || !this.rows.every((row) => there.includes(row))) {
      $("rows").replaceChildren(...this.rows);
    }
    $("rows").classList.remove("aligned");
    $("outputs").dataset.length = lengthOf(block);
    this.showLabels();
    this.#activate(0);
  }

  /** @param {number} index */
  #make(index) {
    const row = template.content.firstElementChild.cloneNode(true);
    row.querySelector(".row-letter b").textContent = letterOf(index);
    row.addEventListener("focusout", () => row.setAttribute("aria-label", this.#names[index]));

    /** @type {HTMLInputElement | null} */
    let wasChecked = null;
    for (const input of row.querySelectorAll("input")) {
      input.name = `rank-${index}`;
      input.closest("label")?.addEventListener("pointerdown", () => {
        wasChecked = input.checked ? input : null;
      });
      input.addEventListener("change", () => this.#onRank(index, Number(input.value)));
      // A second tap takes the rank away; a radio button alone could never be blank again.
      input.addEventListener("click", () => {
        if (wasChecked === input) this.#onRank(index, null);
        wasChecked = null;
      });
    }
    row.addEventListener("focusin", () => this.#activate(index));
    row.addEventListener("click", (event) => {
      const selecting = String(getSelection()) !== "";
      const target = /** @type {HTMLElement} */ (event.target);
      if (!target.closest("label") && !selecting) this.focus(index, { preventScroll: true });
    });
    return row;
  }

  /** @param {number} index */
  #activate(index) {
    this.active = index;
    this.rows.forEach((row, each) => row.classList.toggle("active", each === index));
  }

  // The next or the last as they stand on the page, which in tiers is not by letter.
  /** @param {number} by */
  neighbour(by) {
    /** @type {HTMLElement[]} */
    const shown = Array.from($("rows").querySelectorAll(".row"));
    const row = shown[shown.indexOf(this.rows[this.active]) + by];
    return row ? this.rows.indexOf(row) : null;
  }

  /** @param {number} index @param {FocusOptions} [options] */
  focus(index, options) {
    const row = this.rows[index];
    this.#activate(index);
    (row.querySelector("input:checked") ?? row.querySelector("input")).focus({ preventScroll: true, ...options });
    if (!options?.preventScroll) row.scrollIntoView({ block: "nearest" });
  }

  // Said with the output that gets the focus next: an announcement would come after it, and nobody can
  // judge an output before its source.
  /** @param {number} index @param {string} words */
  introduce(index, words) {
    const row = this.rows[index];
    const at = /** @type {HTMLElement | null} */ (document.activeElement);
    // Where the focus is already, nothing would be said.
    if (row.contains(at)) at?.blur();
    row.setAttribute("aria-label", `${words} ${row.getAttribute("aria-label")}`);
  }

  // All ranks go, or those that went last come back: what is to be said of it, or null.
  clearAll() {
    const { labels } = this.block;
    const clearing = labels.some((label) => label !== null);
    if (!clearing && !this.#cleared) return null;
    this.block.labels = clearing ? labels.map(() => null) : (this.#cleared ?? labels);
    this.#cleared = clearing ? labels : null;
    this.showLabels();
    return clearing ? "all_cleared" : "all_back";
  }

  showLabels() {
    this.rows.forEach((row, index) => {
      const label = this.block.labels[index];
      for (const input of row.querySelectorAll("input")) input.checked = Number(input.value) === label;
      row.classList.toggle("ranked", label !== null);
      if (label !== null) row.classList.remove("wanting");
    });
  }

  /** @param {number[]} indices */
  markWanting(indices) {
    this.rows.forEach((row, index) => row.classList.toggle("wanting", indices.includes(index)));
  }

  /** @param {boolean} on */
  showDifferences(on) {
    this.#runs = on ? differences(this.block.candidates) : null;
    this.#write();
  }

  // Each sentence in a line with those of the other outputs, or each text as a whole.
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
      const runs = this.#runs?.[index] ?? [{ text: this.block.candidates[index].text, differs: false }];
      row.querySelector(".row-text").replaceChildren(...(this.#beside?.cut(runs, index) ?? runs.map(marked)));
    });
  }
}
