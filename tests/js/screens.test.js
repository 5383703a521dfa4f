// Which screen a HIT is judged on, and what hinders it.

import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";

import { Screens, protocolOf } from "../../static/judge/screens.js";

test("a protocol has its own screen, or that of another", () => {
  assert.equal(protocolOf({ protocol: "top" }), "top");
  assert.equal(protocolOf({ protocol: "sorting" }), "two_outputs");
  assert.equal(protocolOf({}), "ranking");
});

afterEach(() => mock.restoreAll());

// vitejs/vite 11804, balancer/frontend-v2 2778: a page from before an upgrade asks for modules that are gone.
for (const [answer, lack] of [
  [async () => ({ status: 404 }), "outdated"],
  [async () => ({ status: 502 }), "server"],
  [async () => Promise.reject(new TypeError("no network")), "server"],
]) {
  test(`a screen that cannot be loaded is ${lack}, by ${answer}`, async () => {
    mock.method(globalThis, "fetch", answer);
    const screens = new Screens({ top: "./screen.of.an.earlier.version.js" });
    assert.equal(await screens.load("top"), lack);
  });
}

test("a screen without an address is outdated", async () => {
  assert.equal(await new Screens({}).load("top"), "outdated");
});
