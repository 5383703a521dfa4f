import assert from "node:assert/strict";
import { beforeEach, describe, mock, test } from "node:test";

import { SIGNED_IN } from "../../static/judge/api.js";
import { Outbox } from "../../static/judge/outbox.js";
import {
  answering,
  keptKeys,
  newDevice,
  noAnswer,
  openTab,
  passAndSettle,
  Server,
  settled,
} from "./stand_ins.js";

const A_MINUTE = 60_000;

let server;
let outbox;

function start() {
  newDevice();
  server = new Server();
  outbox = new Outbox(server, "anna");
}

beforeEach(() => start());

describe("without an answer", () => {
  beforeEach(() => {
    server.answer = noAnswer;
  });

  test("retries keep the id, after pauses that double up to a minute", async () => {
    const item = outbox.add("judgments", "b1", {});
    await settled();
    for (const pause of [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000)) {
      const sent = server.arrived.length;
      await passAndSettle(pause - 1);
      assert.equal(server.arrived.length, sent, `sent again before ${pause} ms`);
      await passAndSettle(1);
      assert.equal(server.arrived.length, sent + 1, `not sent again after ${pause} ms`);
    }
    assert.deepEqual(new Set(server.arrived.map(({ id }) => id)), new Set([item.id]));
    assert.equal(outbox.state, "offline");
    assert.deepEqual(outbox.waiting(), [item]);
  });

  test("pauses differ by a quarter either way from judge to judge", async () => {
    for (const [random, earliest] of [
      [0, 750],
      [1, 1250],
    ]) {
      start();
      server.answer = noAnswer;
      mock.method(Math, "random", () => random);
      outbox.add("judgments", "b1", {});
      await settled();
      await passAndSettle(earliest - 1);
      assert.equal(server.arrived.length, 1);
      await passAndSettle(1);
      assert.equal(server.arrived.length, 2);
    }
  });

  test("the pauses begin anew once something went through", async () => {
    outbox.add("judgments", "b1", {});
    await settled();
    await passAndSettle(1000);
    server.answer = ({ body }) => (body.block === "b1" ? { status: 201 } : noAnswer());
    outbox.add("judgments", "b2", {});
    await settled();
    const sent = server.arrived.length;
    await passAndSettle(1000);
    assert.equal(server.arrived.length, sent + 1);
  });

  test("those behind it wait for it", async () => {
    outbox.add("judgments", "b1", {});
    outbox.add("judgments", "b2", {});
    await settled();
    await passAndSettle(1000);
    assert.deepEqual(server.blocks.filter((block) => block === "b2"), []);
  });

  test("though the server had stored it, it is stored once", async () => {
    let lost = 0;
    server.answer = ({ kind, id, body }) => {
      server.stored.set(id, { kind, body });
      if (lost++ < 2) noAnswer();
      return { status: 200 };
    };
    outbox.add("judgments", "b1", {});
    await settled();
    await passAndSettle(1000);
    await passAndSettle(2000);
    assert.equal(server.arrived.length, 3);
    assert.equal(server.stored.size, 1);
    assert.deepEqual(keptKeys(), []);
  });

  for (const name of ["online", "focus"]) {
    test(`it goes out at once on ${name}, and no pause that was begun sends it again`, async () => {
      const tab = openTab();
      outbox = new Outbox(server, "anna");
      outbox.add("judgments", "b1", {});
      await settled();
      const answers = server.hold();
      tab.dispatchEvent(new Event(name));
      await settled();
      assert.equal(server.arrived.length, 2);
      await answers.give();
      await passAndSettle(10 * A_MINUTE);
      assert.equal(server.arrived.length, 2);
      assert.equal(outbox.state, "idle");
    });
  }

  test("asking again and again leaves one pause, not many", async () => {
    outbox.add("judgments", "b1", {});
    await settled();
    for (let i = 0; i < 5; i += 1) {
      outbox.flush();
      await settled();
    }
    const sent = server.arrived.length;
    await passAndSettle(A_MINUTE);
    assert.equal(server.arrived.length, sent + 1);
  });
});

describe("an answer of trouble", () => {
  for (const [status, state] of [
    [500, "server"],
    [503, "server"],
    [429, "server"],
    [408, "server"],
    [401, "signed_out"],
    [403, "signed_out"],
  ]) {
    test(`${status} keeps it, says "${state}", and it is sent again`, async () => {
      server.answer = answering(status, { detail: "…" });
      const item = outbox.add("judgments", "b1", {});
      await settled();
      assert.equal(outbox.state, state);
      assert.deepEqual(outbox.waiting(), [item]);
      server.answer = new Server().answer;
      await passAndSettle(1000);
      assert.deepEqual([...server.stored.keys()], [item.id]);
      assert.equal(outbox.state, "idle");
    });
  }

  test("with a retry time is repeated then, and reported as too fast", async () => {
    server.answer = answering(429, { detail: "…", retry_after: 30 });
    const item = outbox.add("judgments", "b1", {});
    await settled();
    assert.equal(outbox.state, "too_fast");
    await passAndSettle(29_999);
    assert.equal(server.arrived.length, 1);
    server.answer = new Server().answer;
    await passAndSettle(1);
    assert.deepEqual([...server.stored.keys()], [item.id]);
    assert.equal(outbox.state, "idle");
  });

  test("once the judge has signed in again it is on its way, also before an answer says so", async () => {
    server.answer = answering(401, null);
    outbox.add("judgments", "b1", {});
    await settled();
    const answers = server.hold();
    outbox.signedIn();
    assert.equal(outbox.state, "sending");
    await settled();
    assert.equal(outbox.state, "sending");
    await answers.give();
    assert.equal(outbox.state, "idle");
  });

  test("signing in again in another tab sends it at once", async () => {
    const tab = openTab();
    outbox = new Outbox(server, "anna");
    server.answer = answering(401, null);
    const item = outbox.add("judgments", "b1", {});
    await settled();
    server.answer = new Server().answer;
    tab.dispatchEvent(Object.assign(new Event("storage"), { key: SIGNED_IN, newValue: '"anna"' }));
    await settled();
    assert.deepEqual([...server.stored.keys()], [item.id]);
  });

  test("signing in does not say that the network is back", async () => {
    server.answer = noAnswer;
    outbox.add("judgments", "b1", {});
    await settled();
    server.hold();
    outbox.signedIn();
    await settled();
    assert.equal(outbox.state, "offline");
  });
});
