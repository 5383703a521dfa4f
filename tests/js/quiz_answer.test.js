import assert from "node:assert/strict";
import { test } from "node:test";

import * as quiz from "../../static/judge/quiz/answer.js";

const CANDIDATES = [{ id: "x", text: "It opens.\nIt closes.", lang: "en", dir: "ltr" }];
const SAID = { given: ["yes", "no", "unsure"] };

test("nothing is said until a statement is answered", () => {
  assert.equal(quiz.begun(quiz.blank()), false);
  assert.equal(quiz.begun({ given: quiz.unsaid(2) }), false);
  assert.equal(quiz.begun({ given: ["", "no"] }), true);
  assert.equal(quiz.same(quiz.blank(), { given: quiz.unsaid(2) }), true);
  assert.equal(quiz.same({ given: ["yes"] }, { given: ["no"] }), false);
  assert.equal(quiz.same(SAID, { given: [...SAID.given] }), true);
});

test("a sent answer is read back", () => {
  assert.deepEqual(quiz.fields(SAID), { answer: { answers: [true, false, null] } });
  assert.deepEqual(quiz.read(quiz.fields(SAID)), SAID);
  assert.deepEqual(quiz.fields({ given: [] }), { answer: { answers: [] } });
  assert.deepEqual(quiz.fields(quiz.blank()), { answer: null });
  assert.deepEqual(quiz.read({ answer: null }), quiz.blank());
});

test("all statements need an answer; without statements, reading is enough", () => {
  assert.deepEqual(quiz.lack({ given: ["yes", ""] }), { key: "quiz_wanted" });
  assert.deepEqual(quiz.lack(quiz.blank()), { key: "quiz_wanted" });
  assert.equal(quiz.lack(SAID), null);
  assert.equal(quiz.lack({ given: [] }), null);
});

test("the history says how many are answered, or that it was read", () => {
  assert.deepEqual(quiz.summary(SAID), { key: "quiz_answered", values: { answered: 3, count: 3 } });
  assert.deepEqual(quiz.summary({ given: [] }), { key: "quiz_was_read" });
  assert.equal(quiz.summary(quiz.blank()), "");
  assert.deepEqual(quiz.hint({ given: ["yes", ""] }), { key: "quiz_answered", values: { answered: 1, count: 2 } });
  assert.equal(quiz.hint({ given: [] }), null);
});

test("statements are asked with the last block alone", () => {
  const rules = { statements: ["It opens."], asked_with: "b3" };
  assert.deepEqual(quiz.statementsOf(rules, "b3"), ["It opens."]);
  assert.deepEqual(quiz.statementsOf(rules, "b2"), []);
  assert.deepEqual(quiz.statementsOf({}, "b2"), []);
});

test("new text follows the text read before", () => {
  const text = CANDIDATES[0].text;
  assert.deepEqual(quiz.parted(text, "It opens."), { before: "It opens.\n", after: "It closes." });
  assert.deepEqual(quiz.parted(text, undefined), { before: "", after: text });
  assert.deepEqual(quiz.parted(text, "Other."), { before: "", after: text });
});
