// The texts of a block: source, references and neighbouring sentences, and how outputs are displayed.
// Texts are only set as text content, each in its own language, and shown as they are.

import { heardMedia, mediaOf } from "./media_elements.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// Returns whether a text has no visible characters.
/** @param {string} text */
export const isBlank = (text) => !/[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);

// The question about a block's outputs: of pictures and recordings, nobody is asked for their fluency.
/** @param {Block} block @param {string} key */
export function questionAbout({ candidates }, key) {
  return say(candidates.some(({ media }) => media?.length) ? `${key}_media` : key);
}

// The words that a screen reader reads for a text.
/** @param {TextOf} text */
export function heardOf(text) {
  const heard = isBlank(text.text) ? "" : text.text;
  return [heard, heardMedia(text)].filter(Boolean).join(" ") || say("empty");
}

// The text that each element was given.
/** @type {WeakMap<Element, string>} */
const originals = new WeakMap();

// Prepares an element for a text: browsers neither translate the text nor change its white space. Where the server does not
// know its direction, its first letter decides. The organisers' pages do the same with the template tag `text_attributes`.
/** @template {HTMLElement} E @param {E} element @param {Pick<TextOf, "lang" | "dir">} text */
export function prepareForText(element, { lang, dir = "auto" }) {
  element.classList.add("notranslate");
  element.translate = false;
  element.lang = lang;
  element.dir = dir;
  return element;
}

// The style sheet labels empty texts; the text itself stays unchanged, because spans count its characters.
/** @template {HTMLElement} E @param {E} element @param {TextOf} text */
export function setText(element, text) {
  writeText(element, text, [text.text]);
  originals.set(element, text.text);
  if (isBlank(text.text) && !text.media) element.dataset.empty = say("empty");
  else delete element.dataset.empty;
  return prepareForText(element, text);
}

// Writes a text in parts, above its pictures and recordings.
/** @param {HTMLElement} element @param {TextOf} text @param {(Node | string)[]} parts */
export function writeText(element, text, parts) {
  element.replaceChildren(...parts, ...mediaOf(text));
}

// Returns whether a text in `root` is no longer the one that was given, as after a translation by an extension.
/** @param {HTMLElement} root */
export function isAltered(root) {
  const elements = [...root.querySelectorAll(".notranslate")];
  return elements.some((element) => originals.has(element) && element.textContent !== originals.get(element));
}

// A new element with these properties and children.
/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Partial<HTMLElementTagNameMap[Tag]>} properties @param {(Node | string)[]} children
 */
export function build(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** @param {TextOf} text @param {string} className */
export const paragraph = (text, className) => setText(build("p", { className: `reading ${className}` }), text);

// The element between the sentences before and after it.
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
  // Campaigns that hide the source do not send it.
  $("source-part").hidden = !block.source;
  const source = block.source ? [paragraph(block.source, "source")] : [];
  $("source").replaceChildren(...(source.length ? withNeighbours(source[0], context) : []));

  const part = $("reference-part");
  part.replaceChildren();
  block.references.forEach((reference, index) => {
    const title = block.references.length > 1 ? say("reference_numbered", { number: index + 1 }) : say("reference");
    part.append(build("h2", { className: "label" }, title), paragraph(reference, "reference"));
  });
}

// Chinese characters are twice as wide as others.
/** @param {TextOf} text */
const widthOf = ({ text }) => text.length + (text.match(/[\u2e80-\ud7ff\uf900-\ufaff]/g)?.length ?? 0);

// Decides the spacing of outputs. A source can be longer than its Chinese translation.
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
export const marked = ({ text, differs }) => (differs ? build("mark", {}, text) : text);

// The runs of texts without marks.
/** @param {Candidate[]} candidates @returns {Run[][]} */
export const unmarked = (candidates) => candidates.map(({ text }) => [{ text, differs: false }]);

// Marks the line breaks of a text that is divided into lines, where the style sheet shows a sign for each.
/** @template {HTMLElement} E @param {E} element */
export function markBreaks(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const nodes = [];
  while (walker.nextNode()) nodes.push(/** @type {Text} */ (walker.currentNode));
  for (const node of nodes) {
    if (!node.data.includes("\n")) continue;
    const parts = node.data.split(/(\n)/).filter(Boolean);
    node.replaceWith(...parts.map((part) => (part === "\n" ? build("span", { className: "text-break" }, part) : part)));
  }
  return element;
}
