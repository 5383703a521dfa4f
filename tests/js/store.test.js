import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { newDevice, refuseToKeep } from "./stand_ins.js";

let store;
let loads = 0;

// The module as a page loads it: what it remembered is gone.
async function load() {
  loads += 1;
  store = await import(`../../static/judge/store.js?load=${loads}`);
}

beforeEach(async () => {
  newDevice();
  await load();
});

test("what is kept is there again when the page is loaded anew", async () => {
  store.put("a/1", { labels: [1, null] });
  await load();
  assert.deepEqual(store.get("a/1"), { labels: [1, null] });
  assert.equal(store.lasting, true);
});

test("what was never kept, or is no JSON, is null", () => {
  localStorage.setItem("a/broken", "{");
  assert.equal(store.get("a/none"), null);
  assert.equal(store.get("a/broken"), null);
});

test("keys are those that begin so, each once", () => {
  for (const key of ["a/1", "a/2", "b/1"]) store.put(key, key);
  refuseToKeep();
  store.put("a/2", "changed");
  store.put("a/3", "new");
  assert.deepEqual(store.keys("a/").sort(), ["a/1", "a/2", "a/3"]);
});

test("what is removed is gone, from the device and from memory", () => {
  store.put("a/1", 1);
  refuseToKeep();
  store.put("a/1", 2);
  store.remove("a/1");
  assert.equal(store.get("a/1"), null);
  assert.deepEqual(store.keys("a/"), []);
});

test("where the browser refuses, memory keeps it and says that it will not last", async () => {
  refuseToKeep();
  store.put("a/1", { labels: [1] });
  assert.deepEqual(store.get("a/1"), { labels: [1] });
  assert.equal(store.lasting, false);
  await load();
  assert.equal(store.get("a/1"), null);
});

test("what a full disk refused is kept on the device once there is room again", async () => {
  refuseToKeep();
  store.put("a/1", "first");
  mock.restoreAll();
  store.put("a/1", "second");
  assert.equal(store.get("a/1"), "second");
  await load();
  assert.equal(store.get("a/1"), "second");
});

test("where there is nothing to keep things on, it is as where the browser refuses", () => {
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get() {
      throw new Error("not in this window");
    },
  });
  assert.deepEqual(store.keys("a/"), []);
  assert.equal(store.lasting, false);
  store.put("a/1", 1);
  assert.equal(store.get("a/1"), 1);
  assert.deepEqual(store.keys("a/"), ["a/1"]);
  store.remove("a/1");
  assert.equal(store.get("a/1"), null);
});
