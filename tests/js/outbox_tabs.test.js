import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { Outbox } from "../../static/judge/outbox.js";
import { keptKeys, newDevice, noAnswer, openTab, pass, Server, settled, tellRemoved } from "./stand_ins.js";

let server;
let outbox;

function start(options) {
  newDevice(options);
  server = new Server();
  outbox = new Outbox(server, "anna");
}

beforeEach(() => start());

describe("in two tabs", () => {
  test("submissions are sent once if tabs can take turns", async () => {
    openTab();
    const other = new Outbox(server, "anna");
    for (const block of ["b1", "b2", "b3"]) {
      outbox.add("judgments", block, {});
      other.flush();
    }
    other.add("judgments", "b4", {});
    await settled();
    assert.deepEqual(server.blocks, ["b1", "b2", "b3", "b4"]);
    assert.deepEqual([outbox.state, other.state], ["idle", "idle"]);
  });

  test("submissions are stored once if tabs cannot take turns", async () => {
    start({ locks: false });
    openTab();
    const other = new Outbox(server, "anna");
    for (const block of ["b1", "b2"]) outbox.add("judgments", block, {});
    other.flush();
    await settled();
    assert.deepEqual([...server.stored.values()].map(({ body }) => body.block), ["b1", "b2"]);
    assert.deepEqual(keptKeys(), []);
  });

  test("one tab sends each once, also where it cannot wait for a turn", async () => {
    start({ locks: false });
    const answers = server.hold();
    outbox.add("judgments", "b1", {});
    outbox.add("judgments", "b2", {});
    outbox.flush();
    await settled();
    assert.deepEqual(server.blocks, ["b1"]);
    await answers.give();
    await answers.give();
    assert.deepEqual(server.blocks, ["b1", "b2"]);
  });

  test("one hears of a change by the other, and not of what concerns somebody else", () => {
    const tab = openTab();
    const other = new Outbox(server, "anna");
    let changes = 0;
    other.addEventListener("change", () => (changes += 1));
    const change = (key) => Object.assign(new Event("storage"), { key, newValue: "{}" });
    tab.dispatchEvent(change("quintet/outbox/anna/1"));
    assert.equal(changes, 1);
    tab.dispatchEvent(change("quintet/outbox/bert/1"));
    tab.dispatchEvent(change(null));
    assert.equal(changes, 1);
  });
});

describe("the unknown answer to a block", () => {
  test("is the latest pending one, and never a report", async () => {
    server.answer = noAnswer;
    outbox.add("judgments", "b1", {});
    const revision = outbox.add("judgments", "b1", {});
    outbox.add("problem-reports", "b1", {});
    outbox.add("judgments", "b2", {});
    assert.deepEqual(outbox.latestOf("b1"), revision);
    assert.deepEqual(outbox.unknownOf("b1", performance.now() + 1), revision);
    assert.equal(outbox.unknownOf("b3", 0), undefined);
  });

  test("is what was confirmed since it was asked for", async () => {
    const before = performance.now();
    pass(5);
    const item = outbox.add("judgments", "b1", {});
    await settled();
    assert.deepEqual(outbox.unknownOf("b1", before), item);
    assert.deepEqual(outbox.unknownOf("b1", performance.now()), item);
    pass(5);
    assert.equal(outbox.unknownOf("b1", performance.now()), undefined);
  });

  test("is not a report that was confirmed", async () => {
    const before = performance.now();
    outbox.add("problem-reports", "b1", {});
    await settled();
    assert.equal(outbox.unknownOf("b1", before), undefined);
  });

  test("is what another tab had confirmed since, and not what the server refused it", () => {
    const tab = openTab();
    const other = new Outbox(server, "anna");
    const before = performance.now();
    const item = { id: "1", kind: "judgments", body: { block: "b1" }, at: 0 };
    const refused = { id: "2", kind: "judgments", body: { block: "b2" }, at: 0, refused: "Too late." };
    for (const each of [item, refused]) tellRemoved(tab, `quintet/outbox/anna/${each.id}`, JSON.stringify(each));
    assert.deepEqual(other.unknownOf("b1", before), item);
    assert.equal(other.unknownOf("b2", before), undefined);
  });
});

describe("emptied", () => {
  test("is at once where nothing waits", async () => {
    await outbox.emptied();
  });

  test("is when the last one is confirmed or refused", async () => {
    const answers = server.hold();
    let empty = false;
    outbox.add("judgments", "b1", {});
    outbox.add("judgments", "b2", {});
    outbox.emptied().then(() => (empty = true));
    await settled();
    await answers.give();
    assert.equal(empty, false);
    await answers.give({ status: 400 });
    assert.equal(empty, true);
  });
});
