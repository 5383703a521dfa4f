// For each output, whether it is at the top. Independent of the screen.

import { letterOf } from "../keys.js";

/** @param {number} candidates @returns {TopAnswer} */
export const blank = (candidates) => ({ top: Array(candidates).fill(false) });

/** @param {Stored} stored @param {number} candidates @returns {TopAnswer} */
export const read = ({ answer }, candidates) => (answer ? { top: [...answer.top] } : blank(candidates));

/** @param {TopAnswer} one @param {TopAnswer} other */
export const same = (one, other) => one.top.every((each, index) => each === other.top[index]);

/** @param {TopAnswer} answer */
export const begun = ({ top }) => top.includes(true);

/** @param {TopAnswer} answer @returns {Phrase | null} */
export const lack = (answer) => (begun(answer) ? null : { key: "top_wanted" });

/** @param {TopAnswer} answer @returns {Phrase} */
function marked({ top }) {
  const letters = top.flatMap((each, index) => (each ? [letterOf(index)] : []));
  return { key: "top_said", values: { letters } };
}

/** @param {TopAnswer} answer @returns {Phrase} */
export const hint = (answer) => (begun(answer) ? marked(answer) : { key: "top_none" });

/** @param {TopAnswer} answer @returns {Stored} */
export const fields = (answer) => ({ answer: begun(answer) ? { top: [...answer.top] } : null });

/** @param {TopAnswer} answer */
export const said = (answer) => (begun(answer) ? marked(answer) : "");
