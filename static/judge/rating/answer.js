// The ratings of one or several outputs by the criteria asked about. Independent of the screen.

// The range of scales that are rated with a slider.
const HUNDRED = 100;
// Keys of points that no digit types.
const TEN = "x";

// The criteria of a HIT. HITs kept on the device by an earlier version of the page have none.
/** @param {Rules} rules @returns {Criterion[]} */
export const criteriaOf = ({ criteria, criterion: key = "fluency" }) =>
  criteria ?? [{ key, name: "", question: "", lowest: 1, highest: 5, lower_is_better: false, labels: {} }];

/** @param {Criterion} criterion */
export const isContinuous = ({ lowest, highest }) => highest - lowest === HUNDRED;

// The points of a scale, from the lowest.
/** @param {Criterion} criterion */
export const pointsOf = ({ lowest, highest }) => Array.from({ length: highest - lowest + 1 }, (_, index) => lowest + index);

// The key that types a point: its digit; 10 is 0 on scales from 1, which have no 0; what is left is x.
/** @param {number} value @param {Criterion} criterion */
export function keyOf(value, { lowest }) {
  if (value < 10) return String(value);
  return value === 10 && lowest > 0 ? "0" : TEN;
}

// The point that a key types; null if the scale has none.
/** @param {string} key @param {Criterion} criterion */
export function pointOfKey(key, criterion) {
  return pointsOf(criterion).find((value) => keyOf(value, criterion) === key) ?? null;
}

// Whether other points begin with a digit, as 10 does with 1.
/** @param {string} digit @param {Criterion} criterion */
export const mayGoOn = (digit, criterion) => pointsOf(criterion).some((value) => value > 9 && String(value).startsWith(digit));

/** @param {number} candidates @returns {RatingAnswer} */
export const blank = (candidates) => ({ outputs: Array.from({ length: candidates }, () => ({})) });

/** @param {Stored} stored @param {number} candidates @returns {RatingAnswer} */
export function read({ answer }, candidates) {
  if (answer?.outputs) return { outputs: structuredClone(answer.outputs) };
  return typeof answer?.value === "number" ? { outputs: [{ [answer.criterion]: answer.value }] } : blank(candidates);
}

/** @param {RatingAnswer} one @param {RatingAnswer} other */
export function same(one, other) {
  /** @param {Record<string, number>} output */
  const sorted = (output) => Object.entries(output).sort(([first], [second]) => (first < second ? -1 : 1));
  return JSON.stringify(one.outputs.map(sorted)) === JSON.stringify(other.outputs.map(sorted));
}

/** @param {RatingAnswer} answer */
export const begun = ({ outputs }) => outputs.some((output) => Object.keys(output).length > 0);

// The outputs and criteria without a rating, by index.
/** @param {RatingAnswer} answer @param {Rules} rules */
export function unrated({ outputs }, rules) {
  const criteria = criteriaOf(rules);
  return outputs.flatMap((output, index) =>
    criteria.flatMap(({ key }, criterion) => (output[key] === undefined ? [{ output: index, criterion }] : [])),
  );
}

/** @param {RatingAnswer} answer @param {Rules} rules @returns {Phrase | null} */
export function lack(answer, rules) {
  const missing = unrated(answer, rules);
  if (!missing.length) return null;
  const isOne = answer.outputs.length * criteriaOf(rules).length === 1;
  return isOne ? { key: "points_wanted" } : { key: "ratings_wanted", values: { n: missing.length } };
}

/** @param {RatingAnswer} answer @returns {Stored} */
export function fields({ outputs }) {
  const rated = outputs.flatMap((output) => Object.entries(output));
  if (!rated.length) return { answer: null };
  if (outputs.length > 1 || rated.length > 1) return { answer: { outputs } };
  const [[criterion, value]] = rated;
  return { answer: { criterion, value } };
}

/** @param {RatingAnswer} answer @param {Rules} rules */
export function summary({ outputs }, rules) {
  const criteria = criteriaOf(rules);
  if (outputs.length === 1 && criteria.length === 1) {
    const [{ key, highest }] = criteria;
    const value = outputs[0][key];
    return value === undefined ? "" : { key: "points_given", values: { value, highest } };
  }
  /** @param {Record<string, number>} output */
  const inWords = (output) => criteria.map(({ key, name }) => `${name} ${output[key] ?? "–"}`).join(", ");
  return outputs.map(inWords).join("; ");
}
