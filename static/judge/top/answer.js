// For each output, whether it is at the top; or the best and the worst output. Independent of the screen.

import { letterOf } from "../keys.js";

/** @param {number} candidates @returns {TopAnswer} */
export const blank = (candidates) => ({ top: Array(candidates).fill(false) });

/** @param {Stored} stored @param {number} candidates @returns {TopAnswer} */
export function read({ answer }, candidates) {
  if (!answer) return blank(candidates);
  if (!("worst" in answer)) return { top: [...answer.top] };
  const top = blank(candidates).top.map((_, index) => index === answer.best - 1);
  return { top, worst: answer.worst - 1 };
}

/** @param {TopAnswer} one @param {TopAnswer} other */
export const same = (one, other) => one.worst === other.worst && one.top.every((isTop, index) => isTop === other.top[index]);

/** @param {TopAnswer} answer */
export const begun = ({ top, worst }) => top.includes(true) || worst !== undefined;

/** @param {TopAnswer} answer @param {Rules} rules @returns {Phrase | null} */
export function lack({ top, worst }, { best_worst: isBestWorst }) {
  if (!isBestWorst) return top.includes(true) ? null : { key: "top_wanted" };
  return top.includes(true) && worst !== undefined ? null : { key: "best_worst_wanted" };
}

/** @param {TopAnswer} answer @param {Rules} rules @returns {Phrase} */
function marked({ top, worst }, { best_worst: isBestWorst }) {
  const letters = top.flatMap((isTop, index) => (isTop ? [letterOf(index)] : []));
  if (!isBestWorst) return { key: "top_said", values: { letters } };
  return { key: "best_worst_said", values: { best: letters[0] ?? "–", worst: worst === undefined ? "–" : letterOf(worst) } };
}

/** @param {TopAnswer} answer @param {Rules} rules @returns {Phrase} */
export const hint = (answer, rules) => (begun(answer) ? marked(answer, rules) : { key: "top_none" });

// An output that is only the worst so far has position 0 as the best.
/** @param {TopAnswer} answer @returns {Stored} */
export function fields({ top, worst }) {
  if (worst !== undefined) return { answer: { best: top.indexOf(true) + 1, worst: worst + 1 } };
  return { answer: top.includes(true) ? { top: [...top] } : null };
}

/** @param {TopAnswer} answer @param {Rules} rules */
export const summary = (answer, rules) => (begun(answer) ? marked(answer, rules) : "");

// Marks an output as the best or the worst, or unmarks it; no output is both.
/** @param {TopAnswer} answer @param {number} index @param {"best" | "worst"} mark @param {boolean} isMarked @returns {TopAnswer} */
export function chosen({ top, worst }, index, mark, isMarked) {
  if (mark === "worst") {
    const remaining = top.map((isTop, other) => isTop && other !== index);
    return isMarked ? { top: remaining, worst: index } : { top };
  }
  const best = top.map((_, other) => isMarked && other === index);
  return worst === undefined || worst === index ? { top: best } : { top: best, worst };
}
