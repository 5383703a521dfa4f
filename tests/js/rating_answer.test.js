import assert from "node:assert/strict";
import { test } from "node:test";

import * as rating from "../../static/judge/rating/answer.js";
import { OpenPage } from "./lender.js";


test("nothing is said before points are given", () => {
  assert.deepEqual(rating.blank(1), { value: null });
  assert.equal(rating.begun({ value: null }), false);
  assert.equal(rating.begun({ value: 1 }), true);
  assert.deepEqual(rating.lack({ value: null }), { key: "points_wanted" });
  for (const value of [1, 2, 3, 4, 5]) assert.equal(rating.lack({ value }), null);
});

test("what was sent is what is read of it", () => {
  assert.deepEqual(rating.fields({ value: null }), { answer: null });
  for (const value of [1, 2, 3, 4, 5]) {
    assert.deepEqual(rating.fields({ value }), { answer: { value } });
    assert.deepEqual(rating.read(rating.fields({ value })), { value });
    assert.deepEqual(rating.read({ answer: { criterion: "fluency", value } }), { value });
  }
  assert.deepEqual(rating.read({ labels: [1] }), { value: null });
});

test("the history has it in words", () => {
  assert.deepEqual(rating.said({ value: 3 }), { key: "points_given", values: { value: 3 } });
  assert.equal(rating.said({ value: null }), "");
});

test("what is asked follows from the pass, and of adequacy from what it is compared with", () => {
  assert.deepEqual(rating.asked({ criterion: "fluency", adequacy_basis: "both" }), {
    question: "asked_fluency",
    points: "fluency",
  });
  for (const basis of ["reference", "source", "both"]) {
    assert.equal(rating.asked({ criterion: "adequacy", adequacy_basis: basis }).question, `asked_adequacy_${basis}`);
  }
});

test("in the queue its blocks have its answers", async () => {
  const page = new OpenPage();
  await page.lendAndAsk("h1", ["b1"], { protocol: "rating" });
  assert.deepEqual(page.queue.find("b1").answer, { value: null });
});
