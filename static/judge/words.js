// The page's words. They come from the server in the judge's language, as data the browser does not run.

/** @type {Record<string, string | Record<string, string>>} */
const WORDS = JSON.parse(document.getElementById("words").textContent);

const LANGUAGE = document.documentElement.lang;
// The page's language as the browser's owner writes it: en-GB has other dates than en.
const own = navigator.languages.find((each) => each.split("-")[0] === LANGUAGE.split("-")[0]);

// With the digits that stand on the keys and that the server writes, also where a language has its own.
export const LOCALE = String(new Intl.Locale(own ?? LANGUAGE, { numberingSystem: "latn" }));

const rules = new Intl.PluralRules(LOCALE);
const numbers = new Intl.NumberFormat(LOCALE);
const lists = new Intl.ListFormat(LOCALE, { type: "conjunction" });

// A plural has one form for each of a few sample numbers, which between them fall into every
// category of every language; ours is the form of a sample in the same category.
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

// Why a block was skipped. A campaign that hides a text since has no words for what was wrong with it.
/** @param {string | null} [reason] */
export function reasonOf(reason) {
  const key = `reason_${reason}`;
  return say(key in WORDS ? key : "reason_not_stated");
}

// "1 h 42 min": whole minutes that have passed.
/** @param {number} seconds */
export function lengthOf(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (!minutes) return say("length_seconds");
  if (minutes < 60) return say("length_minutes", { minutes });
  return say("length_hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

// Words in which keys stand in brackets, to be seen and to be heard.
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

/** @param {string[]} items */
export function list(items) {
  return lists.format(items);
}
