// The marked errors of one output: spans of a text that do not overlap, and at most one mark without a position of each
// kind, such as missing content. Functions return new spans and do not change their arguments.

export const MOST = 100;

// The severities of tasks in HITs that were kept on the device by an earlier version of the page.
/** @type {Severity[]} */
export const USUAL = ["minor", "major"];

// Cycles through none and the severities.
/** @param {Severity | null} severity @param {Severity[]} [severities] */
export function afterwards(severity, severities = USUAL) {
  const turn = [null, ...severities];
  return turn[(turn.indexOf(severity) + 1) % turn.length];
}

/** @param {Span} span */
export const isPlaced = ({ start }) => start !== null;

/** @param {Span[]} spans @param {Stretch} stretch @param {string} kind */
const clearOf = (spans, { start, end }, kind) =>
  spans.filter((span) => span.kind !== kind || /** @type {number} */ (span.end) <= start || /** @type {number} */ (span.start) >= end);

/** @param {Span} one @param {Span} other */
const areAtOnePlace = (one, other) => one.kind === other.kind && one.start === other.start && one.end === other.end;

// The span with the category of the one that it replaces.
/** @param {Span} span @param {Span[]} spans @returns {Span} */
function withCategoryKept(span, spans) {
  const before = spans.find((candidate) => areAtOnePlace(candidate, span));
  return before?.category ? { ...span, category: before.category } : span;
}

// Gives a span another category; an empty one takes it away.
/** @param {Span[]} spans @param {Span} span @param {string} category @returns {Span[]} */
export const categorised = (spans, span, category) =>
  spans.map((member) => {
    if (!areAtOnePlace(member, span)) return member;
    const { kind, start, end, severity } = member;
    return category ? { ...member, category } : { kind, start, end, severity };
  });

/** @param {Span} span */
const placeOf = ({ start }) => start ?? Infinity;

/** @param {Span[]} spans */
const inOrder = (spans) => spans.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));

// Replaces overlapping spans. A null severity only removes them. Returns null if there are too many spans.
/** @param {Span[]} spans @param {Stretch} stretch @param {Severity | null} severity @param {string} [kind] @returns {Span[] | null} */
export function marked(spans, { start, end }, severity, kind = "error") {
  const others = clearOf(spans, { start, end }, kind);
  if (!severity) return others;
  if (others.length >= MOST) return null;
  return inOrder([...others, withCategoryKept({ kind, start, end, severity }, spans)]);
}

/** @param {Span[]} spans @param {string} [kind] */
export const markOf = (spans, kind = "missing") => spans.find((span) => span.kind === kind) ?? null;

/** @param {Span[]} spans @param {Severity | null} severity @param {string} [kind] @returns {Span[] | null} */
export function withMark(spans, severity, kind = "missing") {
  const others = spans.filter((span) => span.kind !== kind);
  if (!severity) return others;
  if (others.length >= MOST) return null;
  return [...others, withCategoryKept({ kind, start: null, end: null, severity }, spans)];
}
