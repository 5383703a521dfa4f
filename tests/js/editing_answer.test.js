import assert from "node:assert/strict";
import { test } from "node:test";

import * as editing from "../../static/judge/editing/answer.js";
import { OpenPage } from "./lender.js";

const CANDIDATES = [{ id: "x", text: "It reads.", lang: "en", dir: "ltr" }];
const EDIT = { asked: "edit" };
const ACCEPT = { asked: "accept" };
const EDITED = { outcome: "edited", text: "It reads well.", keystrokes: 5, acceptable: null };
const YES = { ...editing.blank(), acceptable: true };

test("nothing is said before it is", () => {
  assert.equal(editing.begun(editing.blank()), false);
  assert.equal(editing.begun(EDITED), true);
  assert.equal(editing.begun({ ...YES, acceptable: false }), true);
});

test("a sent answer is read back unchanged", () => {
  assert.deepEqual(editing.fields(EDITED), { answer: { outcome: "edited", text: "It reads well.", keystrokes: 5 } });
  assert.deepEqual(editing.read(editing.fields(EDITED)), EDITED);
  assert.deepEqual(editing.fields(YES), { answer: { acceptable: true } });
  assert.deepEqual(editing.read(editing.fields(YES)), YES);
  assert.deepEqual(editing.fields(editing.blank()), { answer: null });
  assert.deepEqual(editing.read({ answer: null }), editing.blank());
  const unable = { ...editing.blank(), outcome: "unable", text: null };
  assert.deepEqual(editing.fields(unable), { answer: { outcome: "unable", text: "", keystrokes: 0 } });
  assert.deepEqual(editing.read(editing.fields(unable)), unable);
  assert.equal(editing.read({ answer: { outcome: "unchanged", text: "", keystrokes: null } }).keystrokes, 0);
});

test("the missing parts depend on the question", () => {
  assert.deepEqual(editing.lack(editing.blank(), EDIT), { key: "edit_wanted" });
  assert.deepEqual(editing.lack({ ...EDITED, text: " " }, EDIT), { key: "edit_empty" });
  assert.equal(editing.lack(EDITED, EDIT), null);
  assert.deepEqual(editing.lack(EDITED, ACCEPT), { key: "accept_wanted" });
  assert.equal(editing.lack(YES, ACCEPT), null);
});

test("a text that is as it was is no edit", () => {
  const shown = "It reads.";
  const changed = editing.written(editing.blank(), "It reads well.", shown);
  assert.deepEqual(changed, { ...EDITED, keystrokes: 1 });
  const back = editing.written(changed, shown, shown);
  assert.deepEqual(back, { ...editing.blank(), keystrokes: 2 });
  assert.equal(editing.same(back, editing.blank()), true);
  assert.equal(editing.same(changed, EDITED), true);
  assert.equal(editing.same(changed, { ...EDITED, text: "It is read." }), false);
});

test("the history has it in words", () => {
  assert.deepEqual(editing.summary(EDITED), { key: "outcome_edited" });
  assert.deepEqual(editing.summary(YES), { key: "choose_yes" });
  assert.deepEqual(editing.summary({ ...YES, acceptable: false }), { key: "choose_no" });
  assert.equal(editing.summary(editing.blank()), "");
});

test("in the queue a change of the text is a revision", async () => {
  const page = new OpenPage();
  const answer = { outcome: "unchanged", text: "", keystrokes: 0 };
  const judged = { state: "judged", judgment: { labels: [1], answer, comment: "" } };
  await page.lendAndAsk("h1", [{ id: "b1", candidates: CANDIDATES, ...judged }, "b2"], { protocol: "editing" });
  const block = page.queue.find("b1");
  assert.deepEqual(page.queue.find("b2").answer, editing.blank());
  Object.assign(block.answer, editing.written(block.answer, "It reads well.", "It reads."));
  assert.equal(page.queue.isRevised(block), true);
  page.queue.restore(block);
  assert.equal(block.answer.outcome, "unchanged");
});
