import assert from "node:assert/strict";
import { test } from "node:test";

import * as rating from "../../static/judge/rating/answer.js";
import { OpenPage } from "./lender.js";

const FLUENCY = { key: "fluency", name: "Fluency", lowest: 1, highest: 5, lower_is_better: false, labels: {} };
const ERRORS = { ...FLUENCY, key: "errors", name: "Errors", lowest: 0, highest: 10 };
const ONE = { criteria: [FLUENCY] };
const BOTH = { criteria: [FLUENCY, ERRORS] };
const rated = (...outputs) => ({ outputs });

test("an answer is complete once each output has points by each criterion", () => {
  assert.deepEqual(rating.blank(2), rated({}, {}));
  assert.equal(rating.begun(rating.blank(2)), false);
  assert.equal(rating.begun(rated({}, { errors: 0 })), true);
  assert.deepEqual(rating.lack(rated({}), ONE), { key: "points_wanted" });
  assert.equal(rating.lack(rated({ fluency: 1 }), ONE), null);
  assert.deepEqual(rating.lack(rated({ fluency: 1 }, { errors: 0 }), BOTH), { key: "ratings_wanted", values: { n: 2 } });
  assert.deepEqual(rating.unrated(rated({ fluency: 1 }, { errors: 0 }), BOTH), [
    { output: 0, criterion: 1 },
    { output: 1, criterion: 0 },
  ]);
  assert.equal(rating.lack(rated({ fluency: 1, errors: 0 }), BOTH), null);
});

test("the fields sent are the fields read", () => {
  assert.deepEqual(rating.fields(rating.blank(1)), { answer: null });
  assert.deepEqual(rating.fields(rated({ fluency: 4 })), { answer: { criterion: "fluency", value: 4 } });
  for (const answer of [rated({ fluency: 4 }), rated({ fluency: 4, errors: 0 }), rated({ fluency: 4 }, { fluency: 1 })]) {
    assert.deepEqual(rating.read(rating.fields(answer), answer.outputs.length), answer);
  }
  assert.deepEqual(rating.read({ labels: [1] }, 1), rated({}));
});

test("the order of criteria makes no difference", () => {
  assert.equal(rating.same(rated({ fluency: 4, errors: 0 }), rated({ errors: 0, fluency: 4 })), true);
  assert.equal(rating.same(rated({ fluency: 4 }), rated({ fluency: 5 })), false);
  assert.equal(rating.same(rated({ fluency: 4 }, {}), rated({}, { fluency: 4 })), false);
});

test("the history shows the points by the names of the criteria", () => {
  assert.deepEqual(rating.summary(rated({ fluency: 3 }), ONE), { key: "points_given", values: { value: 3, highest: 5 } });
  assert.equal(rating.summary(rated({}), ONE), "");
  assert.equal(rating.summary(rated({ fluency: 3, errors: 10 }, { errors: 0 }), BOTH), "Fluency 3, Errors 10; Fluency –, Errors 0");
});

test("points of a scale have different keys", () => {
  for (const [lowest, highest] of [[1, 5], [0, 6], [0, 10], [1, 10], [1, 11]]) {
    const scale = { ...FLUENCY, lowest, highest };
    const points = rating.pointsOf(scale);
    const keys = points.map((value) => rating.keyOf(value, scale));
    assert.equal(new Set(keys).size, points.length);
    assert.deepEqual(keys.map((key) => rating.pointOfKey(key, scale)), points);
  }
  assert.equal(rating.pointOfKey("6", FLUENCY), null);
  assert.equal(rating.pointOfKey("0", FLUENCY), null);
});

test("a point of two digits may begin with the digit of another", () => {
  const from = (highest, lowest = 0) => ({ ...FLUENCY, lowest, highest });
  assert.deepEqual([from(10), from(11, 1), from(9), from(5, 1)].map((scale) => rating.mayGoOn("1", scale)), [true, true, false, false]);
  assert.equal(rating.mayGoOn("2", from(10)), false);
});

test("HITs kept by an earlier version of the page are rated by one criterion", () => {
  const [{ key, lowest, highest }] = rating.criteriaOf({ criterion: "adequacy" });
  assert.deepEqual([key, lowest, highest], ["adequacy", 1, 5]);
});

test("in the queue its blocks have its answers", async () => {
  const page = new OpenPage();
  await page.lendAndAsk("h1", ["b1"], { protocol: "rating" });
  assert.deepEqual(page.queue.find("b1").answer, rating.blank(2));
});
