// The errors and score of each output, or nothing yet. Independent of the screen.

import { letterOf } from "../keys.js";

/** @param {OutputSaid} output @returns {OutputSaid} */
const copy = ({ score, spans }) => ({ score, spans: spans.map((span) => ({ ...span })) });

// What the judge starts from: the errors suggested in an output, or nothing.
/** @param {Candidate} [candidate] @returns {OutputSaid} */
const start = (candidate) => copy({ score: null, spans: candidate?.suggested ?? [] });

// HITs kept on the device by an earlier version of the page do not say whether outputs are scored.
/** @param {Rules} rules */
export const isScored = ({ scored }) => scored !== false;

// Each error gets a category then, from the list or typed.
/** @param {Rules} rules */
export const haveCategories = ({ categories, free_categories: areFree }) => Boolean(categories?.length || areFree);

// The outputs without a score that need one.
/** @param {SpansAnswer} answer @param {Rules} rules */
export function unscored({ outputs }, rules) {
  if (!isScored(rules)) return [];
  return outputs.flatMap(({ score }, index) => (score === null ? [index] : []));
}

/** @param {number} candidates @param {Candidate[]} [shownCandidates] @returns {SpansAnswer} */
export const blank = (candidates, shownCandidates = []) => ({ outputs: Array.from({ length: candidates }, (_, index) => start(shownCandidates[index])) });

/** @param {Stored} stored @param {number} candidates @returns {SpansAnswer} */
export const read = ({ answer }, candidates) => (answer ? { outputs: answer.outputs.map(copy) } : blank(candidates));

/** @param {Span} one @param {Span} other */
export const areAlike = (one, other) =>
  one.kind === other.kind &&
  one.start === other.start &&
  one.end === other.end &&
  one.severity === other.severity &&
  (one.category ?? "") === (other.category ?? "");

// The order of marking does not matter.
/** @param {OutputSaid} one @param {OutputSaid} other */
const saySame = (one, other) =>
  one.score === other.score &&
  one.spans.length === other.spans.length &&
  one.spans.every((span) => other.spans.some((otherSpan) => areAlike(span, otherSpan)));

/** @param {SpansAnswer} one @param {SpansAnswer} other */
export const same = (one, other) => one.outputs.every((output, index) => saySame(output, other.outputs[index]));

/** @param {SpansAnswer} answer @param {Candidate[]} [shownCandidates] */
export const begun = ({ outputs }, shownCandidates = []) => outputs.some((output, index) => !saySame(output, start(shownCandidates[index])));

// The errors in the text of an output.
/** @param {SpansAnswer} answer @param {number} index */
export const errorsIn = ({ outputs }, index) => outputs[index].spans.filter(({ kind }) => kind === "error");

// The outputs with an error that needs a category.
/** @param {SpansAnswer} answer @param {Rules} rules */
export function uncategorised({ outputs }, rules) {
  if (!haveCategories(rules)) return [];
  return outputs.flatMap(({ spans }, index) => (spans.every(({ category }) => category) ? [] : [index]));
}

/** @param {SpansAnswer} answer @param {Rules} rules @returns {Phrase | null} */
export function lack(answer, rules) {
  const unnamed = uncategorised(answer, rules);
  if (unnamed.length) return stillTo("categorise", answer, unnamed);
  const rest = unscored(answer, rules);
  return rest.length ? stillTo("score", answer, rest) : null;
}

// One output alone has no letter.
/** @param {string} act @param {SpansAnswer} answer @param {number[]} indices @returns {Phrase} */
function stillTo(act, { outputs }, indices) {
  if (outputs.length === 1) return { key: `still_to_${act}_alone` };
  return { key: `still_to_${act}`, values: { letters: indices.map(letterOf) } };
}

/** @param {SpansAnswer} answer @param {Rules} rules @returns {Phrase | null} */
export const hint = (answer, rules) => lack(answer, rules) ?? (isScored(rules) ? { key: "all_scored" } : null);

/** @param {SpansAnswer} answer @returns {Stored} */
export const fields = ({ outputs }) => ({ answer: { outputs: outputs.map(copy) } });

/** @param {SpansAnswer} answer @param {Rules} rules */
export function summary({ outputs }, rules) {
  if (!isScored(rules)) return { key: "errors_said", values: { n: outputs.flatMap(({ spans }) => spans).length } };
  if (outputs.length === 1) return String(outputs[0].score ?? "");
  return outputs.flatMap(({ score }, index) => (score === null ? [] : `${letterOf(index)} ${score}`)).join(", ");
}
