import assert from "node:assert/strict";
import { test } from "node:test";

import * as top from "../../static/judge/top/answer.js";
import { OpenPage } from "./lender.js";

const SAID = { top: [true, false, true] };

test("nothing is at the top before it is marked", () => {
  assert.deepEqual(top.blank(3), { top: [false, false, false] });
  assert.equal(top.begun(top.blank(3)), false);
  assert.equal(top.begun(SAID), true);
});

test("a sent answer is read back unchanged", () => {
  assert.deepEqual(top.fields(SAID), { answer: SAID });
  assert.deepEqual(top.read(top.fields(SAID), 3), SAID);
  assert.deepEqual(top.fields(top.blank(3)), { answer: null });
  assert.deepEqual(top.read({ answer: null }, 3), top.blank(3));
  const { answer } = top.fields(SAID);
  assert.notEqual(answer.top, SAID.top);
  assert.equal(top.same(SAID, { top: [true, false, true] }), true);
  assert.equal(top.same(SAID, { top: [true, true, true] }), false);
});

test("at least one is at the top", () => {
  assert.deepEqual(top.lack(top.blank(2), {}), { key: "top_wanted" });
  assert.equal(top.lack({ top: [false, true] }, {}), null);
  assert.equal(top.lack({ top: [true, true] }, {}), null);
});

test("the page and the history have it in words", () => {
  const words = { key: "top_said", values: { letters: ["A", "C"] } };
  assert.deepEqual(top.hint(SAID, {}), words);
  assert.deepEqual(top.summary(SAID, {}), words);
  assert.deepEqual(top.hint(top.blank(2), {}), { key: "top_none" });
  assert.equal(top.summary(top.blank(2), {}), "");
});

test("in the queue a change of a mark is a revision", async () => {
  const page = new OpenPage();
  const answer = { top: [false, true] };
  const judged = { state: "judged", judgment: { labels: [2, 1], answer, comment: "" } };
  const given = { id: "b1", candidates: [{ id: "x" }, { id: "y" }], ...judged };
  await page.lendAndAsk("h1", [given, "b2"], { protocol: "top" });
  const block = page.queue.find("b1");
  assert.deepEqual(page.queue.find("b2").answer, top.blank(2));
  block.answer.top[0] = true;
  assert.equal(page.queue.isRevised(block), true);
  page.queue.restore(block);
  assert.deepEqual(block.answer, answer);
});

const RULES = { best_worst: true };
const BOTH = { top: [false, true, false], worst: 0 };

test("the best and the worst are sent by position and read back", () => {
  assert.deepEqual(top.fields(BOTH), { answer: { best: 2, worst: 1 } });
  assert.deepEqual(top.read(top.fields(BOTH), 3), BOTH);
  assert.equal(top.same(BOTH, { ...BOTH, worst: 2 }), false);
});

test("no output is both the best and the worst", () => {
  assert.deepEqual(top.chosen(BOTH, 0, "best", true), { top: [true, false, false] });
  assert.deepEqual(top.chosen(BOTH, 1, "worst", true), { top: [false, false, false], worst: 1 });
  assert.deepEqual(top.chosen(BOTH, 2, "best", true), { top: [false, false, true], worst: 0 });
  assert.deepEqual(top.chosen(BOTH, 0, "worst", false), { top: BOTH.top });
});

test("both are wanted", () => {
  assert.equal(top.lack(BOTH, RULES), null);
  assert.deepEqual(top.lack({ top: BOTH.top }, RULES), { key: "best_worst_wanted" });
  assert.deepEqual(top.lack({ top: [false, false, false], worst: 0 }, RULES), { key: "best_worst_wanted" });
  assert.deepEqual(top.hint({ top: BOTH.top }, RULES), { key: "best_worst_said", values: { best: "B", worst: "–" } });
});
