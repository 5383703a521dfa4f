import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Drafts } from "../../static/judge/store.js";
import { keptKeys, newDevice, pass } from "./stand_ins.js";

const A_DAY = 24 * 60 * 60 * 1000;
const BEGUN = { answer: { labels: [2, null] }, comment: "Hm.", durationMs: 9000, activeMs: 7000 };

let drafts;

beforeEach(() => {
  newDevice();
  drafts = new Drafts("anna");
});

function without({ at, ...draft }) {
  assert.equal(typeof at, "number");
  return draft;
}

test("a draft is there again when the page is loaded anew", () => {
  drafts.put("b1", BEGUN);
  assert.deepEqual(without(new Drafts("anna").get("b1")), BEGUN);
});

test("the last one of a block counts, and each block has its own", () => {
  drafts.put("b1", BEGUN);
  drafts.put("b2", { ...BEGUN, comment: "another" });
  drafts.put("b1", { ...BEGUN, comment: "changed" });
  assert.equal(drafts.get("b1").comment, "changed");
  assert.equal(drafts.get("b2").comment, "another");
});

test("one that was removed is gone, and no other", () => {
  drafts.put("b1", BEGUN);
  drafts.put("b2", BEGUN);
  drafts.remove("b1");
  assert.equal(drafts.get("b1"), null);
  assert.deepEqual(without(drafts.get("b2")), BEGUN);
});

test("another judge on this device has drafts of their own", () => {
  drafts.put("b1", BEGUN);
  assert.equal(new Drafts("ann").get("b1"), null);
});

test("after fourteen days a draft is forgotten, and not before", () => {
  drafts.put("b1", BEGUN);
  pass(14 * A_DAY);
  assert.deepEqual(without(new Drafts("anna").get("b1")), BEGUN);
  pass(1);
  assert.equal(new Drafts("anna").get("b1"), null);
  assert.deepEqual(keptKeys(), []);
});

test("the days are counted from the last change", () => {
  drafts.put("b1", BEGUN);
  pass(13 * A_DAY);
  drafts.put("b1", drafts.get("b1"));
  pass(13 * A_DAY);
  assert.deepEqual(without(new Drafts("anna").get("b1")), BEGUN);
});

test("only drafts of this judge are forgotten", () => {
  new Drafts("bert").put("b1", BEGUN);
  localStorage.setItem("quintet/outbox/anna/1", "{}");
  pass(100 * A_DAY);
  assert.equal(new Drafts("anna").get("b1"), null);
  assert.deepEqual(keptKeys(), ["quintet/draft/bert/b1", "quintet/outbox/anna/1"]);
});

test("a draft that is broken or says no time is forgotten", () => {
  localStorage.setItem("quintet/draft/anna/b1", "{");
  localStorage.setItem("quintet/draft/anna/b2", '{"comment": ""}');
  new Drafts("anna");
  assert.deepEqual(keptKeys(), []);
});
