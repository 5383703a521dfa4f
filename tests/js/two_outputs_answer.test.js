import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import * as twoOutputs from "../../static/judge/two_outputs/answer.js";
import { block, OpenPage } from "./lender.js";
import { noAnswer, passAndSettle, settled } from "./stand_ins.js";

const THREE = {};
const FOUR = { four_answers: true };
const WANTED = { key: "verdict_wanted" };
const VERDICTS = ["first", "same", "second", "both_fine", "both_wrong"];

test("nothing is said before a verdict is given", () => {
  assert.deepEqual(twoOutputs.blank(2), { verdict: null });
  assert.equal(twoOutputs.begun(twoOutputs.blank(2)), false);
  assert.equal(twoOutputs.begun({ verdict: "same" }), true);
});

test("a sent answer is read back unchanged", () => {
  assert.deepEqual(twoOutputs.fields({ verdict: "first" }), { answer: { verdict: "first" } });
  assert.deepEqual(twoOutputs.fields({ verdict: null }), { answer: null });
  for (const verdict of [...VERDICTS, null]) {
    assert.deepEqual(twoOutputs.read(twoOutputs.fields({ verdict }), 2), { verdict });
  }
  assert.deepEqual(twoOutputs.read({ labels: [1, 2] }, 2), { verdict: null });
});

test("one digit gives each verdict that the rules know", () => {
  assert.deepEqual(Object.fromEntries(twoOutputs.choicesOf(THREE)), { first: 1, same: 2, second: 3 });
  assert.deepEqual(Object.fromEntries(twoOutputs.choicesOf(FOUR)), { first: 1, both_fine: 2, both_wrong: 4, second: 3 });
});

test("a verdict that the rules do not know is missing", () => {
  for (const [rules, known] of [
    [THREE, ["first", "same", "second"]],
    [FOUR, ["first", "second", "both_fine", "both_wrong"]],
  ]) {
    for (const verdict of [...VERDICTS, null]) {
      assert.deepEqual(twoOutputs.lack({ verdict }, rules), known.includes(verdict) ? null : WANTED);
    }
  }
});

test("the history has it in words", () => {
  for (const verdict of VERDICTS) assert.deepEqual(twoOutputs.summary({ verdict }), { key: `verdict_${verdict}` });
  assert.equal(twoOutputs.summary({ verdict: null }), "");
});

describe("in the queue", () => {
  const judged = (verdict) => ({
    state: "judged",
    judgment: { labels: [1, 2], answer: { verdict }, comment: "so" },
  });
  let page;

  beforeEach(() => {
    page = new OpenPage();
  });

  test("its blocks have its answers, and those of rankings theirs", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.judge("b1");
    await settled();
    await page.lendAndAsk("h2", ["b2", block("b3", judged("second"))], { protocol: "two_outputs" });
    assert.deepEqual(page.queue.find("b1").answer, { labels: [1, 2] });
    assert.deepEqual(page.queue.find("b2").answer, { verdict: null });
    assert.deepEqual(page.queue.find("b3").sent, { answer: { verdict: "second" }, comment: "so" });
    assert.equal(page.queue.isRevised(page.queue.find("b3")), false);
    page.queue.find("b3").answer.verdict = "same";
    assert.equal(page.queue.isRevised(page.queue.find("b3")), true);
    page.queue.restore(page.queue.find("b3"));
    assert.deepEqual(page.queue.find("b3").answer, { verdict: "second" });
  });

  test("answers in the outbox are known after a reload", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"], { protocol: "two_outputs" });
    page.server.answer = noAnswer;
    page.judge("b1", { labels: undefined, answer: { verdict: "first" } });
    await passAndSettle(0);
    page.loadAnew();
    await page.lendAndAsk("h1", ["b1", "b2"], { protocol: "two_outputs" });
    assert.deepEqual(page.queue.find("b1").answer, { verdict: "first" });
    assert.equal(page.queue.nextOpen().id, "b2");
  });

  test("a HIT whose screen this page does not know is not begun", async () => {
    assert.equal(await page.lendAndAsk("h1", ["b1"], { protocol: "unheard_of" }), false);
    assert.equal(page.queue.lack, "outdated");
    assert.equal(await page.lendAndAsk("h2", ["b2"], { protocol: "two_outputs" }), true);
    assert.deepEqual(page.ids, ["b2"]);
  });
});
