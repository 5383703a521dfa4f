// Positions in a text: cursor stops and pieces. Answers count code points, JavaScript counts UTF-16 units.

import { segmenterOf, tokens } from "../differences.js";

/** @param {string} text @param {number} offset in UTF-16 */
export const pointsUpTo = (text, offset) => Array.from(text.slice(0, offset)).length;

/** @param {string} text @param {number} points */
export const placeAfter = (text, points) => Array.from(text).slice(0, points).join("").length;

/** @param {string} text @param {Stretch} stretch @returns {Stretch} */
export const inPoints = (text, { start, end }) => ({ start: pointsUpTo(text, start), end: pointsUpTo(text, end) });

/** @param {string} text @param {Stretch} stretch @returns {Stretch} */
export const inPlaces = (text, { start, end }) => ({ start: placeAfter(text, start), end: placeAfter(text, end) });

// Grapheme clusters, or code points in browsers without Intl.Segmenter.
/** @param {TextOf} text @returns {string[]} */
function charactersOf({ text, lang }) {
  if (!Intl.Segmenter) return Array.from(text);
  return Array.from(segmenterOf(lang, "grapheme").segment(text), (part) => part.segment);
}

/** @param {string[]} parts @returns {Stretch[]} */
function stretchesOf(parts) {
  let end = 0;
  return parts.map((part) => ({ start: end, end: (end += part.length) }));
}

// Adjacent punctuation, such as `.”`, is one stop.
/** @param {string[]} parts */
function withMarksJoined(parts) {
  /** @type {string[]} */
  const joined = [];
  /** @param {string | undefined} part */
  const isMark = (part) => part !== undefined && /^[\p{P}\p{S}]+$/u.test(part);
  for (const part of parts) {
    if (isMark(part) && isMark(joined.at(-1))) joined[joined.length - 1] += part;
    else joined.push(part);
  }
  return joined;
}

// Words and punctuation, or characters, without spaces.
/** @param {TextOf} text @param {boolean} byCharacter @returns {Stretch[]} */
export function stopsOf(text, byCharacter) {
  const parts = byCharacter ? charactersOf(text) : withMarksJoined(tokens(text.text, text.lang));
  return stretchesOf(parts).filter((_, index) => parts[index].trim());
}

// Extends a stretch to whole words or characters and trims spaces, which double clicks include. Returns null if nothing
// is left.
/** @param {TextOf} text @param {Stretch} stretch @param {boolean} byCharacter @returns {Stretch | null} */
export function snapped(text, { start, end }, byCharacter) {
  if (start === end) return null;
  const touched = stopsOf(text, byCharacter).filter((stop) => stop.start < end && stop.end > start);
  const last = touched.at(-1);
  return last ? { start: touched[0].start, end: last.end } : null;
}

// The stop at a position; before a space, the stop that ends there, else the next.
/** @param {Stretch[]} stops @param {number} offset */
export function stopAt(stops, offset) {
  const within = stops.findIndex(({ start, end }) => start <= offset && offset < end);
  if (within >= 0) return within;
  const before = stops.findIndex(({ end }) => end === offset);
  if (before >= 0) return before;
  const next = stops.findIndex(({ start }) => start > offset);
  return next < 0 ? stops.length - 1 : next;
}

// The word cursor: its stop in a text and the extent of the selection. Independent of the screen.

export class Cursor {
  at = 0;
  // The start of the selection.
  /** @type {number | null} */
  from = null;

  /** @param {Stretch[]} stops */
  constructor(stops) {
    this.stops = stops;
  }

  // Moves to another stop; returns whether it differs.
  /** @param {number} index @param {boolean} [extending] */
  go(index, extending = false) {
    const { at: before, from } = this;
    if (extending) this.from ??= before;
    else this.from = null;
    this.at = Math.max(0, Math.min(index, this.stops.length - 1));
    return this.at !== before || this.from !== from;
  }

  /** @param {number} offset */
  goTo(offset) {
    return this.go(stopAt(this.stops, offset));
  }

  // Changes the stops, keeping the position as close as possible.
  /** @param {Stretch[]} stops */
  exchange(stops) {
    const offset = this.stops[this.at]?.start ?? 0;
    this.stops = stops;
    this.goTo(offset);
  }

  get isSelecting() {
    return this.from !== null && this.from !== this.at;
  }

  // The selection or the current stop; null if the text has no stops.
  /** @returns {Stretch | null} */
  get stretch() {
    const one = this.stops[this.at];
    const other = this.stops[this.from ?? this.at];
    if (!one || !other) return null;
    return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) };
  }
}

// Splits a text into pieces of uniform appearance: error or not, differing or not, selected or not.

/** @param {Stretch} stretch @param {number} offset */
const covers = ({ start, end }, offset) => start <= offset && offset < end;

/**
 * @typedef {object} Shown
 * @property {string} text
 * @property {(Stretch & { severity: Severity, span: number })[]} errors
 * @property {Run[] | null} runs where it differs from the others
 * @property {Stretch | null} chosen
 * @property {string[] | null} lines
 */

// The pieces of each line, or of the whole text as one line.
/** @param {Shown} shown @returns {Piece[][]} */
export function piecesOf({ text, errors, runs, chosen, lines }) {
  const differing = runs ? stretchesOf(runs.map((run) => run.text)).filter((_, index) => runs[index].differs) : [];
  const rows = lines ? stretchesOf(lines) : [{ start: 0, end: text.length }];
  const stretches = [...errors, ...differing, ...rows, ...(chosen ? [chosen] : [])];
  const cuts = new Set([0, text.length, ...stretches.flatMap(({ start, end }) => [start, end])]);
  const places = [...cuts].sort((one, other) => one - other);
  const pieces = places.slice(0, -1).map((start, index) => {
    const end = places[index + 1];
    const error = errors.find((candidate) => covers(candidate, start));
    return {
      text: text.slice(start, end),
      start,
      end,
      span: error?.span ?? null,
      severity: error?.severity ?? null,
      differs: differing.some((stretch) => covers(stretch, start)),
      chosen: Boolean(chosen && covers(chosen, start)),
    };
  });
  return rows.map((row) => pieces.filter(({ start }) => covers(row, start)));
}
