// The texts of a block: source, references and their neighbours at the side, and how outputs are written.
// Texts are only ever set as text, each with its own language and direction.

import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// A text of spaces and characters that nobody sees.
/** @param {string} text */
const isBlank = (text) => !/[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);

// What is heard of a text.
/** @param {TextOf} text */
export const heardOf = ({ text }) => (isBlank(text) ? say("empty") : text);

// Where there is nothing to see, the style sheet says so: the text itself, whose places are counted, stays as it is.
/** @template {HTMLElement} E @param {E} element @param {TextOf} text */
export function setText(element, { text, lang, dir }) {
  element.textContent = text;
  if (isBlank(text)) element.dataset.empty = say("empty");
  else delete element.dataset.empty;
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

// Between the sentences before and after it.
/** @param {HTMLElement} own @param {Context} context */
function withNeighbours(own, { before, after }) {
  /** @param {Neighbour | undefined} neighbour */
  const beside = (neighbour) => (neighbour?.source ? [paragraph(neighbour.source, "neighbour")] : []);
  return [...beside(before.at(-1)), own, ...beside(after[0])];
}

/** @param {Block} block */
export function showTexts(block) {
  /** @type {Context} */
  const context = { before: [], after: [], ...block.context };
  // A campaign may hide the source; it is not sent then.
  $("source-part").hidden = !block.source;
  const source = block.source ? [paragraph(block.source, "source")] : [];
  $("source").replaceChildren(...(source.length ? withNeighbours(source[0], context) : []));

  const part = $("reference-part");
  part.replaceChildren();
  block.references.forEach((reference, index) => {
    const title = document.createElement("h2");
    title.className = "label";
    title.textContent =
      block.references.length > 1 ? say("reference_numbered", { number: index + 1 }) : say("reference");
    part.append(title, paragraph(reference, "reference"));
  });
}

// A character of Chinese is as wide as two others.
/** @param {TextOf} text */
const widthOf = ({ text }) => text.length + (text.match(/[\u2e80-\ud7ff\uf900-\ufaff]/g)?.length ?? 0);

// Decides how much air the outputs can be given. A source can be longer than what it becomes in Chinese.
/** @param {Block} block */
export function lengthOf({ candidates, source }) {
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
