import assert from "node:assert/strict";
import { beforeEach, describe, mock, test } from "node:test";

import { Outbox } from "../../static/judge/outbox.js";
import {
  answering,
  keptKeys,
  newDevice,
  noAnswer,
  openTab,
  passAndSettle,
  refuseToKeep,
  Server,
  settled,
} from "./stand_ins.js";

const A_MINUTE = 60_000;

let device;
let server;
let outbox;

function start() {
  device = newDevice();
  server = new Server();
  outbox = new Outbox(server, "anna");
}

beforeEach(() => start());

describe("a submission", () => {
  test("is on the device before it is sent and until it is confirmed", async () => {
    const answers = server.hold();
    const item = outbox.add("judgments", "b1", { labels: [1, 2] });
    await settled();
    assert.deepEqual(keptKeys(), [`quintet/outbox/anna/${item.id}`]);
    assert.deepEqual(server.arrived, [{ kind: "judgments", id: item.id, body: { block: "b1", labels: [1, 2] } }]);
    await answers.give();
    assert.deepEqual(keptKeys(), []);
  });

  test("is reported with the response of the server once confirmed", async () => {
    const told = [];
    outbox.addEventListener("sent", ({ detail }) => told.push(detail));
    server.answer = () => ({ status: 201, data: { next: "hit" } });
    const asked = performance.now();
    const item = outbox.add("judgments", "b1", {});
    await settled();
    assert.deepEqual(told, [{ item, answer: { next: "hit" }, at: Date.now(), asked }]);
  });

  test("has an id of its own, also where the browser makes none", () => {
    mock.method(crypto, "randomUUID");
    crypto.randomUUID = undefined;
    const ids = ["b1", "b2"].map((block) => outbox.add("judgments", block, {}).id);
    assert.notEqual(ids[0], ids[1]);
    for (const id of ids) assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  test("has no characters that neither JSON nor the database holds", () => {
    const answer = { text: "\ud83d\ude00 half \ud83d", spans: [{ start: 0, end: null }] };
    const { body } = outbox.add("judgments", "b1", { answer, comment: "from a PDF\0" });
    assert.deepEqual(body, {
      block: "b1",
      answer: { text: "\ud83d\ude00 half \ufffd", spans: [{ start: 0, end: null }] },
      comment: "from a PDF\ufffd",
    });
  });

  test("goes out where the browser keeps nothing", async () => {
    refuseToKeep();
    const item = outbox.add("judgments", "b1", {});
    await settled();
    assert.deepEqual([...server.stored.keys()], [item.id]);
    assert.deepEqual(outbox.items(), []);
  });

  test("starts another round if it arrives at the end of one", async () => {
    let late = false;
    outbox.addEventListener("change", () => {
      if (outbox.state !== "idle" || server.arrived.length !== 1 || late) return;
      late = true;
      outbox.add("judgments", "b2", {});
    });
    outbox.add("judgments", "b1", {});
    await settled();
    assert.deepEqual(server.blocks, ["b1", "b2"]);
  });
});

describe("the order", () => {
  test("is the one of their making, and one waits for the other", async () => {
    const answers = server.hold();
    for (const block of ["b1", "b2", "b3"]) outbox.add("judgments", block, {});
    await settled();
    assert.deepEqual(server.blocks, ["b1"]);
    await answers.give();
    assert.deepEqual(server.blocks, ["b1", "b2"]);
    await answers.give();
    assert.deepEqual(server.blocks, ["b1", "b2", "b3"]);
  });

  test("is kept within a millisecond", async () => {
    const blocks = Array.from({ length: 20 }, (_, index) => `b${index}`);
    for (const block of blocks) outbox.add("judgments", block, {});
    await settled();
    assert.deepEqual(server.blocks, blocks);
  });

  test("is kept where the clock of the phone is set back between two", async () => {
    server.answer = noAnswer;
    outbox.add("judgments", "b1", { labels: ["original"] });
    device.clockError = -10 * A_MINUTE;
    outbox.add("judgments", "b1", { labels: ["revision"] });
    assert.deepEqual(outbox.latestOf("b1").body.labels, ["revision"]);
    await settled();
    server.answer = new Server().answer;
    await outbox.flush();
    assert.deepEqual([...server.stored.values()].map(({ body }) => body.labels[0]), ["original", "revision"]);
  });

  test("is kept where the clock is set back between two and the page loaded anew", async () => {
    server.answer = noAnswer;
    outbox.add("judgments", "b1", {});
    device.clockError = -10 * A_MINUTE;
    openTab();
    const anew = new Outbox(server, "anna");
    anew.add("judgments", "b2", {});
    anew.add("judgments", "b3", {});
    assert.deepEqual(anew.items().map(({ body }) => body.block), ["b1", "b2", "b3"]);
  });
});

describe("a refused submission", () => {
  test("stays on the device with the reason, is told of, and is not sent again", async () => {
    const told = [];
    outbox.addEventListener("refused", ({ detail }) => told.push(detail));
    server.answer = answering(400, { detail: "Too late." });
    const item = outbox.add("judgments", "b1", {});
    await settled();
    assert.deepEqual(told, [{ item, answer: { detail: "Too late." } }]);
    assert.deepEqual(outbox.items(), [{ ...item, refused: "Too late." }]);
    assert.deepEqual(outbox.waiting(), []);
    assert.equal(outbox.latestOf("b1"), undefined);
    await passAndSettle(10 * A_MINUTE);
    openTab();
    await new Outbox(server, "anna").flush();
    assert.equal(server.arrived.length, 1);
  });

  test("without a reason has the status for one", async () => {
    server.answer = answering(404);
    outbox.add("judgments", "b1", {});
    await settled();
    assert.equal(outbox.items()[0].refused, "404");
  });

  test("is out of the way of the others", async () => {
    server.answer = ({ body }) => ({ status: body.block === "b1" ? 400 : 201 });
    outbox.add("judgments", "b1", {});
    outbox.add("judgments", "b2", {});
    await settled();
    assert.deepEqual([...server.stored.values()].map(({ body }) => body.block), ["b2"]);
    assert.deepEqual(outbox.items().map(({ body }) => body.block), ["b1"]);
  });

  test("is forgotten when the block is judged after all, and only then", async () => {
    server.answer = answering(400);
    outbox.add("judgments", "b1", {});
    outbox.add("judgments", "b2", {});
    await settled();
    server.answer = new Server().answer;
    outbox.add("problem-reports", "b1", {});
    await settled();
    assert.deepEqual(outbox.items().map(({ body }) => body.block), ["b1", "b2"]);
    outbox.add("skips", "b1", {});
    await settled();
    assert.deepEqual(outbox.items().map(({ body }) => body.block), ["b2"]);
  });

  test("does not take along what still waits of the same block", async () => {
    const answers = server.hold();
    outbox.add("judgments", "b1", {});
    const revision = outbox.add("judgments", "b1", {});
    await settled();
    await answers.give();
    assert.deepEqual(outbox.waiting(), [revision]);
  });
});

describe("loaded anew", () => {
  test("the page sends what was waiting, under the ids it had", async () => {
    server.answer = noAnswer;
    const items = ["b1", "b2"].map((block) => outbox.add("judgments", block, {}));
    await settled();
    openTab();
    const anew = new Outbox(new Server(), "anna");
    await anew.flush();
    assert.deepEqual(anew.api.arrived.map(({ id }) => id), items.map(({ id }) => id));
    assert.deepEqual(anew.items(), []);
  });

  test("by somebody else, it leaves alone what is not theirs", async () => {
    server.answer = noAnswer;
    const item = outbox.add("judgments", "b1", {});
    await settled();
    openTab();
    const another = new Outbox(new Server(), "ann");
    await another.flush();
    assert.deepEqual(another.api.arrived, []);
    assert.deepEqual(outbox.waiting(), [item]);
  });
});
