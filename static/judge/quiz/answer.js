// The answers to the statements about a snippet: yes, no, cannot tell, or nothing yet. Sentences before the last have no
// statements. Independent of the screen.

/** @type {readonly ("yes" | "no" | "unsure")[]} */
export const CHOICES = ["yes", "no", "unsure"];

const TRUTH = { yes: true, no: false, unsure: null };

/** @param {boolean | null} value @returns {QuizChoice} */
const choiceOf = (value) => (value === null ? "unsure" : value ? "yes" : "no");

/** @returns {QuizAnswer} */
export const blank = () => ({ given: null });

// Blank answers for this number of statements.
/** @param {number} count @returns {QuizChoice[]} */
export const unsaid = (count) => Array(count).fill("");

/** @param {Stored} stored @returns {QuizAnswer} */
export const read = ({ answer }) => ({ given: answer?.answers?.map(choiceOf) ?? null });

/** @param {QuizAnswer} answer */
export const begun = ({ given }) => Boolean(given?.some(Boolean));

/** @param {QuizAnswer} one @param {QuizAnswer} other */
export const same = (one, other) =>
  (!begun(one) && !begun(other)) || (one.given?.join() === other.given?.join() && one.given?.length === other.given?.length);

// Without statements, showing the sentence is enough.
/** @param {QuizAnswer} answer @returns {Phrase | null} */
export const lack = ({ given }) => (!given || given.includes("") ? { key: "quiz_wanted" } : null);

/** @param {QuizAnswer} answer */
function counted({ given }) {
  return { answered: given?.filter(Boolean).length ?? 0, count: given?.length ?? 0 };
}

/** @param {QuizAnswer} answer @returns {Phrase | null} */
export const hint = (answer) => (begun(answer) ? { key: "quiz_answered", values: counted(answer) } : null);

/** @param {QuizAnswer} answer @returns {Stored} */
export const fields = ({ given }) => ({ answer: given && { answers: given.map((choice) => TRUTH[choice || "unsure"]) } });

/** @param {QuizAnswer} answer */
export function summary(answer) {
  if (!answer.given) return "";
  return answer.given.length ? { key: "quiz_answered", values: counted(answer) } : { key: "quiz_was_read" };
}

// The statements of a block: only the last one of a HIT has any.
/** @param {Rules} rules @param {string} block */
export const statementsOf = ({ statements = [], asked_with: last }, block) => (last === block ? statements : []);

// Splits a text into what was read before and what is new.
/** @param {string} text @param {string | undefined} before */
export function parted(text, before) {
  const length = before !== undefined && text.startsWith(`${before}\n`) ? before.length + 1 : 0;
  return { before: text.slice(0, length), after: text.slice(length) };
}
