// Aligns the sentences of a paragraph's outputs in lines. Loaded when outputs are first shown side by side.

import { marked } from "../block.js";
import { segmenterOf } from "../differences.js";

// Languages that separate sentences only by spaces, which also separate phrases.
/** @param {TextOf} text */
const hasPhrases = ({ lang }) => /^(th|lo|km)\b/.test(lang);

/** @param {TextOf} written */
function sentencesOf(written) {
  const { text, lang } = written;
  if (hasPhrases(written)) return text.match(/\S+\s*/g) ?? [text];
  if (!Intl.Segmenter) return [text];
  return Array.from(segmenterOf(lang, "sentence").segment(text), (part) => part.segment);
}

// The text with the most common number of sentences.
/** @param {string[][]} texts */
function usual(texts) {
  /** @param {string[]} text */
  const alike = (text) => texts.filter((each) => each.length === text.length).length;
  return texts.reduce((best, each) => (alike(each) > alike(best) ? each : best));
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
    let wanted = line.length;
    while (wanted > 0 && rest.length) {
      const [run] = rest;
      const text = run.text.slice(0, wanted);
      cell.append(marked({ ...run, text }));
      wanted -= text.length;
      if (text.length === run.text.length) rest.shift();
      else rest[0] = { ...run, text: run.text.slice(text.length) };
    }
    return cell;
  });
}

// The text that outputs are compared with, if the campaign shows it.
/** @param {Block} block @returns {TextOf | null} */
const comparedWith = ({ source, references }) => source ?? references[0] ?? null;

// Null if there is only one sentence.
/** @param {Block} block @returns {Beside | null} */
export function beside(block) {
  const texts = block.candidates.map(sentencesOf);
  const other = comparedWith(block);
  // Phrases are not sentences, so the source decides their number.
  const model = other && block.candidates.some(hasPhrases) ? sentencesOf(other) : usual(texts);
  if (model.length < 2) return null;
  const lines = texts.map((text) => inLinesOf(text, model));
  const compared = other && { text: other, lines: inLinesOf(sentencesOf(other), model) };
  return { count: model.length, lines, compared, cut: (runs, index) => cut(runs, lines[index]) };
}
