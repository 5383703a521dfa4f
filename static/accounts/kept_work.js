// Says who judged in this browser, which no longer knows them, and whether judgments of theirs wait on this device.

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
    return new Set(); // a browser that keeps nothing
  }
}

const notice = document.getElementById("kept-work");
const text = document.getElementById("kept-work-text");
// As the judging page kept it; what was left by an older one has no name.
const names = Array.from(ownersOfWork(), (owner) => read(`quintet/judge/${owner}`)).filter(Boolean);
const isWaiting = names.length > 0;
const judge = notice?.dataset.campaign && read(`quintet/judge-of/${notice.dataset.campaign}`);
if (judge && !isWaiting) names.push(judge);
if (notice && text && names.length) {
  const listed = new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(names);
  const words = isWaiting ? notice.dataset.waiting : notice.dataset.known;
  text.textContent = String(words).replace("{name}", listed);
  notice.hidden = false;
}
