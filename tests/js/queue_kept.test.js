import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { KeptHits } from "../../static/judge/reload.js";
import { Queue } from "../../static/judge/queue.js";
import { AN_HOUR, block, hit, JUDGED, OpenPage } from "./lender.js";
import { answering, keptKeys, noAnswer, pass, passAndSettle, refuseToKeep } from "./stand_ins.js";

const KEY = "quintet/hits/anna";
let page;

class PageThatKeeps extends OpenPage {
  loadAnew(user = "u1") {
    super.loadAnew();
    this.signedIn = user;
    this.hits = new KeptHits({ owner: "anna", user, name: "judge-anna" }, { whoIsSignedIn: () => this.signedIn });
    this.queue = new Queue(this.server, this.outbox, this.drafts, this.screens, this.hits);
  }

  // As after `loadAnew` with nobody to say what is lent.
  async loadWithout(answer = noAnswer) {
    this.loadAnew();
    this.server.lent = [answer];
    return this.queue.ask();
  }
}

beforeEach(() => {
  page = new PageThatKeeps();
});

describe("a page loaded anew without an answer of the server", () => {
  test("goes on with the HIT in hand, at the block that was open", async () => {
    await page.lendAndAsk("h1", ["b1", "b2", "b3"]);
    page.judge("b1");
    await passAndSettle(0);
    assert.equal(await page.loadWithout(), true);
    assert.equal(page.queue.nextOpen().id, "b2");
    assert.equal(page.queue.lack, null);
    assert.deepEqual(page.queue.find("b1").sent, { answer: { labels: [1, 2] }, comment: "" });
  });

  test("does so where a proxy answers for a server that is down", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    await passAndSettle(0);
    assert.equal(await page.loadWithout(answering(502)), true);
    assert.equal(page.queue.nextOpen().id, "b1");
  });

  test("does not ask again for what the server has confirmed", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    page.judge("b1");
    await passAndSettle(0);
    assert.deepEqual(page.outbox.items(), []);
    assert.equal(await page.loadWithout(), true);
    assert.equal(page.stateOf("b1"), "judged");
  });

  test("has also the next HIT, where that came already", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    await page.lendAndAsk("h2", ["b2", block("b3", JUDGED)]);
    await passAndSettle(0);
    await page.loadWithout();
    assert.deepEqual(page.ids, ["b1", "b2", "b3"]);
    assert.deepEqual(page.queue.find("b3").sent, { answer: { labels: [2, 1] }, comment: "so" });
  });

  test("counts what was done since the server counted", async () => {
    page.server.lend(hit("h1", ["b1", "b2", "b3"], { progress: { done: 7, wanted: 20, minutes_left: null } }));
    await page.queue.ask();
    page.judge("b1");
    await passAndSettle(0);
    page.loadAnew();
    const told = [];
    page.queue.addEventListener("progress", ({ detail }) => told.push(detail.done));
    page.server.lent = [noAnswer];
    await page.queue.ask();
    assert.deepEqual(told, [8]);
  });

  test("knows how long the lease lasts, whatever the clock of the device says", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    pass(AN_HOUR / 2);
    page.outbox.dispatchEvent(new Event("change"));
    await passAndSettle(0);
    await page.loadWithout();
    assert.equal(page.queue.leaseIsOver(page.queue.find("b1")), false);
    pass(AN_HOUR / 2 + 1);
    assert.equal(page.queue.leaseIsOver(page.queue.find("b1")), true);
  });

  test("believes the server once it answers", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    await passAndSettle(0);
    await page.loadWithout();
    await page.lendAndAsk("h1", [block("b1", JUDGED), "b2"]);
    assert.equal(page.stateOf("b1"), "judged");
    assert.deepEqual(page.ids, ["b1", "b2"]);
  });
});

describe("the copy of texts on the device", () => {
  test("is the HIT in hand, and nothing once that is done", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    await passAndSettle(0);
    assert.equal(page.hits.get().length, 1);
    page.judge("b1");
    await passAndSettle(0);
    assert.deepEqual(page.hits.get(), []);
  });

  test("is gone when somebody else signs in", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    await passAndSettle(0);
    page.loadAnew("u2");
    assert.equal(keptKeys().includes(KEY), false);
  });

  test("is not kept again by the page of a judge in whose place another signed in", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.signedIn = "u2";
    await passAndSettle(0);
    assert.equal(keptKeys().includes(KEY), false);
  });

  test("stays while nothing has been said of it, whatever waits in the outbox", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    page.server.answer = noAnswer;
    page.judge("b1");
    await passAndSettle(0);
    page.loadAnew();
    page.outbox.flush();
    await passAndSettle(0);
    assert.equal(page.hits.get().length, 1);
  });

  test("makes room for rankings where the device is full", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    await passAndSettle(0);
    refuseToKeep();
    page.outbox.dispatchEvent(new Event("change"));
    await passAndSettle(0);
    assert.equal(keptKeys().includes(KEY), false);
  });
});
