// What happens on the page: which block is shown, on which screen, and what a key or a button does to it. How outputs
// are answered, only the screen knows.

import { announce } from "./announce.js";
import { Clock, stillnessAllowed } from "./clock.js";
import { Hints } from "./hints.js";
import { Guard, whenPainted } from "./painted.js";
import { Progress } from "./progress.js";
import { Rest } from "./rest.js";
import { View } from "./view.js";
import { say, sayPhrase, withKeys, withoutBrackets } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// Tells whoever adds to the page: "shown" (a block), "answered" (its answer changed), "done" (one was
// submitted or skipped; detail: {block, kind}), "unsent" (a change would be left; detail: {to}, a block).
export class Page extends /** @type {Tells<PageEvents>} */ (EventTarget) {
  /** @type {Block | null} */
  block = null;
  // That of the block shown last.
  /** @type {ProtocolScreen | null} */
  screen = null;
  /** @type {Map<string, ProtocolScreen>} */
  #screens = new Map();
  #isFirst = true;
  #guard = new Guard();
  // A quiet line to be read with the next block, until that is begun.
  #news = "";
  // What was just answered, heard with what comes next.
  #heard = "";

  /** @param {{ api: JudgingApi, outbox: Outbox, drafts: Drafts, queue: Queue, status: Status, owner: string }} parts */
  constructor({ api, outbox, drafts, queue, status, owner }) {
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
    this.hints = new Hints(this, owner);
    const parts = { queue, outbox, status, countWork: () => this.countWork() };
    this.rest = new Rest({ ...parts, onWork: () => this.#goOn() });
    outbox.addEventListener("sent", () => this.progress.arrived());
    queue.addEventListener("progress", ({ detail: { asked, ...counted } }) => this.progress.learn(counted, { waiting: outbox.waiting().length, asked }));
    outbox.addEventListener("refused", ({ detail }) => this.#refused(detail));
    outbox.addEventListener("change", () => this.#followOtherTabs());
    document.addEventListener("visibilitychange", () => this.#checkLease());
    addEventListener("focus", () => this.#checkLease());
    addEventListener("pagehide", () => this.#keepTime());
  }

  async start() {
    await this.queue.recall();
    this.#goOn();
  }

  // The block that is shown, for what can only be done to one that is.
  get #shown() {
    return /** @type {Block} */ (this.block);
  }

  // Its HIT and its screen.
  get #hit() {
    return this.queue.hits.get(this.#shown.hit);
  }

  get #screen() {
    return /** @type {ProtocolScreen} */ (this.screen);
  }

  // --- One block ---------------------------------------------------------------------------------

  /** @param {Block} block */
  #show(block) {
    const hit = this.queue.hits.get(block.hit);
    if (this.block?.state === "open") this.block.spent = this.clock.read();
    this.block = block;
    // What was gone back to has been read.
    if (block.state === "open" && !this.#isFirst) this.#guard.arm();
    else this.#guard.disarm();
    this.#isFirst = false;
    this.rest.hide();
    for (const id of /** @type {const} */ (["panel", "outputs"])) $(id).hidden = false;
    const screen = this.#enter(hit.protocol);
    screen.show(block);
    $("context").hidden = Boolean(screen.isOfOneOutputAlone) || !(block.source || block.references.length);
    const asked = $("question").textContent === screen.question ? "" : screen.question;
    if (asked) $("question").textContent = asked;
    this.view.show(block, screen);
    const { source, target } = hit.languages;
    $("languages").textContent = say("languages", { source: source.name, target: target.name });
    const place = { position: block.position, total: hit.total };
    this.progress.showSentence({ ...place, revised: block.state !== "open", isPractice: hit.rules.practice });
    this.#showAnswer();
    this.status.revising(this.isUnsent());
    const skipped = this.view.showSkip(block);
    const hint = this.#news ? "" : this.hints.next();
    if (this.#news) $("missing").textContent = this.#news;
    if (hint) $("missing").replaceChildren(...withKeys(hint));
    $("missing").classList.toggle("hint", Boolean(hint));
    this.clock.start(block.spent);
    // Counting words takes a moment.
    whenPainted(() => block === this.block && this.clock.allow(stillnessAllowed(block)));
    this.dispatchEvent(new Event("shown"));
    scrollTo({ top: 0 });
    this.view.showOwn();
    const opened = block.state === "open" ? (block.source ? "new_block" : "sentence") : "sentence_revised";
    const words = [this.#heard, asked, this.#news || withoutBrackets(hint), say(opened, place), skipped, block.source?.text];
    screen.introduce(words.filter(Boolean).join(" "));
    screen.focus({ preventScroll: true });
    this.#news = this.#heard = "";
    if (this.queue.isNearEnd(block)) this.queue.ask();
    this.#checkLease();
  }

  // The screen of a protocol, in the place of another's. It was loaded before its first HIT was taken.
  /** @param {string} protocol */
  #enter(protocol) {
    let screen = this.#screens.get(protocol);
    if (!screen) {
      screen = /** @type {ScreenModule} */ (this.queue.screens.get(protocol)).open(this);
      this.#screens.set(protocol, screen);
    }
    if (screen === this.screen) return screen;
    this.screen?.leave?.();
    $("rows").replaceChildren();
    delete $("outputs").dataset.layout;
    this.screen = screen;
    if (screen.layout) $("outputs").dataset.layout = screen.layout;
    $("differences").hidden = Boolean(screen.isOfOneOutputAlone);
    screen.enter?.();
    const own = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-protocol]"));
    for (const part of own) part.hidden = part.dataset.protocol !== protocol;
    return screen;
  }

  // The screen, while it shows a block.
  get acting() {
    return this.block ? this.screen : null;
  }

  // The focus to where the judge goes on.
  /** @param {FocusOptions} [options] */
  toAnswer(options) {
    this.#screen.focus(options);
  }

  #showAnswer() {
    const screen = this.#screen;
    const { answer, state } = this.#shown;
    screen.showAnswer();
    $("missing").textContent = sayPhrase(screen.answers.hint?.(answer) ?? null);
    $("missing").classList.remove("refused", "hint");
    const isOpen = state === "open";
    const isUnsent = this.isUnsent();
    $("skip").hidden = !isOpen;
    $("discard").hidden = !isUnsent;
    $("submit").hidden = isOpen && screen.submitsAtOnce && !screen.answers.begun(answer);
    // Pressed all the same, it says and shows what is missing.
    $("submit").classList.toggle("primary", !((isOpen || isUnsent) && this.#lack()));
    $("submit-word").textContent = say(isOpen ? "submit" : isUnsent ? "save_revision" : "return");
  }

  // Told by the screen, which has changed the answer of its block.
  answered() {
    this.#changed();
    this.dispatchEvent(new Event("answered"));
  }

  // The same, where an answer is submitted as it is given; `words` of it are heard with what comes next.
  /** @param {string} words */
  conclude(words) {
    this.answered();
    this.#heard = words;
    this.submit();
  }

  // Whether a tap or key comes before the sentence could be read, and is meant for the one that is gone.
  /** @param {UIEvent} event */
  isUnread(event) {
    return this.#guard.stops(event);
  }

  commented() {
    this.#shown.comment = $("comment").value;
    this.#changed();
  }

  #changed() {
    this.#showAnswer();
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
    const { id, answer, comment } = this.#shown;
    this.drafts.put(id, { answer, comment, revises, ...this.clock.read() });
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

  // What it takes to be submitted.
  #lack() {
    return this.#screen.answers.lack(this.#shown.answer, this.#hit.rules);
  }

  // The judge presses Enter or a button. An answer takes more than one key; what has none yet may be unread.
  /** @param {UIEvent} event */
  send(event) {
    const isBlank = this.block && !this.#screen.answers.begun(this.block.answer);
    return isBlank && this.isUnread(event) ? true : this.submit();
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
    const { answers } = this.#screen;
    if (this.#lack()) {
      this.#refuse();
      return true;
    }
    if (this.#screen.asks?.(() => this.submit(to))) return true;
    const { durationMs, activeMs } = this.clock.read();
    const comment = block.comment.trim();
    const inHand = this.queue.toFollow(block);
    const times = { duration_ms: durationMs, active_ms: activeMs };
    this.#finish("judgments", { ...answers.fields(block.answer), ...times, comment, ...inHand }, to);
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
    this.outbox.add(kind, block.id, body);
    this.drafts.remove(block.id);
    const hit = this.queue.hits.get(block.hit);
    hit.activeMs = (hit.activeMs ?? 0) + activeMs;
    if (first && this.queue.isComplete(hit) && !hit.rules.practice) this.#news = `${this.progress.summaryOf(hit)} ${this.worktime?.today() ?? ""}`.trim();
    this.countWork();
    this.dispatchEvent(new CustomEvent("done", { detail: { block, kind } }));
    this.goTo(to);
  }

  #refuse() {
    const words = sayPhrase(this.#lack());
    this.#screen.refuse();
    this.#heard = "";
    $("missing").textContent = words;
    $("missing").classList.remove("hint");
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
    if (this.#heard) announce(this.#heard);
    this.#heard = "";
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
    if (this.block) this.toAnswer();
    else this.lookAgain();
  }

  // Something quiet to be read and heard, until the answer changes.
  /** @param {string} words */
  note(words) {
    $("missing").classList.remove("refused", "hint");
    $("missing").textContent = words;
    announce(words);
  }

  back() {
    const block = this.queue.before(this.block);
    if (block) this.leave(block);
    else if (this.block) this.note(say("first"));
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
    // Back to how it was before, with the answer still there: nothing is lost, and it can be put right.
    block.state = "open";
    block.sent = null;
    const hit = this.queue.hits.get(block.hit);
    // The organisers ask for more now than when it was fetched.
    hit.rules = this.queue.answersOf(block).rulesAfter?.(hit.rules, answer) ?? hit.rules;
    this.#show(block);
    this.#keep();
    if (this.#lack()) this.#refuse();
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

  // The judge was away, or without network.
  async #checkLease() {
    if (document.visibilityState !== "visible" || !this.block) return;
    const { block } = this;
    if (block.state !== "open" || !this.queue.leaseIsOver(block)) return;
    await this.queue.renew(block);
    const begun = this.queue.answersOf(block).begun(block.answer);
    if (this.block === block && this.queue.hits.get(block.hit).dropped && !begun) {
      this.#news = say("fetched_anew");
      this.#goOn();
    }
  }
}
