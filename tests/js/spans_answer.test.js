import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import * as spans from "../../static/judge/spans/answer.js";
import { levelsOf } from "../../static/judge/spans/categories.js";
import { block, OpenPage } from "./lender.js";
import { noAnswer, passAndSettle, settled } from "./stand_ins.js";

const MINOR = { kind: "error", start: 0, end: 3, severity: "minor" };
const MAJOR = { kind: "error", start: 4, end: 9, severity: "major" };
const MISSING = { kind: "missing", start: null, end: null, severity: "minor" };
const NOTHING = { score: null, spans: [] };

const whole = () => ({ outputs: [{ score: 85, spans: [{ ...MINOR }, { ...MISSING }] }, { score: 70, spans: [] }] });

test("nothing is said before an error is marked or a score is given", () => {
  assert.deepEqual(spans.blank(2), { outputs: [NOTHING, NOTHING] });
  assert.notEqual(spans.blank(2).outputs[0], spans.blank(2).outputs[1]);
  assert.equal(spans.begun(spans.blank(2)), false);
  assert.equal(spans.begun({ outputs: [NOTHING, { score: 0, spans: [] }] }), true);
  assert.equal(spans.begun({ outputs: [NOTHING, { score: null, spans: [MINOR] }] }), true);
});

test("a sent answer is read back unchanged", () => {
  assert.deepEqual(spans.fields(whole()), { answer: whole() });
  for (const answer of [whole(), spans.blank(2)]) assert.deepEqual(spans.read(spans.fields(answer), 2), answer);
  assert.deepEqual(spans.read({ labels: [1, 2] }, 2), spans.blank(2));
});

test("sent and read answers do not change with the answer", () => {
  const answer = whole();
  const kept = [spans.fields(answer).answer, spans.read({ answer }, 2)];
  answer.outputs[0].spans[0].severity = "major";
  answer.outputs[1].score = 1;
  assert.deepEqual(kept[0], whole());
  assert.deepEqual(kept[1], whole());
});

test("in which order errors were marked does not matter", () => {
  const one = { outputs: [{ score: 1, spans: [MINOR, MAJOR] }] };
  assert.equal(spans.same(one, { outputs: [{ score: 1, spans: [{ ...MAJOR }, { ...MINOR }] }] }), true);
  for (const other of [
    { score: 2, spans: [MINOR, MAJOR] },
    { score: 1, spans: [MINOR] },
    { score: 1, spans: [MINOR, MISSING] },
    { score: 1, spans: [MINOR, { ...MAJOR, end: 8 }] },
    { score: 1, spans: [MINOR, { ...MAJOR, severity: "minor" }] },
  ]) {
    assert.equal(spans.same(one, { outputs: [other] }), false);
  }
});

test("every output needs a score, and 0 is one", () => {
  const wanting = (letters) => ({ key: "still_to_score", values: { letters } });
  assert.deepEqual(spans.lack(spans.blank(3), {}), wanting(["A", "B", "C"]));
  assert.deepEqual(spans.lack({ outputs: [{ score: 0, spans: [] }, { score: null, spans: [MINOR] }] }, {}), wanting(["B"]));
  assert.equal(spans.lack(whole(), {}), null);
  assert.deepEqual(spans.hint(whole(), {}), { key: "all_scored" });
});

test("errors alone need no score, and a category where judges choose or enter one", () => {
  const errors = { outputs: [{ score: null, spans: [{ ...MINOR, category: "Style" }] }, { score: null, spans: [MAJOR] }] };
  assert.equal(spans.lack(errors, { scored: false }), null);
  const rules = { scored: false, categories: ["Style"] };
  assert.deepEqual(spans.lack(errors, rules), { key: "still_to_categorise", values: { letters: ["B"] } });
  for (const free of [{ ...rules, free_categories: true }, { scored: false, free_categories: true }]) {
    assert.deepEqual(spans.lack(errors, free), spans.lack(errors, rules));
  }
  assert.deepEqual(spans.summary(errors, rules), { key: "errors_said", values: { n: 2 } });
});

test("categories are listed on two levels", () => {
  const [accuracy, other] = levelsOf(["Accuracy/Addition", "Other", "Accuracy", "Accuracy/Omission"]);
  assert.deepEqual(accuracy.below.map(({ category }) => category), ["Accuracy", "Accuracy/Addition", "Accuracy/Omission"]);
  assert.deepEqual(other, { name: "Other", category: "Other", below: [] });
});

test("an answer starts from suggested errors, and is begun when it differs from them", () => {
  const shown = [{ suggested: [MINOR] }, {}];
  const start = spans.blank(2, shown);
  assert.deepEqual(start.outputs.map((output) => output.spans), [[MINOR], []]);
  assert.equal(spans.begun(start, shown), false);
  start.outputs[0].spans[0].severity = "major";
  assert.equal(MINOR.severity, "minor");
  assert.equal(spans.begun(start, shown), true);
  assert.equal(spans.begun({ outputs: [{ score: null, spans: [] }, { score: null, spans: [] }] }, shown), true);
});

test("the history has the scores", () => {
  assert.equal(spans.summary(whole(), {}), "A 85, B 70");
  assert.equal(spans.summary({ outputs: whole().outputs.slice(0, 1) }, {}), "85");
  assert.equal(spans.summary(spans.blank(2), {}), "");
});

describe("in the queue", () => {
  let page;

  beforeEach(() => {
    page = new OpenPage();
  });

  test("a judged block is restored, and a change to it can be undone", async () => {
    const judged = { state: "judged", judgment: { labels: [1, 2], answer: whole(), comment: "so" } };
    await page.lendAndAsk("h1", ["b1", block("b2", judged)], { protocol: "spans" });
    assert.deepEqual(page.queue.find("b1").answer, spans.blank(2));
    const known = page.queue.find("b2");
    assert.deepEqual(known.answer, whole());
    known.answer.outputs[0].spans.pop();
    assert.equal(page.queue.isRevised(known), true);
    page.queue.restore(known);
    assert.deepEqual(known.answer, whole());
    assert.equal(page.queue.isRevised(known), false);
  });

  test("answers in the outbox are known after a reload", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"], { protocol: "spans" });
    page.server.answer = noAnswer;
    page.judge("b1", { labels: undefined, answer: whole() });
    await passAndSettle(0);
    page.loadAnew();
    await page.lendAndAsk("h1", ["b1", "b2"], { protocol: "spans" });
    await settled();
    assert.deepEqual(page.queue.find("b1").answer, whole());
    assert.equal(page.queue.nextOpen().id, "b2");
  });
});
