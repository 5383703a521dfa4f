import assert from "node:assert/strict";
import { test } from "node:test";

import * as ranking from "../../static/judge/ranking/answer.js";

const WHOLE = { partial: false };
const PARTIAL = { partial: true };

test("nothing is said before a label is given", () => {
  assert.deepEqual(ranking.blank(3), { labels: [null, null, null] });
  assert.equal(ranking.begun(ranking.blank(3)), false);
  assert.equal(ranking.begun({ labels: [null, 2, null] }), true);
});

test("a sent answer is read back unchanged", () => {
  const answer = { labels: [2, null, 1] };
  assert.deepEqual(ranking.fields(answer), { labels: [2, null, 1] });
  assert.deepEqual(ranking.read(ranking.fields(answer), 3), answer);
  assert.deepEqual(ranking.read({}, 3), ranking.blank(3));
});

test("an answer that was read is not changed by edits", () => {
  const stored = { labels: [1, 2] };
  ranking.read(stored, 2).labels[0] = 5;
  ranking.fields(stored).labels[1] = 5;
  assert.deepEqual(stored, { labels: [1, 2] });
});

test("two say the same where each label is the same", () => {
  assert.equal(ranking.same({ labels: [1, null] }, { labels: [1, null] }), true);
  assert.equal(ranking.same({ labels: [1, null] }, { labels: [1, 2] }), false);
});

test("a whole ranking has all labels", () => {
  assert.equal(ranking.lack({ labels: [1, 1, 5] }, WHOLE), null);
  assert.deepEqual(ranking.lack({ labels: [1, null, null] }, WHOLE), {
    key: "still_to_rank",
    values: { letters: ["B", "C"] },
  });
});

test("a partial ranking has two, or one of one", () => {
  assert.equal(ranking.lack({ labels: [1, null, 5] }, PARTIAL), null);
  assert.equal(ranking.lack({ labels: [1] }, PARTIAL), null);
  assert.deepEqual(ranking.lack({ labels: [1, null, null] }, PARTIAL), { key: "rank_two" });
  assert.deepEqual(ranking.lack({ labels: [null] }, PARTIAL), { key: "rank_two" });
});

test("the foot says what is still to be ranked, whatever is allowed", () => {
  assert.deepEqual(ranking.hint({ labels: [null, null] }), { key: "nothing_ranked" });
  assert.deepEqual(ranking.hint({ labels: [1, null] }).values, { letters: ["B"] });
  assert.deepEqual(ranking.hint({ labels: [1, 2] }), { key: "all_ranked" });
});

test("the history has the order, the best first", () => {
  assert.equal(ranking.summary({ labels: [2, 1, 2, null] }), "B > A = C");
  assert.equal(ranking.summary(ranking.blank(2)), "");
});

test("reporting missing labels asks for complete rankings", () => {
  assert.deepEqual(ranking.rulesAfter(PARTIAL, { missing: ["y"] }), WHOLE);
  for (const refusal of [null, {}, { missing: [] }]) assert.equal(ranking.rulesAfter(PARTIAL, refusal), PARTIAL);
});
