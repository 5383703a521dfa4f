import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { Outbox } from "../../static/judge/outbox.js";
import { answering, keptKeys, newDevice, noAnswer, openTab, Server, settled } from "./stand_ins.js";

let tab;
let server;
let outbox;

beforeEach(() => {
  newDevice();
  tab = openTab();
  server = new Server();
  outbox = new Outbox(server, "anna");
});

function leave(event = "pagehide") {
  tab.dispatchEvent(new Event(event));
}

describe("when the page is left", () => {
  for (const event of ["beforeunload", "pagehide"]) {
    test(`what waits goes out at once, but for what is on its way (${event})`, async () => {
      server.hold();
      for (const block of ["b1", "b2", "b3"]) outbox.add("judgments", block, {});
      await settled();
      leave(event);
      await settled();
      assert.deepEqual(server.blocks, ["b1", "b2", "b3"]);
    });
  }

  test("a submission stays on the device and is retried with the same id", async () => {
    server.answer = () => new Promise(() => undefined);
    const items = ["b1", "b2"].map((block) => outbox.add("judgments", block, {}));
    await settled();
    leave();
    await settled();
    assert.equal(keptKeys().length, 2);
    newPage();
    await settled();
    assert.deepEqual([...server.stored.keys()], items.map(({ id }) => id));
    assert.deepEqual(keptKeys(), []);
  });

  test("a change waits for what it changes, also for what is on its way", async () => {
    server.hold();
    outbox.add("judgments", "b1", { labels: ["original"] });
    outbox.add("judgments", "b2", { labels: ["original"] });
    for (const block of ["b1", "b2"]) outbox.add("judgments", block, { labels: ["revision"] });
    await settled();
    leave();
    await settled();
    assert.deepEqual(
      server.arrived.map(({ body }) => [body.block, body.labels[0]]),
      [
        ["b1", "original"],
        ["b2", "original"],
      ],
    );
  });

  for (const [why, answer] of [
    ["no network", noAnswer],
    ["a busy server", answering(503)],
    ["a judge too fast", answering(429, { retry_after: 30 })],
    ["nobody signed in", answering(401)],
  ]) {
    test(`nothing goes out with ${why}`, async () => {
      server.answer = answer;
      outbox.add("judgments", "b1", {});
      await settled();
      leave();
      await settled();
      assert.equal(server.arrived.length, 1);
    });
  }

  test("an answer that does not come is no error", async () => {
    let sent = 0;
    server.answer = () => (sent++ ? noAnswer() : new Promise(() => undefined));
    outbox.add("judgments", "b1", {});
    outbox.add("judgments", "b2", {});
    await settled();
    leave();
    await settled();
    assert.deepEqual(outbox.waiting().map(({ body }) => body.block), ["b1", "b2"]);
  });
});

// The same tab, loaded anew: the lock of the page before is gone with it.
function newPage() {
  navigator.locks = undefined;
  openTab();
  server.answer = new Server().answer;
  void new Outbox(server, "anna").flush();
}
