import assert from "node:assert/strict";
import { before, test } from "node:test";

/** @type {typeof import("../../static/judge/progress.js").Progress} */
let Progress;
const words = { done: "{n} done", done_of: "{done} of {wanted}", sentence: "Sentence {position} of {total}" };
const elements = new Map();

function getElementById(id) {
  const classes = new Set();
  const classList = { classes, toggle: (name, on) => void (on ? classes.add(name) : classes.delete(name)) };
  if (!elements.has(id)) elements.set(id, { textContent: id === "words" ? JSON.stringify(words) : "", classList });
  return elements.get(id);
}

before(async () => {
  globalThis.document = { documentElement: { lang: "en" }, getElementById };
  ({ Progress } = await import("../../static/judge/progress.js"));
});

// What the header shows of the second sentence of a HIT.
function shown({ wanted, total }) {
  const progress = new Progress();
  progress.learn({ done: 3, wanted, minutes_left: null }, { waiting: 0, asked: 0 });
  progress.showSentence({ position: 2, total, revised: false });
  const sentence = getElementById("sentence");
  const place = sentence.classList.classes.has("visually-hidden") ? [] : [sentence.textContent];
  return [...place, getElementById("count").textContent];
}

test("progress is a share of the number of sentences where it is known", () => {
  assert.deepEqual(shown({ wanted: 45, total: 10 }), ["3 of 45"]);
});

test("without that number, the place in a long HIT is shown", () => {
  assert.deepEqual(shown({ wanted: null, total: 10 }), ["Sentence 2 of 10", "3 done"]);
  assert.deepEqual(shown({ wanted: null, total: 3 }), ["3 done"]);
});

test("a count that was asked for before an answer arrived does not take it back", () => {
  const progress = new Progress();
  const asked = performance.now();
  progress.add();
  progress.arrived();
  progress.learn({ done: 0, wanted: null, minutes_left: null }, { waiting: 0, asked });
  assert.equal(progress.done, 1);
  progress.learn({ done: 0, wanted: null, minutes_left: null }, { waiting: 0, asked: performance.now() + 1 });
  assert.equal(progress.done, 0);
});

test("the summary of a HIT gives one time: that of the day", () => {
  const progress = new Progress();
  progress.learn({ done: 3, wanted: 45, minutes_left: null }, { waiting: 0, asked: 0 });
  assert.equal(progress.summary("Today: 3 sentences, 2 min."), "3 of 45. Today: 3 sentences, 2 min.");
  assert.equal(progress.summary(""), "3 of 45.");
});
