// The page's texts, which the server sends as JSON in the judge's language.

/** @type {Record<string, string | Record<string, string>>} */
const WORDS = JSON.parse(document.getElementById("words").textContent);

// The page's language without the browser's region, and with Latin digits, so that dates and numbers are written as in
// the server's texts.
export const LOCALE = `${document.documentElement.lang}-u-nu-latn`;

const rules = new Intl.PluralRules(LOCALE);
const numbers = new Intl.NumberFormat(LOCALE);
const lists = new Intl.ListFormat(LOCALE, { type: "conjunction" });

// Plurals have forms for a few sample numbers that cover the categories of all languages; the form of a sample in the
// same category is used.
/** @param {Record<string, string>} forms @param {number} n */
function form(forms, n) {
  if (n in forms) return forms[n];
  const category = rules.select(n);
  const samples = Object.keys(forms);
  return forms[samples.find((sample) => rules.select(Number(sample)) === category) ?? samples[samples.length - 1]];
}

/** @param {string} key @param {Record<string, any>} values */
export function say(key, values = {}) {
  const entry = WORDS[key];
  const text = typeof entry === "string" ? entry : form(entry, values.n);
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    if (Array.isArray(value)) return list(value);
    return typeof value === "number" ? numbers.format(value) : value;
  });
}

/** @param {Phrase | string | null} phrase */
export function sayPhrase(phrase) {
  return phrase === null || typeof phrase === "string" ? (phrase ?? "") : say(phrase.key, phrase.values);
}

// The reason for a skip. Campaigns that hide a text have no words for reasons about it.
/** @param {string | null} [reason] */
export function reasonOf(reason) {
  const key = `reason_${reason}`;
  return say(key in WORDS ? key : "reason_not_stated");
}

// "1 h 42 min", rounded down to minutes.
/** @param {number} seconds */
export function lengthOf(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (!minutes) return say("length_seconds");
  if (minutes < 60) return say("length_minutes", { minutes });
  return say("length_hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

// Texts with keys in brackets: as elements, and as plain words.
/** @param {string} words */
export function withKeys(words) {
  return words.split(/\[(.+?)\]/).map((part, index) => {
    if (index % 2 === 0) return part;
    const key = document.createElement("kbd");
    key.textContent = part;
    return key;
  });
}

/** @param {string} words */
export const withoutBrackets = (words) => words.replace(/\[(.+?)\]/g, "$1");

/** @param {string} text */
const isWord = (text) => /^\p{L}+$/u.test(text);

// "A, B and C". Chinese joins letters and names in Latin script by a word that needs spaces beside them.
/** @param {string[]} items */
export function list(items) {
  const parts = lists.formatToParts(items);
  return parts.map(({ type, value }) => (type === "literal" && isWord(value) ? ` ${value} ` : value)).join("");
}

// "Label: value".
/** @param {string} label @param {string} value */
export const labelled = (label, value) => `${label}${say("colon")}${value}`;
