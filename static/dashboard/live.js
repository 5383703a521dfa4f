// Keeps the dashboard live. htmx polls every second and swaps changes; this module skips polls, shows the age of the
// numbers, and announces new headlines to screen readers.

const state = document.getElementById("live-state");
const announcement = document.getElementById("live-announcement");
const signedOut = document.getElementById("signed-out");
const words = /** @type {Record<string, string>} */ (state.dataset);

const board = () => document.getElementById("dashboard");
const headline = () => document.getElementById("headline")?.textContent ?? "";

// Back off after failed requests, up to this interval.
const PATIENCE_MS = 30_000;
let wait = 0;
let notBefore = 0;
let stopped = false;
let trouble = "";

// The server sends the age of the numbers, because clocks may differ.
/** @type {number | null} */
let updatedAt = null;
function noteAge() {
  const age = board().dataset.age;
  updatedAt = age === undefined ? null : performance.now() - 1000 * Number(age);
}

/** @param {string} pattern @param {string} name @param {string} value */
function fill(pattern, name, value) {
  return pattern.replace(`{${name}}`, value);
}

/** @param {number} seconds */
function ageInWords(seconds) {
  // With the same digits as the rest of the page.
  const figure = new Intl.NumberFormat(`${document.documentElement.lang}-u-nu-latn`).format;
  if (seconds < 60) return fill(words.seconds, "n", figure(Math.floor(seconds)));
  if (seconds < 3600) return fill(words.minutes, "n", figure(Math.floor(seconds / 60)));
  if (seconds < 86_400) return fill(words.hours, "n", figure(Math.floor(seconds / 3600)));
  return fill(words.days, "n", figure(Math.floor(seconds / 86_400)));
}

function show() {
  state.hidden = !signedOut.hidden;
  state.classList.toggle("in-trouble", trouble !== "");
  const text =
    trouble ||
    (updatedAt === null
      ? words.live
      : fill(words.updated, "age", ageInWords((performance.now() - updatedAt) / 1000)));
  if (state.textContent !== text) state.textContent = text;
}

/** @param {Event} event */
function isOurs(event) {
  const { detail } = /** @type {CustomEvent} */ (event);
  return detail.elt?.id === "dashboard";
}

document.body.addEventListener("htmx:beforeRequest", (event) => {
  const isLater = document.hidden || performance.now() < notBefore;
  if (stopped || (isOurs(event) && isLater)) event.preventDefault();
});

document.body.addEventListener("htmx:afterRequest", (event) => {
  if (stopped || !isOurs(event)) return;
  const { status } = /** @type {CustomEvent} */ (event).detail.xhr;
  if (status === 200 || status === 304) {
    trouble = "";
    wait = 0;
    notBefore = 0;
  } else if (status === 403 || status === 404) {
    stopped = true;
    trouble = words.gone;
  } else {
    wait = Math.min(PATIENCE_MS, 2 * wait + 1000);
    notBefore = performance.now() + wait;
    trouble = words.offline;
  }
  show();
});

// A swap must not close opened parts or repeat announcements.
/** @type {string[]} */
let opened = [];
let heard = headline();
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (!isOurs(event)) return;
  opened = [...board().querySelectorAll("details[open]")].map((details) => details.id);
});
document.body.addEventListener("htmx:afterSwap", () => {
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  noteAge();
  show();
  if (headline() !== heard) {
    heard = headline();
    announcement.textContent = heard;
  }
});

noteAge();
show();
setInterval(show, 1000);
