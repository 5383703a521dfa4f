// Names the judges who used this browser before it lost their session, and whether they have unsent judgments.

/** @param {string} key */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function ownersOfWork() {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith("quintet/outbox/"));
    return new Set(keys.filter((key) => !read(key)?.refused).map((key) => key.split("/")[2]));
  } catch {
    return new Set(); // Storage is not available.
  }
}

const notice = document.getElementById("kept-work");
const text = document.getElementById("kept-work-text");
// Names as stored by the judging page; old versions stored none.
const names = Array.from(ownersOfWork(), (owner) => read(`quintet/judge/${owner}`)).filter(Boolean);
const isWaiting = names.length > 0;
const judge = notice?.dataset.campaign && read(`quintet/judge-of/${notice.dataset.campaign}`);
if (judge && !isWaiting) names.push(judge);
if (notice && text && names.length) {
  const lists = new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" });
  // As in judge/words.js.
  const parts = lists.formatToParts(names);
  const isWord = (/** @type {string} */ part) => /^\p{L}+$/u.test(part);
  const listed = parts.map(({ type, value }) => (type === "literal" && isWord(value) ? ` ${value} ` : value)).join("");
  const words = isWaiting ? notice.dataset.waiting : notice.dataset.known;
  text.textContent = String(words).replace("{name}", listed);
  notice.hidden = false;
}
