// The answer for one output: its edit, or whether another judge's edit is acceptable, or nothing yet. Independent of the
// screen.

/** @param {Rules} rules */
export const isAsked = ({ asked }) => asked === "accept";

/** @returns {EditingAnswer} */
export const blank = () => ({ outcome: null, text: null, keystrokes: 0, acceptable: null });

/** @param {Stored} stored @returns {EditingAnswer} */
export function read({ answer }) {
  const { outcome = null, text = "", keystrokes = 0, acceptable = null } = answer ?? {};
  return { outcome, text: outcome === "edited" ? text : null, keystrokes: keystrokes ?? 0, acceptable };
}

// The number of keystrokes does not matter.
/** @param {EditingAnswer} one @param {EditingAnswer} other */
export const same = (one, other) =>
  one.outcome === other.outcome && one.text === other.text && one.acceptable === other.acceptable;

/** @param {EditingAnswer} answer */
export const begun = ({ outcome, acceptable }) => outcome !== null || acceptable !== null;

/** @param {EditingAnswer} answer @param {Rules} rules @returns {Phrase | null} */
export function lack({ outcome, text, acceptable }, rules) {
  if (isAsked(rules)) return acceptable === null ? { key: "accept_wanted" } : null;
  if (outcome === null) return { key: "edit_wanted" };
  return outcome === "edited" && !text?.trim() ? { key: "edit_empty" } : null;
}

// The answer after the judge has changed the text.
/** @param {EditingAnswer} answer @param {string} text @param {string} original @returns {EditingAnswer} */
export function written({ keystrokes }, text, original) {
  const isChanged = text !== original;
  return { ...blank(), outcome: isChanged ? "edited" : null, text: isChanged ? text : null, keystrokes: keystrokes + 1 };
}

/** @param {EditingAnswer} answer @returns {Stored} */
export function fields({ outcome, text, keystrokes, acceptable }) {
  if (acceptable !== null) return { answer: { acceptable } };
  return { answer: outcome && { outcome, text: outcome === "edited" ? text : "", keystrokes } };
}

/** @param {EditingAnswer} answer */
export function summary({ outcome, acceptable }) {
  if (acceptable !== null) return { key: acceptable ? "choose_yes" : "choose_no" };
  return outcome ? { key: `outcome_${outcome}` } : "";
}
