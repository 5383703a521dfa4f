// What happens on the page: which block is shown, and what a key or a button does to it.

import { announce } from "./announce.js";
import { Clock } from "./clock.js";
import { Rows } from "./block.js";
import { letterOf, showOrder, unranked } from "./order.js";
import { whenPainted } from "./painted.js";
import { Progress, summaryOf } from "./progress.js";
import { stillnessAllowed } from "./reading.js";
import { Rest } from "./rest.js";
import { View } from "./view.js";
import { list, say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
// The second Enter of a double one is meant for the block that is gone.
const DOUBLE_MS = 350;

// Tells whoever adds to the page: "shown" (a block), "ranked" (a label changed), "done" (one was
// submitted or skipped; detail: {block, kind}), "unsent" (a change would be left; detail: {to}, a block).
export class Page extends /** @type {Tells<PageEvents>} */ (EventTarget) {
  /** @type {Block | null} */
  block = null;
  rows = new Rows((index, rank) => this.rank(index, rank));
  #finishedAt = -Infinity;
  // A quiet line to be read with the next block, until that is begun.
  #news = "";

  /** @param {{ api: JudgingApi, outbox: Outbox, drafts: KeptDrafts, queue: Queue, status: Status }} parts */
  constructor({ api, outbox, drafts, queue, status }) {
    super();
    this.api = api;
    this.outbox = outbox;
    this.drafts = drafts;
    this.queue = queue;
    this.status = status;
    this.clock = new Clock();
    this.progress = new Progress();
    /** @type {WorkTime | null} */
    this.worktime = null;
    this.view = new View(this);
    const parts = { queue, outbox, status, countWork: () => this.countWork() };
    this.rest = new Rest({ ...parts, onWork: () => this.#goOn() });
    queue.addEventListener("progress", ({ detail }) => this.progress.learn(detail, outbox.waiting().length));
    outbox.addEventListener("refused", ({ detail }) => this.#refused(detail));
    outbox.addEventListener("change", () => this.#followOtherTabs());
    document.addEventListener("visibilitychange", () => this.#returned());
    addEventListener("focus", () => this.#returned());
    addEventListener("pagehide", () => this.#keepTime());
  }

  start() {
    this.#goOn();
  }

  // The block that is shown, for what can only be done to one that is.
  get #shown() {
    return /** @type {Block} */ (this.block);
  }

  // --- One block ---------------------------------------------------------------------------------

  /** @param {Block} block */
  #show(block) {
    const hit = this.queue.hits.get(block.hit);
    if (this.block?.state === "open") this.block.spent = this.clock.read();
    this.block = block;
    this.rest.hide();
    for (const id of /** @type {const} */ (["panel", "outputs"])) $(id).hidden = false;
    this.rows.show(block);
    this.view.show(block, this.rows);
    const { source, target } = hit.languages;
    $("languages").textContent = say("languages", { source: source.name, target: target.name });
    const place = { position: block.position, total: hit.total };
    this.progress.showSentence({ ...place, revised: block.state !== "open" });
    this.#showOrder();
    this.status.revising(this.isUnsent());
    const skipped = this.view.showSkip(block);
    if (this.#news) $("missing").textContent = this.#news;
    this.clock.start(block.spent);
    // Counting words takes a moment.
    whenPainted(() => block === this.block && this.clock.allow(stillnessAllowed(block)));
    this.dispatchEvent(new Event("shown"));
    scrollTo({ top: 0 });
    this.view.showOwn();
    const opened = block.state === "open" ? (block.source ? "new_block" : "sentence") : "sentence_revised";
    const first = unranked(block.labels)[0] ?? 0;
    this.rows.introduce(first, [this.#news, say(opened, place), skipped, block.source?.text].filter(Boolean).join(" "));
    this.rows.focus(first, { preventScroll: true });
    this.#news = "";
    if (this.queue.isNearEnd(block)) this.queue.ask();
  }

  // The focus to the first row without a rank.
  /** @param {FocusOptions} [options] */
  toRows(options) {
    this.rows.focus(unranked(this.#shown.labels)[0] ?? 0, options);
  }

  #showOrder() {
    const { labels } = this.#shown;
    showOrder(labels, { line: $("order"), words: $("order-words"), missing: $("missing") });
    $("missing").classList.remove("refused");
    const isOpen = this.#shown.state === "open";
    const isUnsent = this.isUnsent();
    $("skip").hidden = !isOpen;
    $("discard").hidden = !isUnsent;
    $("submit").setAttribute("aria-disabled", String((isOpen || isUnsent) && !this.#mayGo()));
    $("submit-word").textContent = say(isOpen ? "submit" : isUnsent ? "save_revision" : "return");
  }

  /** @param {number} index @param {Label} rank */
  rank(index, rank) {
    this.#shown.labels[index] = rank;
    this.rows.showLabels();
    this.#changed();
    this.dispatchEvent(new Event("ranked"));
    const letter = letterOf(index);
    const words = rank === null ? say("cleared", { letter }) : say("ranked", { letter, rank });
    announce(unranked(this.#shown.labels).length ? words : `${words} ${say("all_ranked")}`);
  }

  /** @param {Label} rank */
  rankActive(rank) {
    if (!this.block) return false;
    const index = this.rows.active;
    if (rank === null && this.block.labels[index] === null) return true;
    this.rank(index, rank);
    const { labels, state } = this.block;
    const rest = unranked(labels);
    // Where all are ranked, a ranking gone back to is ranked anew from row to row.
    const after = state === "open" ? index : (index + 1) % labels.length;
    const next = rank === null ? index : (rest.find((each) => each > index) ?? rest[0] ?? after);
    this.rows.focus(next);
    return true;
  }

  clearAll() {
    const done = this.block && this.rows.clearAll();
    if (done) {
      this.#changed();
      this.dispatchEvent(new Event("ranked"));
      this.toRows();
      announce(say(done));
    }
    return Boolean(this.block);
  }

  /** @param {number} by */
  move(by) {
    if (!this.block) return false;
    const target = this.rows.neighbour(by);
    if (target !== null) this.rows.focus(target);
    return true;
  }

  commented() {
    this.#shown.comment = $("comment").value;
    this.#changed();
  }

  #changed() {
    this.#showOrder();
    this.#keep();
    if (this.#shown.state === "open") this.status.drafted();
    else this.status.revising(this.isUnsent());
  }

  #keep() {
    const revises = this.#shown.state !== "open";
    if (revises && !this.isUnsent()) {
      this.drafts.remove(this.#shown.id);
      return;
    }
    const labels = Object.fromEntries(
      this.#shown.candidates.map(({ id }, index) => [id, this.#shown.labels[index]]),
    );
    this.drafts.put(this.#shown.id, { labels, comment: this.#shown.comment, revises, ...this.clock.read() });
  }

  // A reload must not lose the minutes spent on a block that has been begun.
  #keepTime() {
    if (this.block && this.drafts.get(this.block.id)) this.#keep();
  }

  // --- Going on ----------------------------------------------------------------------------------

  // A change to what was submitted, which goes out only when it is saved.
  isUnsent() {
    return Boolean(this.block && this.queue.isRevised(this.block));
  }

  #mayGo() {
    const { labels, hit } = this.#shown;
    const rest = unranked(labels).length;
    if (!this.queue.hits.get(hit).rules.partial) return rest === 0;
    return labels.length - rest >= Math.min(2, labels.length);
  }

  // On with the work, or `to` a block the judge was going to.
  /** @param {Block} [to] */
  submit(to) {
    if (!this.block) return false;
    const { block } = this;
    if (block.state !== "open" && !this.isUnsent()) {
      this.#goOn();
      return true;
    }
    const untouched = block.labels.every((label) => label === null);
    if (untouched && performance.now() - this.#finishedAt < DOUBLE_MS) return true;
    if (!this.#mayGo()) {
      this.#refuse();
      return true;
    }
    const { durationMs, activeMs } = this.clock.read();
    const comment = block.comment.trim();
    const labels = [...block.labels];
    const after = this.queue.toFollow(block);
    this.#finish("judgments", { labels, duration_ms: durationMs, active_ms: activeMs, comment, ...(after && { after }) }, to);
    return true;
  }

  /** @param {Block} block @param {{ reason: string, comment: string }} skip */
  skip(block, { reason, comment }) {
    if (block !== this.block) {
      // Done in another tab meanwhile, or no longer the judge's.
      if (block.state !== "open" || this.queue.hits.get(block.hit).dropped) return;
      this.#show(block);
    }
    const { durationMs, activeMs } = this.clock.read();
    this.#finish("skips", { reason, comment, duration_ms: durationMs, active_ms: activeMs });
  }

  /** @param {"judgments" | "skips"} kind @param {Omit<Submission, "block">} body @param {Block} [to] */
  #finish(kind, body, to) {
    const block = this.#shown;
    const { activeMs } = this.clock.read();
    const first = block.state === "open";
    if (first) this.progress.add();
    this.worktime?.add(activeMs, first);
    // Before the outbox tells of it: what is in there and open here would be another tab's.
    this.queue.settle(block, kind, body);
    block.spent = undefined;
    this.#finishedAt = performance.now();
    this.outbox.add(kind, block.id, body);
    this.drafts.remove(block.id);
    const hit = this.queue.hits.get(block.hit);
    hit.activeMs = (hit.activeMs ?? 0) + activeMs;
    if (first && this.queue.isComplete(hit)) this.#news = `${summaryOf(hit)} ${this.worktime?.today() ?? ""}`.trim();
    this.countWork();
    this.dispatchEvent(new CustomEvent("done", { detail: { block, kind } }));
    this.goTo(to);
  }

  #refuse() {
    const missing = unranked(this.#shown.labels);
    const { partial } = this.queue.hits.get(this.#shown.hit).rules;
    const words = partial
      ? say("rank_two")
      : say("still_to_rank", { letters: list(missing.map(letterOf)), n: missing.length });
    this.rows.markWanting(missing);
    this.rows.focus(missing[0]);
    $("missing").textContent = words;
    $("missing").classList.add("refused");
    announce(words);
  }

  async #goOn() {
    const revised = this.queue.revised();
    if (revised) this.#news = say("unsent_here");
    const next = revised ?? this.queue.nextOpen();
    if (next) {
      this.status.turnedAway(false);
      this.#show(next);
      return;
    }
    this.block = null;
    this.status.revising(false);
    for (const id of /** @type {const} */ (["panel", "outputs"])) $(id).hidden = true;
    await this.rest.show();
  }

  // Loaded with the first submission, the menu, or the end of the work.
  async countWork() {
    try {
      const { WorkTime } = await import("./later/worktime.js");
      this.worktime ??= new WorkTime(this);
    } catch {
      // Without the network; asked for again with the next.
    }
    return this.worktime;
  }

  canSkip() {
    return this.block?.state === "open";
  }

  // To one gone back to, or on with the work; not without a word where a change would stay behind.
  /** @param {Block} [to] */
  leave(to) {
    if (this.isUnsent() && to !== this.block) this.dispatchEvent(new CustomEvent("unsent", { detail: { to } }));
    else this.goTo(to);
  }

  /** @param {Block} [to] @param {string} [news] */
  goTo(to, news) {
    if (news) this.#news = news;
    if (to) this.#show(to);
    else this.#goOn();
  }

  signedIn() {
    this.status.turnedAway(false);
    if (this.block) this.toRows();
    else this.lookAgain();
  }

  // Something quiet to be read and heard, until the ranking changes.
  /** @param {string} words */
  note(words) {
    $("missing").textContent = words;
    announce(words);
  }

  back() {
    const block = this.queue.before(this.block);
    if (block) this.leave(block);
    else if (this.block) announce(say("first"));
    return Boolean(this.block);
  }

  lookAgain() {
    this.queue.lack = null;
    this.rest.show();
  }

  // --- What happens elsewhere ----------------------------------------------------------------------

  /** @param {OutboxEvents["refused"]} detail */
  #refused({ item, answer }) {
    const block = this.queue.find(item.body.block);
    this.status.refused(answer?.detail ?? "");
    if (!block || item.kind !== "judgments") return;
    if (answer?.stored) {
      // No more is taken for this block: what is stored counts.
      this.queue.settle(block, "judgments", answer.stored);
      if (block === this.block) this.#show(block);
      return;
    }
    // Back to how it was before, with the labels still there: nothing is lost, and it can be put right.
    block.state = "open";
    block.sent = null;
    // The organisers ask for whole rankings now; they did not when this was fetched.
    if (answer?.missing?.length) this.queue.hits.get(block.hit).rules.partial = false;
    this.#show(block);
    this.#keep();
    if (answer?.missing?.length) this.#refuse();
  }

  // Another tab of the same judge puts what it submits into the same outbox.
  #followOtherTabs() {
    for (const block of this.queue.blocks) {
      if (block.state !== "open") continue;
      const item = this.outbox.latestOf(block.id);
      if (!item) continue;
      this.queue.settle(block, item.kind, item.body);
      if (block === this.block) {
        this.#news = say("done_elsewhere");
        this.#goOn();
      }
    }
  }

  async #returned() {
    if (document.visibilityState !== "visible" || !this.block) return;
    const { block } = this;
    if (block.state !== "open" || !this.queue.leaseIsOver(block)) return;
    await this.queue.renew(block);
    const begun = block.labels.some((label) => label !== null);
    if (this.block === block && this.queue.hits.get(block.hit).dropped && !begun) {
      this.#news = say("fetched_anew");
      this.#goOn();
    }
  }
}
