// The marked errors of one output: spans that do not overlap, and at most one mark for missing content. Functions return
// new spans and do not change their arguments.

export const MOST = 100;

/** @type {(Severity | null)[]} */
const TURN = [null, "minor", "major"];

// Cycles through none, minor and major.
/** @param {Severity | null} severity */
export const afterwards = (severity) => TURN[(TURN.indexOf(severity) + 1) % TURN.length];

/** @param {Span[]} spans @param {number} start @param {number} end */
const clearOf = (spans, start, end) =>
  spans.filter((span) => span.kind !== "error" || span.end <= start || span.start >= end);

/** @param {Span} span */
const placeOf = ({ start }) => start ?? Infinity;

/** @param {Span[]} spans */
const inOrder = (spans) => spans.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));

// Replaces overlapping spans. A null severity only removes them. Returns null if there are too many spans.
/** @param {Span[]} spans @param {Stretch} stretch @param {Severity | null} severity @returns {Span[] | null} */
export function marked(spans, { start, end }, severity) {
  const others = clearOf(spans, start, end);
  if (!severity) return others;
  if (others.length >= MOST) return null;
  return inOrder([...others, { kind: "error", start, end, severity }]);
}

/** @param {Span[]} spans @returns {Severity | null} */
export const missingOf = (spans) => spans.find(({ kind }) => kind === "missing")?.severity ?? null;

/** @param {Span[]} spans @param {Severity | null} severity @returns {Span[] | null} */
export function withMissing(spans, severity) {
  const others = spans.filter(({ kind }) => kind === "error");
  if (!severity) return others;
  if (others.length >= MOST) return null;
  return [...others, { kind: "missing", start: null, end: null, severity }];
}
