import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { contradictions, questions } from "../../static/judge/spans/contradictions.js";
import { afterwards, categorised, marked, markOf, MOST, withMark } from "../../static/judge/spans/marks.js";
import { scoreOf, stepped } from "../../static/judge/later/scores.js";

const error = (start, end, severity = "minor") => ({ kind: "error", start, end, severity });
// Those of the server, too, which it sends with a HIT.
const { rule: RULE, cases: CASES } = JSON.parse(
  readFileSync(new URL("../unit/protocols/spans/contradictions.json", import.meta.url), "utf8"),
);
const missing = (severity = "minor") => ({ kind: "missing", start: null, end: null, severity });

test("one key goes from minor to major to nothing", () => {
  assert.deepEqual([null, "minor", "major"].map((each) => afterwards(each)), ["minor", "major", null]);
});

test("errors stand in the order of the text, and what is missing after them", () => {
  const spans = marked([error(8, 9), missing()], { start: 0, end: 3 }, "major");
  assert.deepEqual(spans, [error(0, 3, "major"), error(8, 9), missing()]);
});

test("a new error replaces those it overlaps, but not adjacent ones", () => {
  const spans = [error(0, 4), error(5, 9), error(9, 12)];
  assert.deepEqual(marked(spans, { start: 3, end: 9 }, "major"), [error(3, 9, "major"), error(9, 12)]);
  assert.deepEqual(spans, [error(0, 4), error(5, 9), error(9, 12)]);
  assert.deepEqual(marked(spans, { start: 6, end: 7 }, null), [error(0, 4), error(9, 12)]);
});

test("one word is said of what is missing", () => {
  assert.equal(markOf([error(0, 1)]), null);
  const spans = withMark([error(0, 1)], "minor");
  assert.equal(markOf(spans).severity, "minor");
  assert.deepEqual(withMark(spans, "major"), [error(0, 1), missing("major")]);
  assert.deepEqual(withMark(spans, null), [error(0, 1)]);
});

test("a mark keeps its category when its severity changes, and loses it with another extent", () => {
  const spans = categorised([error(0, 4), missing()], error(0, 4), "Accuracy/Addition");
  assert.deepEqual(spans, [{ ...error(0, 4), category: "Accuracy/Addition" }, missing()]);
  assert.deepEqual(marked(spans, { start: 0, end: 4 }, "major")[0].category, "Accuracy/Addition");
  assert.equal(marked(spans, { start: 0, end: 5 }, "major")[0].category, undefined);
  assert.deepEqual(categorised(spans, error(0, 4), ""), [error(0, 4), missing()]);
});

test("marks in the source leave those of the output", () => {
  const spans = marked([error(0, 4)], { start: 0, end: 3 }, "major", "source");
  assert.equal(spans.length, 2);
  assert.deepEqual(marked(spans, { start: 2, end: 3 }, null, "source"), [error(0, 4)]);
});

test("there is room for a hundred, and one that is there can still be changed", () => {
  const full = Array.from({ length: MOST }, (_, place) => error(2 * place, 2 * place + 1));
  assert.equal(marked(full, { start: 500, end: 501 }, "minor"), null);
  assert.equal(withMark(full, "minor"), null);
  assert.equal(marked(full, { start: 0, end: 1 }, "major").length, MOST);
  assert.equal(marked(full, { start: 0, end: 1 }, null).length, MOST - 1);
  assert.equal(withMark([...full.slice(1), missing()], "major").length, MOST);
});

test("scores are typed in the digits of many scripts", () => {
  assert.deepEqual(["", " ", "0", "100", "٨٥", "۸۵", "८५", "８５", "85%", "٨٥٪"].map(scoreOf), [null, null, 0, 100, 85, 85, 85, 85, 85, 85]);
  assert.deepEqual(["101", "-1", "8.5", "a", "%", "8%5"].map(scoreOf), Array(6).fill(undefined));
});

test("keys step through the scale, from its middle where there is no score", () => {
  assert.equal(stepped(70, "ArrowUp"), 71);
  assert.equal(stepped(70, "ArrowDown"), 69);
  assert.equal(stepped(95, "PageUp"), 100);
  assert.equal(stepped(5, "PageDown"), 0);
  assert.equal(stepped(null, "PageDown"), 50);
  assert.equal(stepped(70, "Home"), undefined);
});

const answerOf = (...outputs) => ({ outputs: outputs.map(([score, ...spans]) => ({ score, spans })) });
const asked = (...outputs) => questions(answerOf(...outputs), RULE);

test("the page and the server find the same contradictions", () => {
  for (const { rule, outputs, found } of CASES) {
    const said = answerOf(...outputs.map(([score, ...severities]) => [score, ...severities.map((each, at) => error(2 * at, 2 * at + 1, each))]));
    assert.deepEqual(contradictions(said, { ...RULE, ...rule }), found.map(([kind, ...places]) => ({ kind, outputs: places })));
  }
});

test("a high score with a major error is asked about, also where content is missing", () => {
  const [found] = asked([90], [95, error(0, 1, "major")]);
  assert.deepEqual(found.phrase, { key: "high_with_major", values: { letter: "B", score: 95 } });
  assert.equal(found.output, 1);
  assert.equal(asked([90, missing("major")]).length, 1);
  assert.deepEqual(asked([89, error(0, 1, "major")]), []);
});

test("a perfect score with an error is asked about", () => {
  const [found] = asked([100, error(0, 1, "major")]);
  assert.deepEqual(found.phrase, { key: "perfect_with_error_alone", values: { letter: "A", score: 100 } });
  assert.deepEqual(asked([99, error(0, 1)]), []);
});

test("a low score without an error is asked about", () => {
  assert.deepEqual(asked([84])[0].phrase, { key: "low_without_error_alone", values: { letter: "A", score: 84 } });
  assert.deepEqual(asked([85]), []);
  assert.deepEqual(asked([0, missing()]), []);
  assert.deepEqual(asked([null]), []);
});

test("an output with more errors and a higher score is asked about", () => {
  const [found, ...others] = asked([70, error(0, 1)], [80, error(0, 1), error(2, 3, "major")]);
  assert.deepEqual(others, []);
  assert.equal(found.output, 1);
  const values = { better: "B", worse: "A", score: 80, other_score: 70 };
  assert.deepEqual(found.phrase, { key: "better_with_more_errors", values });
  assert.deepEqual(asked([70, error(0, 1)], [79, error(0, 1), error(2, 3, "major")]), []);
  assert.deepEqual(asked([60, error(0, 1)], [80, error(2, 3, "major")]), []);
  assert.deepEqual(asked([60, error(0, 1)], [80, error(2, 3)]), []);
});

test("an output that is asked about for itself is not asked about beside another as well", () => {
  assert.equal(asked([90], [95, error(0, 1, "major")]).length, 1);
});

test("questions have different names and are asked once", () => {
  const names = (...outputs) => asked(...outputs).map(({ id }) => id);
  assert.deepEqual(names([40], [30]), ["low_without_error 0", "low_without_error 1"]);
  assert.deepEqual(names([45], [30]), names([40], [30]));
});
