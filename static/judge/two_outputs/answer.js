// The verdict about two outputs, or nothing yet. Independent of the screen.

// The verdicts from the first output to the second, with their digits.
/** @type {[Verdict, number][]} */
const THREE = [["first", 1], ["same", 2], ["second", 3]];
/** @type {[Verdict, number][]} */
const FOUR = [["first", 1], ["both_fine", 2], ["both_wrong", 4], ["second", 3]];

/** @param {Rules} rules */
export const choicesOf = ({ four_answers: four }) => (four ? FOUR : THREE);

/** @returns {TwoOutputsAnswer} */
export const blank = () => ({ verdict: null });

/** @param {Stored} stored @returns {TwoOutputsAnswer} */
export const read = ({ answer }) => ({ verdict: answer?.verdict ?? null });

/** @param {TwoOutputsAnswer} one @param {TwoOutputsAnswer} other */
export const same = (one, other) => one.verdict === other.verdict;

/** @param {TwoOutputsAnswer} answer */
export const begun = ({ verdict }) => verdict !== null;

// A verdict that the rules no longer allow counts as missing.
/** @param {TwoOutputsAnswer} answer @param {Rules} rules @returns {Phrase | null} */
export function lack({ verdict }, rules) {
  return choicesOf(rules).some(([choice]) => choice === verdict) ? null : { key: "verdict_wanted" };
}

/** @param {TwoOutputsAnswer} answer @returns {Stored} */
export const fields = ({ verdict }) => ({ answer: verdict && { verdict } });

/** @param {TwoOutputsAnswer} answer */
export const summary = ({ verdict }) => (verdict ? { key: `verdict_${verdict}` } : "");
