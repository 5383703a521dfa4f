// Places in a text: where the word cursor stops, and what can be cut. Answers count code points, scripts UTF-16.

import { segmenterOf, tokens } from "../differences.js";

/** @param {string} text @param {number} place in UTF-16 */
export const pointsUpTo = (text, place) => Array.from(text.slice(0, place)).length;

/** @param {string} text @param {number} points */
export const placeAfter = (text, points) => Array.from(text).slice(0, points).join("").length;

/** @param {string} text @param {Stretch} stretch @returns {Stretch} */
export const inPoints = (text, { start, end }) => ({ start: pointsUpTo(text, start), end: pointsUpTo(text, end) });

/** @param {string} text @param {Stretch} stretch @returns {Stretch} */
export const inPlaces = (text, { start, end }) => ({ start: placeAfter(text, start), end: placeAfter(text, end) });

// What a reader takes for one character; a code point, where the browser knows no better.
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

// Marks that follow each other, such as `.”`, are one stop.
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

// Words and the marks between them, or characters; no white space.
/** @param {TextOf} text @param {boolean} byCharacter @returns {Stretch[]} */
export function stopsOf(text, byCharacter) {
  const parts = byCharacter ? charactersOf(text) : withMarksJoined(tokens(text.text, text.lang));
  return stretchesOf(parts).filter((_, index) => parts[index].trim());
}

// No word is cut in two, or no character, and white space at both ends is left out: a double click takes it along. Null
// where there is nothing else.
/** @param {TextOf} text @param {Stretch} stretch @param {boolean} byCharacter @returns {Stretch | null} */
export function snapped(text, { start, end }, byCharacter) {
  if (start === end) return null;
  const touched = stopsOf(text, byCharacter).filter((each) => each.start < end && each.end > start);
  const last = touched.at(-1);
  return last ? { start: touched[0].start, end: last.end } : null;
}

// The stop at a place; before white space the one that ends there, and otherwise the next.
/** @param {Stretch[]} stops @param {number} place */
export function stopAt(stops, place) {
  const within = stops.findIndex(({ start, end }) => start <= place && place < end);
  if (within >= 0) return within;
  const before = stops.findIndex(({ end }) => end === place);
  if (before >= 0) return before;
  const next = stops.findIndex(({ start }) => start > place);
  return next < 0 ? stops.length - 1 : next;
}

// Where the word cursor is among the stops of a text, and how far the selection goes from there. Knows nothing of the
// screen.

export class Cursor {
  at = 0;
  // Where the selection began.
  /** @type {number | null} */
  from = null;

  /** @param {Stretch[]} stops */
  constructor(stops) {
    this.stops = stops;
  }

  // To another stop; whether it is another.
  /** @param {number} index @param {boolean} [extending] */
  go(index, extending = false) {
    const { at, from } = this;
    if (extending) this.from ??= at;
    else this.from = null;
    this.at = Math.max(0, Math.min(index, this.stops.length - 1));
    return this.at !== at || this.from !== from;
  }

  /** @param {number} place */
  goTo(place) {
    return this.go(stopAt(this.stops, place));
  }

  // With other stops, as near as can be to where it was.
  /** @param {Stretch[]} stops */
  exchange(stops) {
    const place = this.stops[this.at]?.start ?? 0;
    this.stops = stops;
    this.goTo(place);
  }

  get isSelecting() {
    return this.from !== null && this.from !== this.at;
  }

  // What is selected, or the stop alone; null in a text without a stop.
  /** @returns {Stretch | null} */
  get stretch() {
    const one = this.stops[this.at];
    const other = this.stops[this.from ?? this.at];
    if (!one || !other) return null;
    return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) };
  }
}

// A text in pieces, each of which looks alike throughout: with an error or none, differing or not, chosen or not.

/** @param {Stretch} stretch @param {number} place */
const covers = ({ start, end }, place) => start <= place && place < end;

/**
 * @typedef {object} Shown
 * @property {string} text
 * @property {(Stretch & { severity: Severity, span: number })[]} errors
 * @property {Run[] | null} runs where it differs from the others
 * @property {Stretch | null} chosen
 * @property {string[] | null} lines
 */

// For each line its pieces; all in one where there are no lines.
/** @param {Shown} shown @returns {Piece[][]} */
export function piecesOf({ text, errors, runs, chosen, lines }) {
  const differing = runs ? stretchesOf(runs.map((run) => run.text)).filter((_, index) => runs[index].differs) : [];
  const rows = lines ? stretchesOf(lines) : [{ start: 0, end: text.length }];
  const stretches = [...errors, ...differing, ...rows, ...(chosen ? [chosen] : [])];
  const cuts = new Set([0, text.length, ...stretches.flatMap(({ start, end }) => [start, end])]);
  const places = [...cuts].sort((one, other) => one - other);
  const pieces = places.slice(0, -1).map((start, index) => {
    const end = places[index + 1];
    const error = errors.find((each) => covers(each, start));
    return {
      text: text.slice(start, end),
      start,
      end,
      span: error?.span ?? null,
      severity: error?.severity ?? null,
      differs: differing.some((each) => covers(each, start)),
      chosen: Boolean(chosen && covers(chosen, start)),
    };
  });
  return rows.map((row) => pieces.filter(({ start }) => covers(row, start)));
}
