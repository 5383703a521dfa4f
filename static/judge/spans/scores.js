// Scores from 0 to 100, as they are typed and stepped through. Knows nothing of the screen.

export const LEAST = 0;
export const MOST = 100;

// Where steps begin as long as there is no score.
const MIDDLE = 50;
// The digits of Arabic, Persian, Hindi, Bengali, Thai and of full width, by their zeros.
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
/** @type {Record<string, number>} */
const STEPS = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/** @param {string} character */
function latin(character) {
  const code = character.codePointAt(0) ?? 0;
  const zero = ZEROS.find((each) => code >= each && code < each + 10);
  return zero === undefined ? character : String(code - zero);
}

// Null where nothing is written; undefined where it is no score.
/** @param {string} written */
export function scoreOf(written) {
  const digits = Array.from(written.trim(), latin).join("");
  if (!digits) return null;
  return /^\d+$/.test(digits) && Number(digits) <= MOST ? Number(digits) : undefined;
}

// What a key makes of a score; undefined where it is no such key.
/** @param {number | null} score @param {string} key */
export function stepped(score, key) {
  const by = STEPS[key];
  if (!by) return undefined;
  return score === null ? MIDDLE : Math.max(LEAST, Math.min(score + by, MOST));
}
