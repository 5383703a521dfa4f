// Scores from 0 to 100, typed or stepped. Independent of the screen.

export const LEAST = 0;
export const MOST = 100;

// The first score when stepping.
const MIDDLE = 50;
// The zeros of Arabic, Persian, Hindi, Bengali, Thai and full-width digits.
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
/** @type {Record<string, number>} */
const STEPS = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/** @param {string} character */
function latin(character) {
  const code = character.codePointAt(0) ?? 0;
  const zero = ZEROS.find((digit) => code >= digit && code < digit + 10);
  return zero === undefined ? character : String(code - zero);
}

// Returns null for an empty field, undefined for an invalid score. A percent sign may follow, as in a pasted score.
/** @param {string} written */
export function scoreOf(written) {
  const digits = Array.from(written.trim().replace(/(?<=.)[%٪％]$/, ""), latin).join("");
  if (!digits) return null;
  return /^\d+$/.test(digits) && Number(digits) <= MOST ? Number(digits) : undefined;
}

// The score after a key, or undefined if the key does not step.
/** @param {number | null} score @param {string} key */
export function stepped(score, key) {
  const by = STEPS[key];
  if (!by) return undefined;
  return score === null ? MIDDLE : Math.max(LEAST, Math.min(score + by, MOST));
}
