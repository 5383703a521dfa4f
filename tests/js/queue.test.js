import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { AN_HOUR, ARABIC, block, hit, JUDGED, past, OpenPage } from "./lender.js";
import { noAnswer, pass, settled } from "./stand_ins.js";

let page;

beforeEach(() => {
  page = new OpenPage();
});

describe("a lent HIT", () => {
  test("comes in the order of the HIT, each block with its place", async () => {
    assert.equal(await page.lendAndAsk("h1", ["b1", "b2", "b3"]), true);
    assert.deepEqual(page.ids, ["b1", "b2", "b3"]);
    assert.deepEqual(page.queue.blocks.map(({ position }) => position), [1, 2, 3]);
    assert.equal(page.queue.hits.get("h1").total, 3);
    assert.equal(page.queue.nextOpen(), page.queue.find("b1"));
    const { answer, comment, sent } = page.queue.find("b1");
    assert.deepEqual({ answer, comment, sent }, { answer: { labels: [null, null] }, comment: "", sent: null });
  });

  test("is open where the server says so, and after what was done", async () => {
    await page.lendAndAsk("h1", [block("b1", JUDGED), block("b2", { state: "skipped" }), "b3"]);
    assert.equal(page.queue.nextOpen().id, "b3");
    assert.deepEqual(page.queue.find("b1").answer.labels, [2, 1]);
    assert.deepEqual(page.queue.find("b1").sent, { answer: { labels: [2, 1] }, comment: "so" });
    assert.deepEqual(page.queue.find("b2").answer.labels, [null, null]);
    assert.deepEqual(page.queue.find("b2").sent, { answer: { labels: [null, null] }, comment: "" });
  });

  test("goes on with the ranking that was begun", async () => {
    page.drafts.put("b1", { answer: { labels: [null, 4] }, comment: "Hm.", durationMs: 9000, activeMs: 7000 });
    await page.lendAndAsk("h1", ["b1"]);
    const { answer, comment, spent, state } = page.queue.find("b1");
    assert.deepEqual({ answer, comment, spent, state }, {
      answer: { labels: [null, 4] },
      comment: "Hm.",
      spent: { durationMs: 9000, activeMs: 7000 },
      state: "open",
    });
  });

  test("goes on with a change that was not sent, and with none that another device finished", async () => {
    const draft = { answer: { labels: [5, 1] }, comment: "so", durationMs: 1, activeMs: 1 };
    page.drafts.put("b1", { ...draft, revises: true });
    page.drafts.put("b2", { ...draft, revises: false });
    await page.lendAndAsk("h1", [block("b1", JUDGED), block("b2", JUDGED), "b3"]);
    assert.deepEqual(page.queue.find("b1").answer.labels, [5, 1]);
    assert.deepEqual(page.queue.find("b2").answer.labels, [2, 1]);
    assert.equal(page.queue.revised(), page.queue.find("b1"));
    page.queue.restore(page.queue.find("b1"));
    assert.deepEqual(page.queue.find("b1").answer.labels, [2, 1]);
    assert.equal(page.queue.revised(), undefined);
  });

  test("knows why a block was skipped, until it is ranked", async () => {
    await page.lendAndAsk("h1", [block("b1", { state: "skipped", skip_reason: "other" }), "b2"]);
    const skipped = page.queue.find("b1");
    assert.equal(skipped.skip_reason, "other");
    assert.equal(page.queue.isRevised(skipped), false);
    skipped.answer.labels[0] = 1;
    assert.equal(page.queue.isRevised(skipped), true);
    page.queue.settle(skipped, "judgments", { labels: [1, 2] });
    assert.deepEqual([skipped.state, skipped.skip_reason, page.queue.isRevised(skipped)], ["judged", null, false]);
  });

  test("tells of the judge's progress and of a notice", async () => {
    const told = [];
    for (const name of ["progress", "notice"]) {
      page.queue.addEventListener(name, ({ detail }) => told.push([name, detail]));
    }
    await page.lendAndAsk("h1", ["b1"], { progress: { done: 7 }, notice: "Hello." });
    const [[, { asked }]] = told;
    assert.ok(Number.isFinite(asked));
    assert.deepEqual(told, [["progress", { done: 7, asked }], ["notice", "Hello."]]);
  });

  test("again is not there twice, and its lease is longer", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    page.judge("b1");
    page.judge("b2");
    await settled();
    pass(AN_HOUR / 2);
    page.server.lend(hit("h1", [block("b1", JUDGED), "b2"], { rules: { partial: true } }));
    assert.equal(await page.queue.ask(), true);
    assert.deepEqual(page.ids, ["b1", "b2"]);
    assert.equal(page.queue.nextOpen().id, "b2");
    assert.deepEqual(page.queue.hits.get("h1").rules, { partial: true });
    pass(AN_HOUR);
    assert.equal(page.queue.leaseIsOver(page.queue.find("b2")), false);
    pass(1);
    assert.equal(page.queue.leaseIsOver(page.queue.find("b2")), true);
  });
});

describe("going back", () => {
  test("is to the last one done before", async () => {
    await page.lendAndAsk("h1", ["b1", "b2", "b3"]);
    const [first, second, third] = page.queue.blocks;
    assert.equal(page.queue.before(first), undefined);
    assert.equal(page.queue.before(third), undefined);
    page.judge("b1");
    assert.equal(page.queue.before(third), first);
    assert.equal(page.queue.before(second), first);
    page.judge("b2");
    assert.equal(page.queue.before(third), second);
    assert.equal(page.queue.before(first), undefined);
  });

  test("is to the last one of all, where no block is shown", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    page.judge("b1");
    page.judge("b2");
    assert.equal(page.queue.before(null).id, "b2");
  });

  test("ends where a HIT to be judged again says so", async () => {
    for (const [revisableHits, reached] of [
      [0, undefined],
      [1, "b1"],
    ]) {
      page = new OpenPage();
      await page.lendAndAsk("h1", ["b1"]);
      page.judge("b1");
      await settled();
      await page.lendAndAsk("h2", ["b2"], { revisable_hits: revisableHits });
      assert.equal(page.queue.before(page.queue.find("b2"))?.id, reached);
    }
  });

  test("is not ended by a HIT of other languages", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.judge("b1");
    await settled();
    await page.lendAndAsk("h2", ["b2"], { revisable_hits: 0, languages: ARABIC });
    assert.equal(page.queue.before(page.queue.find("b2")).id, "b1");
  });

  test("does not lead to the history", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.queue.reopen(past("b0"));
    assert.equal(page.queue.before(page.queue.find("b1")), undefined);
  });
});

describe("a lease that ran out", () => {
  let first;

  beforeEach(async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    first = page.queue.find("b1");
  });

  test("is measured in the page's time, from the server's", async () => {
    page.server.lent.push(() => ({ data: hit("h2", ["b3"]), at: Date.now() - 10 * AN_HOUR }));
    await page.queue.ask();
    pass(11 * AN_HOUR);
    assert.equal(page.queue.leaseIsOver(page.queue.find("b3")), false);
    pass(1);
    assert.equal(page.queue.leaseIsOver(page.queue.find("b3")), true);
  });

  test("is renewed where the server lends the same HIT", async () => {
    pass(AN_HOUR + 1);
    assert.equal(page.queue.leaseIsOver(first), true);
    page.server.lend(hit("h1", ["b1", "b2"]));
    await page.queue.renew(first);
    assert.equal(page.queue.leaseIsOver(first), false);
    assert.equal(page.queue.nextOpen(), first);
  });

  test("leaves the HIT for the one that the server lends now", async () => {
    page.server.lend(hit("h2", ["b3"]));
    await page.queue.renew(first);
    assert.equal(page.queue.nextOpen().id, "b3");
    assert.deepEqual(page.ids, ["b1", "b2", "b3"]);
  });

  test("leaves the HIT where the server lends nothing", async () => {
    for (const status of [202, 204]) {
      page.queue.hits.get("h1").dropped = false;
      page.server.answers(status, status === 202 ? { state: "waiting", retry_after: 5 } : null);
      await page.queue.renew(first);
      assert.equal(page.queue.nextOpen(), undefined);
    }
  });

  test("changes nothing where the server cannot be asked", async () => {
    page.server.lent.push(noAnswer);
    page.server.answers(500);
    page.server.answers(401);
    for (let i = 0; i < 3; i += 1) {
      await page.queue.renew(first);
      assert.equal(page.queue.nextOpen(), first);
    }
  });

  test("is taken up again when the HIT is lent again", async () => {
    page.server.answers(204);
    await page.queue.renew(first);
    await page.lendAndAsk("h1", ["b1", "b2"]);
    assert.equal(page.queue.nextOpen(), first);
  });
});

describe("a block of the history", () => {
  test("is before all others, as it was judged, and nothing follows it", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    const reopened = page.queue.reopen(past("b0"));
    assert.deepEqual(page.ids, ["b0", "b1"]);
    assert.deepEqual([reopened.state, reopened.position, reopened.answer.labels], ["judged", 2, [2, 1]]);
    assert.equal(page.queue.nextOpen().id, "b1");
    assert.deepEqual(page.queue.toFollow(reopened), {});
    pass(1000 * AN_HOUR);
    assert.equal(page.queue.leaseIsOver(reopened), false);
  });

  test("is not fetched again by what refused it: it stays out of the way", async () => {
    const reopened = page.queue.reopen(past("b0"));
    reopened.state = "open";
    assert.equal(page.queue.nextOpen(), undefined);
  });

  test("is near no end, also where nothing else is in hand", () => {
    const reopened = page.queue.reopen(past("b0"));
    assert.equal(page.queue.isNearEnd(reopened), false);
    assert.deepEqual(page.queue.toFollow(reopened), {});
    assert.equal(page.queue.before(null), undefined);
  });

  test("is the one on the page, if it is there", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    assert.equal(page.queue.reopen(past("b1")), page.queue.find("b1"));
    assert.deepEqual(page.ids, ["b1"]);
  });

  test("is there again with its change after a reload, from whichever page of the history", async () => {
    page.drafts.put("b0", { answer: { labels: [1, 1] }, comment: "", revises: true, durationMs: 1, activeMs: 1 });
    page.server.history = async (cursor) => ({
      status: 200,
      data: cursor ? { results: [past("b0")], next: null } : { results: [past("b9")], next: "http://server/?cursor=2" },
    });
    await page.queue.recall();
    assert.deepEqual(page.ids, ["b0"]);
    assert.deepEqual(page.queue.revised().answer.labels, [1, 1]);
  });

  test("is there once, in its HIT, if it is lent later", async () => {
    page.queue.reopen(past("b2"));
    await page.lendAndAsk("h1", ["b1", "b2"]);
    assert.deepEqual(page.ids, ["b1", "b2"]);
    assert.equal(page.queue.find("b2").hit, "h1");
  });
});

describe("a HIT", () => {
  test("is complete when none of its blocks is open", async () => {
    await page.lendAndAsk("h1", ["b1", "b2"]);
    page.judge("b1");
    assert.equal(page.queue.isComplete(page.queue.hits.get("h1")), false);
    page.queue.settle(page.queue.find("b2"), "skips", {});
    assert.equal(page.queue.isComplete(page.queue.hits.get("h1")), true);
  });

  test("is complete whatever is open in the next", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    page.judge("b1");
    await settled();
    await page.lendAndAsk("h2", ["b2"]);
    assert.equal(page.queue.isComplete(page.queue.hits.get("h1")), true);
    assert.equal(page.queue.isComplete(page.queue.hits.get("h2")), false);
  });

  test("keeps what was sent apart from what the judge changes then", async () => {
    await page.lendAndAsk("h1", ["b1"]);
    const labels = [1, 2];
    page.queue.settle(page.queue.find("b1"), "judgments", { labels, comment: "so" });
    page.queue.find("b1").answer.labels[0] = 5;
    assert.deepEqual(page.queue.find("b1").sent, { answer: { labels: [1, 2] }, comment: "so" });
  });
});
