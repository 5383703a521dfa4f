// The marked errors of one output: spans that do not overlap, and at most one word on what is missing. Each function
// returns other spans and leaves those it is given alone.

export const MOST = 100;

/** @type {(Severity | null)[]} */
const TURN = [null, "minor", "major"];

// From nothing to minor, major and nothing again.
/** @param {Severity | null} severity */
export const afterwards = (severity) => TURN[(TURN.indexOf(severity) + 1) % TURN.length];

/** @param {Span[]} spans @param {number} start @param {number} end */
const clearOf = (spans, start, end) =>
  spans.filter((span) => span.kind !== "error" || span.end <= start || span.start >= end);

/** @param {Span} span */
const placeOf = ({ start }) => start ?? Infinity;

/** @param {Span[]} spans */
const inOrder = (spans) => spans.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));

// What it overlaps gives way: the judge has seen the error anew. Null severity only takes away. Null if there is room
// for no more.
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
