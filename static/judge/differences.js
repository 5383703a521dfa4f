// Differences between outputs, word by word. A word is marked if fewer than half of the other outputs have it in the
// same place, that is, in the longest common subsequence with each of them.

// Single characters of scripts without spaces, for browsers without Intl.Segmenter.
const COARSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|\s+|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

// Creating a segmenter takes longer than using it.
/** @type {Map<string, Intl.Segmenter>} */
const segmenters = new Map();

/** @param {string} lang @param {"word" | "sentence" | "grapheme"} granularity */
export function segmenterOf(lang, granularity) {
  const name = `${granularity} ${lang}`;
  let segmenter = segmenters.get(name);
  if (!segmenter) {
    try {
      segmenter = new Intl.Segmenter(lang, { granularity });
    } catch {
      segmenter = new Intl.Segmenter(undefined, { granularity });
    }
    segmenters.set(name, segmenter);
  }
  return segmenter;
}

/** @param {string} text @param {string} lang @returns {string[]} */
export function tokens(text, lang) {
  if (!Intl.Segmenter) return text.match(COARSE) ?? [];
  return Array.from(segmenterOf(lang, "word").segment(text), (part) => part.segment);
}

// Normalizes a word: composes accents and drops invisible characters.
/** @param {string} word */
const key = (word) => word.normalize("NFC").replace(/[\p{Cf}]/gu, "") || word;

// The most pairs of words to compare for one sentence, which takes a phone less than a second.
const MOST_PAIRS = 4_000_000;
// Browsers take seconds to divide longer texts into words.
const MOST_CHARACTERS = 20_000;
// If more of the words differ, marks help nobody.
const MOST_MARKED = 2 / 3;

// The number of words that both lists begin with, and of others that both end with.
/** @template T @param {T[]} first @param {T[]} second */
function sharedEnds(first, second) {
  const shorter = Math.min(first.length, second.length);
  let begin = 0;
  while (begin < shorter && first[begin] === second[begin]) begin += 1;
  let end = 0;
  while (end < shorter - begin && first[first.length - 1 - end] === second[second.length - 1 - end]) end += 1;
  return { begin, end };
}

// The number of pairs that `common` compares.
/** @template T @param {T[]} first @param {T[]} second */
function pairsOf(first, second) {
  const { begin, end } = sharedEnds(first, second);
  return (first.length - begin - end) * (second.length - begin - end);
}

// The longest common subsequence of two lists, as pairs of places: [place in the first, in the second].
// Number words first: paragraphs have hundreds of thousands of pairs to compare.
/** @template T @param {T[]} first @param {T[]} second */
export function common(first, second) {
  const { begin, end } = sharedEnds(first, second);
  /** @type {[number, number][]} */
  const pairs = [];
  for (let i = 0; i < begin; i += 1) pairs.push([i, i]);
  const inner = commonBetween(first.slice(begin, first.length - end), second.slice(begin, second.length - end));
  for (const [i, j] of inner) pairs.push([begin + i, begin + j]);
  for (let i = end; i > 0; i -= 1) pairs.push([first.length - i, second.length - i]);
  return pairs;
}

/** @template T @param {T[]} first @param {T[]} second */
function commonBetween(first, second) {
  const width = second.length + 1;
  const lengths = new Uint16Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i -= 1) {
    const word = first[i];
    for (let j = second.length - 1, cell = i * width + j; j >= 0; j -= 1, cell -= 1) {
      lengths[cell] = word === second[j] ? lengths[cell + width + 1] + 1 : Math.max(lengths[cell + width], lengths[cell + 1]);
    }
  }
  /** @type {[number, number][]} */
  const pairs = [];
  for (let i = 0, j = 0; i < first.length && j < second.length; ) {
    if (first[i] === second[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}

// Each word as a number, the same for the same word.
/** @param {string[][]} texts */
function numbered(texts) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @param {string} word */
  const numberOf = (word) => {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    return number;
  };
  return texts.map((words) => words.map(numberOf));
}

// The text of each candidate as runs: [{text, differs}, …]; null if they are too long or too different to be marked.
/** @param {TextOf[]} candidates @returns {Run[][] | null} */
export function differences(candidates) {
  if (candidates.some(({ text }) => text.length > MOST_CHARACTERS)) return null;
  const split = candidates.map(({ text, lang }) => tokens(text, lang));
  // Spaces are not compared; `places` holds the index of each word in the split text.
  const positions = split.map((parts) => parts.flatMap((part, index) => (part.trim() ? [index] : [])));
  const words = numbered(split.map((parts, k) => positions[k].map((position) => key(parts[position]))));
  const shares = sharesOf(words);
  const half = (words.length - 1) / 2;
  if (!shares || areTooDifferent(shares, half)) return null;
  return split.map((parts, k) => {
    const marked = parts.map(() => false);
    positions[k].forEach((position, index) => (marked[position] = shares[k][index] < half));
    return runs(parts, marked);
  });
}

// For each word, the number of other outputs that have it in the same place; null if there are too many words.
/** @param {number[][]} words @returns {number[][] | null} */
function sharesOf(words) {
  const shares = words.map((text) => new Array(text.length).fill(0));
  let compared = 0;
  for (let k = 0; k < words.length; k += 1) {
    for (let other = k + 1; other < words.length; other += 1) {
      compared += pairsOf(words[k], words[other]);
      if (compared > MOST_PAIRS) return null;
      for (const [i, j] of common(words[k], words[other])) {
        shares[k][i] += 1;
        shares[other][j] += 1;
      }
    }
  }
  return shares;
}

/** @param {number[][]} shares @param {number} half */
function areTooDifferent(shares, half) {
  const all = shares.flat();
  return all.filter((share) => share < half).length > MOST_MARKED * all.length;
}

// Joins adjacent differences and the spaces between them.
/** @param {string[]} parts @param {boolean[]} marked */
function runs(parts, marked) {
  /** @type {{ text: string, differs: boolean }[]} */
  const result = [];
  parts.forEach((text, index) => {
    const joins = !text.trim() && marked[index - 1] && marked[index + 1];
    const differs = marked[index] || Boolean(joins);
    const last = result.at(-1);
    if (last && last.differs === differs) last.text += text;
    else result.push({ text, differs });
  });
  return result;
}
