// Says that judgments wait on this device for a judge whom this browser no longer knows.

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
if (notice && text && names.length) {
  const listed = new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(names);
  text.textContent = String(notice.dataset.words).replace("{name}", listed);
  notice.hidden = false;
}
