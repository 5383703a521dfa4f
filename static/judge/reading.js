// How long a judge may be still over a block and be reading it. Of the 17 languages of IReST
// (Trauzettel-Klosinski and Dietz 2012, read aloud, 184 words a minute on average) the slowest by words
// is Arabic with 138 a minute; Chinese is read at 255 characters a minute. Judging is slower than
// reading, so half of that, and half a minute to think.

import { tokens } from "./differences.js";

const WORDS_A_MINUTE = 70;
const CHARACTERS_A_MINUTE = 125;
const TO_THINK_MS = 30_000;
const AT_MOST_MS = 5 * 60_000;

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** @param {TextOf} text */
export function minutesToRead({ text, lang }) {
  const characters = text.match(WITHOUT_SPACES)?.length ?? 0;
  const rest = text.replace(WITHOUT_SPACES, " ");
  const words = tokens(rest, lang).filter((each) => /[\p{L}\p{N}]/u.test(each)).length;
  return words / WORDS_A_MINUTE + characters / CHARACTERS_A_MINUTE;
}

// For source, references and outputs together, in ms.
/** @param {Block} block */
export function stillnessAllowed({ source, references, candidates }) {
  const texts = [...(source ? [source] : []), ...references, ...candidates];
  const minutes = texts.reduce((sum, text) => sum + minutesToRead(text), 0);
  return Math.min(AT_MOST_MS, TO_THINK_MS + Math.round(minutes * 60_000));
}
