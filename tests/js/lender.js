// A judge's page without its screen, and the server that lends it HITs.

import { Drafts } from "../../static/judge/store.js";
import { Outbox } from "../../static/judge/outbox.js";
import { Queue } from "../../static/judge/queue.js";
import * as editing from "../../static/judge/editing/answer.js";
import * as quiz from "../../static/judge/quiz/answer.js";
import * as ranking from "../../static/judge/ranking/answer.js";
import * as rating from "../../static/judge/rating/answer.js";
import * as spans from "../../static/judge/spans/answer.js";
import * as top from "../../static/judge/top/answer.js";
import * as twoOutputs from "../../static/judge/two_outputs/answer.js";
import { newDevice, openTab, Server } from "./stand_ins.js";

export const AN_HOUR = 3_600_000;
export const GERMAN = { source: { lang: "en", name: "English" }, target: { lang: "de", name: "German" } };
export const ARABIC = { ...GERMAN, target: { lang: "ar", name: "Arabic" } };
export const JUDGED = { state: "judged", judgment: { labels: [2, 1], comment: "so" } };

// Those of all protocols, as they are on the page once they are loaded.
export class LoadedScreens {
  #answers = { editing, quiz, ranking, rating, spans, top, two_outputs: twoOutputs };

  async load(protocol) {
    return this.get(protocol) ? null : "outdated";
  }

  get(protocol) {
    const answers = this.#answers[protocol];
    return answers && { answers };
  }

  answersOf(protocol) {
    return this.get(protocol).answers;
  }
}

export function block(id, known = {}) {
  return { id, state: "open", candidates: [{ id: `${id}/x` }, { id: `${id}/y` }], ...known };
}

// A HIT as the server lends it. `blocks`: ids, or what `block` made.
export function hit(id, blocks, given = {}) {
  return {
    id,
    revisable_hits: 0,
    rules: { partial: false },
    languages: GERMAN,
    expires_at: new Date(Date.now() + AN_HOUR).toISOString(),
    progress: { done: 0 },
    notice: "",
    blocks: blocks.map((each) => (typeof each === "string" ? block(each) : each)),
    ...given,
  };
}

// A row of the judge's history.
export function past(id) {
  return {
    assignment: "a1",
    position: 2,
    total: 3,
    languages: GERMAN,
    rules: { partial: true },
    block: block(id, JUDGED),
  };
}

// The server, which also lends: each answer the test has put there, in turn.
export class Lender extends Server {
  lent = [];
  asked = [];

  async assignment(inHand) {
    this.asked.push(inHand?.in_hand ?? inHand?.after);
    const asked = performance.now();
    const { status = 200, ...answer } = await this.lent.shift()();
    return { status, at: Date.now(), asked, data: null, ...answer };
  }

  lend(data) {
    this.lent.push(() => ({ data }));
  }

  answers(status, data = null) {
    this.lent.push(() => ({ status, data }));
  }

  // Answers when the function that it returns is called.
  lendLater(data) {
    let give;
    const given = new Promise((resolve) => (give = resolve));
    this.lent.push(() => given);
    return () => give({ data });
  }
}

export class OpenPage {
  constructor() {
    newDevice();
    this.server = new Lender();
    this.loadAnew();
  }

  loadAnew() {
    openTab();
    this.outbox = new Outbox(this.server, "anna");
    this.drafts = new Drafts("anna");
    this.screens = new LoadedScreens();
    this.queue = new Queue(this.server, this.outbox, this.drafts, this.screens);
  }

  lendAndAsk(...given) {
    this.server.lend(hit(...given));
    return this.queue.ask();
  }

  // As the page does it.
  judge(id, body = {}) {
    const labels = [1, 2];
    this.queue.settle(this.queue.find(id), "judgments", { labels, comment: "" });
    return this.outbox.add("judgments", id, { labels, comment: "", ...body });
  }

  get ids() {
    return this.queue.blocks.map(({ id }) => id);
  }

  stateOf(id) {
    return this.queue.find(id).state;
  }
}
