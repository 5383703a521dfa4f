// The errors and score of each output, or nothing yet. Independent of the screen.

import { letterOf } from "../keys.js";

/** @param {OutputSaid} said @returns {OutputSaid} */
const copy = ({ score, spans }) => ({ score, spans: spans.map((span) => ({ ...span })) });

/** @returns {OutputSaid} */
const nothing = () => ({ score: null, spans: [] });

/** @param {SpansAnswer} answer */
export function unscored({ outputs }) {
  return outputs.flatMap(({ score }, index) => (score === null ? [index] : []));
}

/** @param {number} candidates @returns {SpansAnswer} */
export const blank = (candidates) => ({ outputs: Array.from({ length: candidates }, nothing) });

/** @param {Stored} stored @param {number} candidates @returns {SpansAnswer} */
export const read = ({ answer }, candidates) => (answer ? { outputs: answer.outputs.map(copy) } : blank(candidates));

/** @param {Span} one @param {Span} other */
const areAlike = (one, other) =>
  one.kind === other.kind && one.start === other.start && one.end === other.end && one.severity === other.severity;

// The order of marking does not matter.
/** @param {OutputSaid} one @param {OutputSaid} other */
const saySame = (one, other) =>
  one.score === other.score &&
  one.spans.length === other.spans.length &&
  one.spans.every((span) => other.spans.some((each) => areAlike(span, each)));

/** @param {SpansAnswer} one @param {SpansAnswer} other */
export const same = (one, other) => one.outputs.every((said, index) => saySame(said, other.outputs[index]));

/** @param {SpansAnswer} answer */
export const begun = ({ outputs }) => outputs.some(({ score, spans }) => score !== null || spans.length > 0);

/** @param {SpansAnswer} answer @returns {Phrase | null} */
export function lack(answer) {
  const rest = unscored(answer);
  return rest.length ? { key: "still_to_score", values: { letters: rest.map(letterOf) } } : null;
}

/** @param {SpansAnswer} answer @returns {Phrase} */
export const hint = (answer) => lack(answer) ?? { key: "all_scored" };

/** @param {SpansAnswer} answer @returns {Stored} */
export const fields = ({ outputs }) => ({ answer: { outputs: outputs.map(copy) } });

/** @param {SpansAnswer} answer */
export const said = ({ outputs }) =>
  outputs.flatMap(({ score }, index) => (score === null ? [] : `${letterOf(index)} ${score}`)).join(", ");
