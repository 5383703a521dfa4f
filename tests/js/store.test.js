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

test("stored values survive a reload", async () => {
  store.put("a/1", { labels: [1, null] });
  await load();
  assert.deepEqual(store.get("a/1"), { labels: [1, null] });
  assert.equal(store.lasting, true);
});

test("a value that is missing or not JSON is null", () => {
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

test("removed values are gone from device and memory", () => {
  store.put("a/1", 1);
  refuseToKeep();
  store.put("a/1", 2);
  store.remove("a/1");
  assert.equal(store.get("a/1"), null);
  assert.deepEqual(store.keys("a/"), []);
});

test("if the browser refuses, values are kept in memory and reported as temporary", async () => {
  refuseToKeep();
  store.put("a/1", { labels: [1] });
  assert.deepEqual(store.get("a/1"), { labels: [1] });
  assert.equal(store.lasting, false);
  await load();
  assert.equal(store.get("a/1"), null);
});

test("values refused by a full disk are stored once there is room", async () => {
  refuseToKeep();
  store.put("a/1", "first");
  mock.restoreAll();
  store.put("a/1", "second");
  assert.equal(store.get("a/1"), "second");
  await load();
  assert.equal(store.get("a/1"), "second");
});

test("a missing storage is like one that refuses", () => {
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
