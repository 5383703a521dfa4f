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

// No character is cut in two, and white space at both ends is left out: a double click takes it along. Null where there
// is nothing else.
/** @param {TextOf} text @param {Stretch} stretch @returns {Stretch | null} */
export function snapped(text, { start, end }) {
  const touched = stretchesOf(charactersOf(text)).filter(
    (each) => each.start < end && each.end > start && text.text.slice(each.start, each.end).trim(),
  );
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
