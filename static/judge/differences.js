// Where outputs differ, word by word. A word is marked if fewer than half of the other outputs have
// it in the same place, "the same place" being the longest common subsequence with each of them.

// A character of Chinese, Japanese, Thai … by itself: they stand without spaces, and a browser without
// Intl.Segmenter knows no better.
const COARSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|\s+|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;

/** @param {string} text @param {string} lang @returns {string[]} */
export function tokens(text, lang) {
  if (!Intl.Segmenter) return text.match(COARSE) ?? [];
  let segmenter;
  try {
    segmenter = new Intl.Segmenter(lang, { granularity: "word" });
  } catch {
    segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  }
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

// What two writings of the same word have in common: é is e and an accent; marks of direction and
// soft hyphens are not seen.
/** @param {string} word */
const key = (word) => word.normalize("NFC").replace(/[\p{Cf}]/gu, "") || word;

// For two lists of words, which places of the first belong to their longest common subsequence.
/** @param {string[]} first @param {string[]} second */
export function common(first, second) {
  // Outputs of one sentence mostly begin and end alike; the table is for what is between.
  let start = 0;
  while (start < Math.min(first.length, second.length) && first[start] === second[start]) start += 1;
  let end = 0;
  const room = Math.min(first.length, second.length) - start;
  while (end < room && first.at(-1 - end) === second.at(-1 - end)) end += 1;
  const inner = between(first.slice(start, first.length - end), second.slice(start, second.length - end));
  const shared = new Set(Array.from(inner, (place) => place + start));
  for (let place = 0; place < start; place += 1) shared.add(place);
  for (let place = first.length - end; place < first.length; place += 1) shared.add(place);
  return shared;
}

/** @param {string[]} first @param {string[]} second */
function between(first, second) {
  const width = second.length + 1;
  const lengths = new Uint16Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i -= 1) {
    for (let j = second.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        first[i] === second[j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const shared = [];
  for (let i = 0, j = 0; i < first.length && j < second.length; ) {
    if (first[i] === second[j]) {
      shared.push(i);
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return shared;
}

// For each candidate its text in runs: [{text, differs}, …]
/** @param {TextOf[]} candidates */
export function differences(candidates) {
  const split = candidates.map(({ text, lang }) => tokens(text, lang));
  // Spaces are not compared; `places` says where in the split text each word stands.
  const places = split.map((parts) => parts.flatMap((part, place) => (part.trim() ? [place] : [])));
  const words = split.map((parts, k) => places[k].map((place) => key(parts[place])));

  return split.map((parts, k) => {
    const shares = new Map(places[k].map((place) => [place, 0]));
    words.forEach((others, other) => {
      if (other === k) return;
      for (const index of common(words[k], others)) {
        const place = places[k][index];
        shares.set(place, (shares.get(place) ?? 0) + 1);
      }
    });
    const half = (words.length - 1) / 2;
    const marked = parts.map((_, place) => (shares.get(place) ?? half) < half);
    return runs(parts, marked);
  });
}

// Neighbours that differ become one run, with the space between them.
/** @param {string[]} parts @param {boolean[]} marked */
function runs(parts, marked) {
  /** @type {{ text: string, differs: boolean }[]} */
  const result = [];
  parts.forEach((text, place) => {
    const joins = !text.trim() && marked[place - 1] && marked[place + 1];
    const differs = marked[place] || Boolean(joins);
    const last = result.at(-1);
    if (last && last.differs === differs) last.text += text;
    else result.push({ text, differs });
  });
  return result;
}
