// Which screen a HIT is judged on.

import assert from "node:assert/strict";
import test from "node:test";

import { protocolOf } from "../../static/judge/screens.js";

test("a protocol has its own screen, or that of another", () => {
  assert.equal(protocolOf({ protocol: "top" }), "top");
  assert.equal(protocolOf({ protocol: "sorting" }), "two_outputs");
  assert.equal(protocolOf({}), "ranking");
});
