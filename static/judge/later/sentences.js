// Aligns the sentences of a paragraph's outputs in lines. Loaded when outputs are first shown side by side.

import { marked, markBreaks } from "../block.js";
import { segmenterOf } from "../differences.js";

// Languages that separate sentences only by spaces, which also separate phrases.
/** @param {TextOf} text */
const hasPhrases = ({ lang }) => /^(th|lo|km)\b/.test(lang);

/** @param {TextOf} written */
function sentencesOf(written) {
  const { text, lang } = written;
  if (hasPhrases(written)) return text.match(/\s*\S+\s*/g) ?? [text];
  if (!Intl.Segmenter) return [text];
  return joined(Array.from(segmenterOf(lang, "sentence").segment(text), (part) => part.segment), lang);
}

// Joins the parts of sentences that browsers end at an abbreviation or divide from their line breaks.
/** @param {string[]} parts @param {string} lang */
function joined(parts, lang) {
  /** @type {string[]} */
  const sentences = [];
  for (const part of parts) {
    const last = sentences.at(-1);
    if (last !== undefined && (!last.trim() || !part.trim() || mayGoOn(last, part, lang))) sentences[sentences.length - 1] = last + part;
    else sentences.push(part);
  }
  return sentences;
}

// Abbreviations, without accents, that the rules below do not recognise.
const ABBREVIATIONS = new Set(
  (
    "abb abs adm al apod approx apr art assn atd aug av ave bros ca capt co col corp dec dept dez doc ebd ed " +
    "eds ej esp est etc evtl excl exkl feb fig geb gen gov hon inc incl ing inh inkl jan jr jul jun kap " +
    "lieut maj mag max messrs min mio napr nov oct okt op popr pres prof rep resp rev sen sep sept sog sra " +
    "srta sta supt tel ud uds univ usw zzgl др им коп пр руб тыс ул"
  ).split(" "),
);
// The last word of a text that ends in a full stop on its line.
const LAST_WORD = /([^\s()[\]„“”"'«»‹›/–—-]+)\.[^\S\n\r\u2028\u2029]*$/u;
const WRITTEN_WITH_VOWELS = /^[\p{Script=Latin}\p{Script=Cyrillic}]+$/u;
const VOWEL = /[aeiouyæøœаеиоуыэюяіє]/iu;
// Languages that write ordinal numbers with a full stop.
const WITH_ORDINALS = /^(bs|cs|da|de|dsb|et|eu|fi|fo|hr|hsb|hu|is|lb|lv|nb|nn|no|pl|sk|sl|sq|sr|tr)\b/;
const SHORT = 4;
const SHORT_BEFORE_NUMBER = 6;

// Returns whether the full stop may belong to an abbreviation or an ordinal number. If in doubt it does: two sentences in
// one line are harmless, but a sentence on two lines looks like a mistake of the text.
/** @param {string} before @param {string} after @param {string} lang */
function mayGoOn(before, after, lang) {
  const word = LAST_WORD.exec(before)?.[1].normalize("NFD").replace(/\p{M}/gu, "");
  if (!word) return false;
  // A day of a month, or the number of an item.
  if (/^\d{1,2}$/.test(word)) return WITH_ORDINALS.test(lang) || before.trim() === `${word}.`;
  // One letter, or "z.B".
  if (/^\p{L}$|\./u.test(word) || ABBREVIATIONS.has(word.toLowerCase())) return true;
  if (!WRITTEN_WITH_VOWELS.test(word)) return false;
  if (word.length <= SHORT_BEFORE_NUMBER && /^\p{N}/u.test(after)) return true;
  return word.length <= SHORT && !VOWEL.test(word);
}

// The text with the most common number of sentences.
/** @param {string[][]} texts */
function usual(texts) {
  /** @param {string[]} text */
  const alike = (text) => texts.filter((other) => other.length === text.length).length;
  return texts.reduce((best, candidate) => (alike(candidate) > alike(best) ? candidate : best));
}

// Distributes sentences over the lines of the model: one per line if the numbers are equal; otherwise each goes to the
// line at the same relative position as the middle of the sentence.
/** @param {string[]} sentences @param {string[]} model */
export function inLinesOf(sentences, model) {
  if (sentences.length === model.length) return sentences;
  const ratio = model.join("").length / (sentences.join("").length || 1);
  const lines = model.map(() => "");
  let before = 0;
  let line = 0;
  let end = model[0].length;
  for (const sentence of sentences) {
    const middle = (before + sentence.length / 2) * ratio;
    while (middle > end && line < model.length - 1) {
      line += 1;
      end += model[line].length;
    }
    lines[line] += sentence;
    before += sentence.length;
  }
  return lines;
}

// Puts the runs of a text into a cell for each line.
/** @param {Run[]} runs @param {string[]} lines */
function cut(runs, lines) {
  const rest = [...runs];
  return lines.map((line) => {
    const cell = document.createElement("span");
    let remaining = line.length;
    while (remaining > 0 && rest.length) {
      const [run] = rest;
      const text = run.text.slice(0, remaining);
      cell.append(marked({ ...run, text }));
      remaining -= text.length;
      if (text.length === run.text.length) rest.shift();
      else rest[0] = { ...run, text: run.text.slice(text.length) };
    }
    return markBreaks(cell);
  });
}

// The text that outputs are compared with, if the campaign shows it.
/** @param {Block} block @returns {TextOf | null} */
const comparedWith = ({ source, references }) => source ?? references[0] ?? null;

// Null if there is only one sentence, in the outputs or in the text they are compared with.
/** @param {Block} block @returns {Beside | null} */
export function beside(block) {
  const texts = block.candidates.map(sentencesOf);
  const other = comparedWith(block);
  if (other && sentencesOf(other).length < 2) return null;
  // Phrases are not sentences, so the source decides their number.
  const model = other && block.candidates.some(hasPhrases) ? sentencesOf(other) : usual(texts);
  if (model.length < 2) return null;
  const lines = texts.map((text) => inLinesOf(text, model));
  const compared = other && { text: other, lines: inLinesOf(sentencesOf(other), model) };
  return { count: model.length, lines, compared, cut: (runs, index) => cut(runs, lines[index]) };
}
