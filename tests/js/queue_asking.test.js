import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { block, hit, JUDGED, past, OpenPage } from "./lender.js";
import { answering, noAnswer, pass, passAndSettle, Server, settled } from "./stand_ins.js";

let page;

beforeEach(() => {
  page = new OpenPage();
});

describe("asking", () => {
  test("is one request, however many ask, and another when it was answered", async () => {
    const give = page.server.lendLater(hit("h1", ["b1"]));
    const first = page.queue.ask();
    const second = page.queue.ask();
    give();
    assert.deepEqual(await Promise.all([first, second]), [true, true]);
    assert.equal(page.server.asked.length, 1);
    await page.lendAndAsk("h2", ["b2"]);
    assert.equal(page.server.asked.length, 2);
  });

  test("says which HIT is the last one, which one of the history is not", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.queue.reopen(past("b0"));
    await page.lendAndAsk("h2", ["b2"]);
    assert.deepEqual(page.server.asked, [undefined, "h1"]);
    assert.equal(page.queue.lastHit().id, "h2");
  });

  test("waits, with a HIT in hand, until the server has all that was done", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.server.answer = noAnswer;
    page.judge("b1");
    page.server.lend(hit("h2", ["b2"]));
    const asked = page.queue.ask();
    await settled();
    assert.equal(page.server.asked.length, 1);
    page.server.answer = new Server().answer;
    await passAndSettle(1000);
    assert.equal(await asked, true);
    assert.deepEqual(page.server.asked, [undefined, "h1"]);
  });

  test("does not wait after a reload, when nothing is in hand yet", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    page.server.answer = noAnswer;
    page.judge("b1");
    page.loadAnew();
    await page.lendAndAsk("h1", ["b1", "b2"]);
    assert.equal(page.stateOf("b1"), "judged");
    assert.equal(page.queue.nextOpen().id, "b2");
  });

  test("asks again where all of the first answer is on its way to the server", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.server.answer = noAnswer;
    page.judge("b1");
    await settled();
    page.server.answer = new Server().answer;
    page.loadAnew();
    page.outbox.flush();
    page.server.lend(hit("h1", ["b1"]));
    assert.equal(await page.lendAndAsk("h2", ["b2"]), true);
    assert.deepEqual(page.server.asked.slice(1), [undefined, "h1"]);
    assert.equal(page.queue.nextOpen().id, "b2");
  });

  test("finds what the answer to a submission brought while there was nothing more to lend", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.server.answer = answering(200, { next: hit("h2", ["b2"]) });
    page.judge("b1", { after: "h1" });
    await page.outbox.emptied();
    assert.equal(await page.queue.ask(), true);
  });

  test("stops after two answers with nothing to do", async () => {
    const done = (id) => hit(id, [block(`${id}/b`, JUDGED)]);
    for (const id of ["h1", "h2", "h3"]) page.server.lend(done(id));
    assert.equal(await page.queue.ask(), false);
    assert.equal(page.queue.lack, "none_left");
    assert.equal(page.server.asked.length, 2);
  });

  for (const [answer, lack, retryAfter = 0] of [
    [{ status: 204 }, "none_left"],
    [{ status: 204, reason: "done" }, "done"],
    [{ status: 204, reason: "time_over" }, "time_over"],
    [{ status: 403, data: { code: "paused" } }, "paused"],
    [{ status: 403, data: { code: "excluded" } }, "excluded"],
    [{ status: 403, data: { code: "instructions" } }, "instructions"],
    [{ status: 403, data: { code: "permission_denied" } }, "signed_out"],
    [{ status: 401 }, "signed_out"],
    [{ status: 202, data: { state: "preparing", retry_after: 3 } }, "preparing", 3],
    [{ status: 202, data: { state: "waiting", retry_after: 60 } }, "waiting", 60],
    [{ status: 500 }, "server"],
    [{ status: 404 }, "server"],
  ]) {
    test(`says "${lack}" of ${JSON.stringify(answer)}, until something is lent`, async () => {
      page.server.lent.push(() => answer);
      assert.equal(await page.queue.ask(), false);
      assert.deepEqual([page.queue.lack, page.queue.retryAfter], [lack, retryAfter]);
      assert.equal(await page.lendAndAsk("h1", ["b1"]), true);
      assert.equal(page.queue.lack, null);
    });
  }

  test("says \"offline\" where there is no answer, and no longer when to ask again", async () => {
    page.server.answers(202, { state: "waiting", retry_after: 60 });
    await page.queue.ask();
    page.server.lent.push(noAnswer);
    assert.equal(await page.queue.ask(), false);
    assert.deepEqual([page.queue.lack, page.queue.retryAfter], ["offline", 0]);
  });
});

describe("the HIT that comes along with a submission", () => {
  const bringing = (next) => () => ({ status: 201, data: { next } });

  test("needs no request of its own", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.server.answer = bringing(hit("h2", ["b2"]));
    page.judge("b1", { after: "h1" });
    assert.equal(await page.queue.ask(), true);
    assert.equal(page.queue.nextOpen().id, "b2");
    assert.equal(page.server.asked.length, 1);
  });

  test("is not put before the one in hand, after a reload", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    page.server.answer = noAnswer;
    page.judge("b1", { after: "h1" });
    await settled();
    page.server.answer = bringing(hit("h2", ["b3"]));
    page.loadAnew();
    await page.outbox.flush();
    assert.deepEqual(page.ids, []);
    await page.lendAndAsk("h1", [block("b1", JUDGED), "b2"]);
    assert.deepEqual(page.ids, ["b1", "b2"]);
  });

  test("is asked for by each block after which no more than two are left, while it is open", async () => {
    await page.lendAndAsk("h1", ["b0", "b1", "b2", "b3"]);
    const after = { after: "h1" };
    assert.deepEqual(page.queue.blocks.map((each) => page.queue.toFollow(each)), [{}, after, after, after]);
    assert.deepEqual(page.queue.blocks.map((each) => page.queue.isNearEnd(each)), [false, false, true, true]);
    page.judge("b2");
    assert.deepEqual(page.queue.toFollow(page.queue.find("b2")), {});
    await settled();
    await page.lendAndAsk("h2", ["b4"]);
    assert.deepEqual(page.queue.toFollow(page.queue.find("b3")), {});
    assert.equal(page.queue.isNearEnd(page.queue.find("b3")), false);
    assert.deepEqual(page.queue.toFollow(page.queue.find("b4")), { after: "h2" });
  });
});

describe("the stock of HITs", () => {
  const blocks = (name) => [1, 2, 3].map((place) => `${name}/${place}`);

  async function stocked() {
    await page.lendAndAsk("h1", blocks("h1"));
    for (const name of ["h2", "h3", "h4", "h5", "h6"]) page.server.lend(hit(name, blocks(name)));
    await page.queue.stock();
  }

  test("is as many HITs as have twenty blocks together", async () => {
    await stocked();
    assert.equal(page.ids.length, 18);
    assert.deepEqual(page.server.asked.at(-1), ["h1", "h2", "h3", "h4", "h5"]);
  });

  test("is as many again once a HIT is done, with the last submission of it", async () => {
    await stocked();
    const follow = () => page.queue.toFollow(page.queue.nextOpen());
    assert.deepEqual(follow(), {});
    page.judge("h1/1");
    page.judge("h1/2");
    assert.deepEqual(follow(), { after: "h6", in_hand: ["h2", "h3", "h4", "h5", "h6"] });
    page.server.answer = () => ({ status: 201, data: { next: hit("h7", blocks("h7")) } });
    page.judge("h1/3", follow());
    await settled();
    assert.equal(page.ids.length, 21);
    assert.equal(page.server.asked.length, 6);
  });

  test("is nothing where a HIT has so many blocks, or the server has no more", async () => {
    await page.lendAndAsk("h1", [...Array(11).keys()].map(String));
    await page.queue.stock();
    assert.equal(page.server.asked.length, 1);
    page = new OpenPage();
    await page.lendAndAsk("h1", blocks("h1"));
    page.server.answers(204);
    await page.queue.stock();
    assert.equal(page.server.asked.length, 2);
    assert.equal(page.queue.nextOpen().id, "h1/1");
  });

  test("does not end how far the judge may go back", async () => {
    await stocked();
    page.judge("h1/1");
    assert.equal(page.queue.before(page.queue.nextOpen()).id, "h1/1");
  });

  for (const stopped of ["paused", "campaign_paused", "campaign_closed"]) {
    test(`waits after the sentence whose submission is answered with ${stopped}`, async () => {
      await stocked();
      page.server.answer = () => ({ status: 200, data: { next: null, stopped } });
      page.judge("h1/1");
      await settled();
      assert.equal(page.queue.nextOpen(), undefined);
      await page.lendAndAsk("h1", [block("h1/1", JUDGED), "h1/2", "h1/3"]);
      assert.equal(page.queue.nextOpen().id, "h1/2");
    });
  }

  test("keeps a begun sentence of a judge who was stopped", async () => {
    await stocked();
    page.queue.find("h1/2").answer = { labels: [1, null] };
    page.server.answers(403, { code: "paused" });
    await page.queue.ask();
    assert.ok(!page.queue.hits.get("h1").dropped);
    assert.ok(page.queue.hits.get("h2").dropped);
  });

  test("loses what the server took back for another judge, unless it is begun", async () => {
    await stocked();
    page.queue.find("h3/1").answer = { labels: [1, null] };
    page.server.answer = () => ({ status: 200, data: { next: null, taken_back: ["h2", "h3"] } });
    page.judge("h1/1");
    await settled();
    const dropped = [...page.queue.hits.values()].filter((each) => each.dropped);
    assert.deepEqual(dropped.map(({ id }) => id), ["h2"]);
  });
});

describe("a block answered on another device", () => {
  beforeEach(() => page.lendAndAsk("h1", ["b1", "b2", "b3"]));

  test("is not sent again and is told with the answer that counts", async () => {
    const stored = { id: "other", labels: [2, 1], comment: "" };
    page.server.answer = () => ({ status: 409, data: { stored } });
    const told = [];
    page.outbox.addEventListener("elsewhere", ({ detail }) => told.push(detail.answer.stored));
    page.judge("b1");
    await settled();
    assert.deepEqual(told, [stored]);
    assert.deepEqual(page.outbox.items(), []);
  });

  test("is adopted from the judge's history", async () => {
    const row = (id) => ({ block: block(id, JUDGED) });
    page.server.history = async () => ({ status: 200, asked: performance.now(), data: { results: [row("b3"), row("b1")] } });
    await page.queue.learnFromHistory();
    assert.equal(page.queue.nextOpen().id, "b2");
  });
});

describe("precedence", () => {
  beforeEach(() => page.lendAndAsk("h1", ["b1", "b2"]));

  test("the server decides about blocks done on another device", async () => {
    await page.lendAndAsk("h1", [block("b1", JUDGED), block("b2", { state: "skipped" })]);
    assert.deepEqual([page.stateOf("b1"), page.stateOf("b2")], ["judged", "skipped"]);
    assert.deepEqual(page.queue.find("b1").answer.labels, [2, 1]);
  });

  test("the server decides about refused answers", async () => {
    page.server.answer = () => ({ status: 400 });
    page.judge("b1");
    await settled();
    await page.lendAndAsk("h1", ["b1", "b2"]);
    assert.equal(page.stateOf("b1"), "open");
  });

  test("the device decides about pending answers", async () => {
    const give = page.server.lendLater(hit("h1", ["b1", "b2"]));
    const asked = page.queue.ask();
    await settled();
    page.server.answer = noAnswer;
    page.judge("b1");
    give();
    await asked;
    assert.equal(page.stateOf("b1"), "judged");
  });

  test("the device decides about answers confirmed between a request and its response", async () => {
    const give = page.server.lendLater(hit("h1", ["b1", "b2"]));
    const asked = page.queue.ask();
    await settled();
    pass(5);
    page.judge("b1");
    await settled();
    assert.deepEqual(page.outbox.items(), []);
    give();
    await asked;
    assert.equal(page.stateOf("b1"), "judged");
  });

  test("the server decides about answers confirmed before the request", async () => {
    page.judge("b1");
    await settled();
    pass(5);
    await page.lendAndAsk("h1", ["b1", "b2"]);
    assert.equal(page.stateOf("b1"), "open");
  });

  test("the device decides after a reload about answers confirmed during the request", async () => {
    page.server.answer = noAnswer;
    page.judge("b1");
    await settled();
    page.server.answer = new Server().answer;
    page.loadAnew();
    const give = page.server.lendLater(hit("h1", ["b1", "b2"]));
    const asked = page.queue.ask();
    pass(5);
    await page.outbox.flush();
    give();
    await asked;
    assert.equal(page.stateOf("b1"), "judged");
    assert.equal(page.queue.nextOpen().id, "b2");
  });
});
