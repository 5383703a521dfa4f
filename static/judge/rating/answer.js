// The rating of one output, 1 to 5 (best), or nothing yet. Independent of the screen.

/** @returns {RatingAnswer} */
export const blank = () => ({ value: null });

/** @param {Stored} stored @returns {RatingAnswer} */
export const read = ({ answer }) => ({ value: answer?.value ?? null });

/** @param {RatingAnswer} one @param {RatingAnswer} other */
export const same = (one, other) => one.value === other.value;

/** @param {RatingAnswer} answer */
export const begun = ({ value }) => value !== null;

/** @param {RatingAnswer} answer @returns {Phrase | null} */
export const lack = ({ value }) => (value === null ? { key: "points_wanted" } : null);

/** @param {RatingAnswer} answer @returns {Stored} */
export const fields = ({ value }) => ({ answer: value && { value } });

/** @param {RatingAnswer} answer */
export const said = ({ value }) => (value ? { key: "points_given", values: { value } } : "");

// The question, and the beginning of the keys of the scale's points. Adequacy refers to the text shown beside the output.
/** @param {Rules} rules */
export function asked({ criterion: of = "fluency", adequacy_basis: basis = "reference" }) {
  return {
    question: of === "adequacy" ? `asked_adequacy_${basis}` : `asked_${of}`,
    points: of,
  };
}
