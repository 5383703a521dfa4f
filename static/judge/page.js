// The controller of the page: which block is shown on which screen, and the effects of keys and buttons. Only the screen
// knows how outputs are answered.

import { announce } from "./announce.js";
import { isAltered } from "./block.js";
import { Clock, stillnessAllowed } from "./clock.js";
import { Hints } from "./hints.js";
import { Media, playedShares } from "./media.js";
import { loadAgain } from "./media_elements.js";
import { DOUBLE_MS, Guard, UNREAD_MS, whenPainted } from "./painted.js";
import { Progress } from "./progress.js";
import { Rest } from "./rest.js";
import { SegmentPage } from "./segments.js";
import { View } from "./view.js";
import { say, sayPhrase, withKeys, withoutBrackets } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
// A judge who was away so long may have worked on another device.
const AWAY_MS = 60_000;
// The language of a source without one, such as a picture.
const NO_LANGUAGE = "zxx";
const CONTROL_ENTER = "Control+Enter";
const GUARDED = "dialog, #span-choice";
const ENTER_TAKERS = ".word-cursor, .score-field, textarea";

// The share of each output that was played, if one of them can be played.
/** @param {Block} block */
function playedIn(block) {
  const played = playedShares(block);
  return played.some((share) => share !== null) ? { played } : {};
}

// Events: "shown" (a block), "answered" (its answer changed), "done" (it was submitted or skipped; detail: {block, kind}),
// "unsent" (the judge is leaving an unsaved change; detail: {to}, a block), "altered" (not submitted, because the page does
// not show the texts as they were given).
export class Page extends /** @type {Tells<PageEvents>} */ (EventTarget) {
  /** @type {Block | null} */
  block = null;
  // The screen of the last block.
  /** @type {ProtocolScreen | null} */
  screen = null;
  /** @type {Map<string, ProtocolScreen>} */
  #screens = new Map();
  #isFirst = true;
  #guard = new Guard();
  #openedAt = -Infinity;
  // A note shown with the next block until the judge begins it.
  #news = "";
  // The last answer, announced with the next block.
  #heard = "";
  // By performance.now().
  #hiddenAt = 0;
  #isTimeOver = false;
  // Whether the judge was asked something since the block was shown.
  #isAsking = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #paleFor;

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
    this.media = new Media(this);
    this.segments = new SegmentPage(this);
    const parts = { queue, outbox, status, countWork: () => this.countWork() };
    this.rest = new Rest({ ...parts, onWork: () => this.#goOn() });
    outbox.addEventListener("sent", () => this.progress.arrived());
    queue.addEventListener("progress", ({ detail: { asked, ...counted } }) => this.progress.learn(counted, { waiting: outbox.waiting().length, asked }));
    outbox.addEventListener("refused", ({ detail }) => this.#refused(detail));
    outbox.addEventListener("elsewhere", ({ detail }) => this.#followOtherDevice(detail));
    outbox.addEventListener("change", () => {
      this.#followOtherTabs();
      this.segments.showAnswers();
    });
    queue.addEventListener("dropped", () => this.#leaveDropped());
    document.addEventListener("visibilitychange", () => this.#returned());
    addEventListener("focus", () => this.#checkLease());
    addEventListener("pagehide", () => this.#keepTime());
    document.addEventListener("focusin", () => this.#nameSubmitKey());
    document.addEventListener("beforetoggle", (event) => this.#opened(/** @type {ToggleEvent} */ (event)), { capture: true });
  }

  async start() {
    await this.queue.recall();
    this.#goOn();
  }

  // The current block, for actions that need one.
  get #current() {
    return /** @type {Block} */ (this.block);
  }

  // Its HIT and its screen.
  get #hit() {
    return this.queue.hits.get(this.#current.hit);
  }

  get #screen() {
    return /** @type {ProtocolScreen} */ (this.screen);
  }

  // --- One block ---------------------------------------------------------------------------------

  /** @param {Block} block @param {{ isChosen?: boolean }} [options] `isChosen`: the judge opened this block */
  #show(block, { isChosen = false } = {}) {
    const hit = this.queue.hits.get(block.hit);
    if (this.block?.state === "open") this.block.spent = this.clock.read();
    this.block = block;
    // The judge has read earlier sentences already.
    if (block.state === "open" && !this.#isFirst && !isChosen) this.#guard.arm();
    else this.#guard.disarm();
    if (!this.#isFirst) this.#guard.arrive();
    this.#isAsking = false;
    this.#isFirst = false;
    this.rest.hide();
    for (const id of /** @type {const} */ (["panel", "outputs"])) $(id).hidden = false;
    const isSamePage = this.segments.enter(block);
    const isOnPage = this.segments.isShown;
    const screen = this.#enter(hit.protocol);
    screen.show(block);
    const { before = [], after = [] } = block.context ?? {};
    const isAlone = screen.isOfOneOutputAlone || !(block.source || block.references.length);
    $("context").hidden = Boolean(isAlone) && before.length + after.length === 0;
    const question = hit.rules.question || screen.question;
    const newQuestion = $("question").textContent === question ? "" : question;
    if (newQuestion) $("question").textContent = newQuestion;
    // The neighbours are on the page.
    this.view.show(isOnPage ? { ...block, context: null } : block, screen);
    this.segments.show();
    const { source, target } = hit.languages;
    const isPair = source.lang !== NO_LANGUAGE && source.lang !== target.lang;
    $("languages").textContent = isPair ? say("languages", { source: source.name, target: target.name }) : target.name;
    const sentence = { position: block.position, total: hit.total };
    this.progress.showSentence({ ...sentence, revised: block.state !== "open", isPractice: hit.rules.practice });
    this.#showAnswer();
    this.status.revising(this.isUnsent());
    const skipped = this.view.showSkip(block);
    const hint = this.#news ? "" : this.hints.next();
    if (this.#news) $("missing").textContent = this.#news;
    if (hint) $("missing").replaceChildren(...withKeys(hint));
    $("missing").classList.toggle("hint", Boolean(hint));
    this.clock.start(block.spent);
    // Counting words takes time.
    const read = isOnPage && !isSamePage ? this.segments.blocks : [block];
    whenPainted(() => block === this.block && this.clock.allow(stillnessAllowed(...read)));
    this.dispatchEvent(new Event("shown"));
    if (!isSamePage) scrollTo({ top: 0 });
    if (isOnPage) this.segments.scroll();
    this.view.showOwn();
    const opened = block.state === "open" ? (block.source ? "new_block" : "sentence") : "sentence_revised";
    const unheardQuestion = screen.asksAloud ? "" : newQuestion;
    const words = [this.#heard, unheardQuestion, this.#news || withoutBrackets(hint), say(opened, sentence), skipped, block.source?.text];
    screen.introduce(words.filter(Boolean).join(" "));
    screen.focus({ preventScroll: true });
    this.#news = this.#heard = "";
    if (this.queue.isNearEnd(block)) this.queue.ask();
    this.#checkLease();
  }

  // Switches to the screen of a protocol, which was loaded before its first HIT was accepted.
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
    screen.enter?.();
    const own = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-protocol]"));
    for (const part of own) part.hidden = part.dataset.protocol !== protocol;
    return screen;
  }

  // The screen, if it shows a block.
  get acting() {
    return this.block ? this.screen : null;
  }

  // The names of the keys that do something now, for the list of keys.
  get keys() {
    const { acting: screen, block } = this;
    if (!screen || !block) return [];
    const { beside, outputs } = this.media.playable;
    /** @type {Record<string, boolean>} */
    const own = {
      enter: screen.submitKey !== CONTROL_ENTER && !screen.submitsAtOnce,
      "control-enter": screen.submitKey === CONTROL_ENTER,
      play: beside || outputs,
      listen: outputs && block.candidates.length > 1,
      "listen-beside": beside,
      skip: this.canSkip(),
      turn: this.segments.isShown,
      context: !$("context").hidden,
      differences: !$("differences").hidden,
      texts: Boolean(block.source) || block.references.length > 0,
    };
    return [...screen.keys, ...Object.keys(own).filter((name) => own[name])];
  }

  // Names the key that submits from where the focus is: Enter has another meaning in texts and fields.
  #nameSubmitKey() {
    const focused = document.activeElement;
    // These return it.
    if (focused?.closest("dialog, [popover]")) return;
    const isTaken = focused?.closest(ENTER_TAKERS);
    $("submit-key").textContent = isTaken ? "Ctrl ↵" : "↵";
    $("submit").setAttribute("aria-keyshortcuts", isTaken ? CONTROL_ENTER : "Enter");
  }

  // Moves the focus to where the judge continues.
  /** @param {FocusOptions} [options] */
  toAnswer(options) {
    this.#screen.focus(options);
  }

  #showAnswer() {
    const screen = this.#screen;
    const { answer, candidates, state } = this.#current;
    screen.showAnswer();
    $("missing").textContent = sayPhrase(screen.answers.hint?.(answer, this.#hit.rules) ?? null);
    $("missing").classList.remove("refused", "hint");
    const isOpen = state === "open";
    const isUnsent = this.isUnsent();
    $("skip").hidden = !isOpen;
    $("discard").hidden = !isUnsent;
    $("submit").hidden = isOpen && screen.submitsAtOnce && !screen.answers.begun(answer, candidates);
    // Pressing it anyway shows what is missing.
    $("submit").classList.toggle("primary", !((isOpen || isUnsent) && this.#lack()));
    $("submit-word").textContent = say(this.#submitWord());
  }

  #submitWord() {
    if (this.#current.state === "open") return "submit";
    if (this.isUnsent()) return "save_revision";
    if (!this.segments.isShown) return "return";
    return this.segments.nextOpen ? "go_on" : "page_done";
  }

  // Called by the screen when the answer has changed.
  answered() {
    this.#changed();
    this.dispatchEvent(new Event("answered"));
  }

  // The same for answers that are submitted immediately; `words` are announced with the next block.
  /** @param {string} words */
  conclude(words) {
    this.answered();
    this.#heard = words;
    this.submit();
  }

  // Returns whether a tap or key comes too early to be meant for this sentence, and tells the judge.
  /** @param {UIEvent} event */
  isUnread(event) {
    const isIgnored = this.#guard.stops(event);
    if (isIgnored) this.tellIgnored();
    return isIgnored || this.#isMissing();
  }

  // Returns whether something cannot be judged because it could not be loaded, tells the judge, and tries again.
  #isMissing() {
    const missing = this.media.missing(this.#current);
    if (!missing) return false;
    loadAgain();
    this.ask(sayPhrase(missing));
    return true;
  }

  // Returns whether an input is the one that led to this sentence, made twice.
  /** @param {KeyboardEvent | MouseEvent} event */
  isAgain(event) {
    if (event instanceof MouseEvent) this.#guard.begin(event);
    return this.#guard.isAgain(event);
  }

  // What opened a dialog or the menu beside an error, made twice, chooses nothing there.
  /** @param {ToggleEvent} event */
  #opened({ target, newState }) {
    if (!(target instanceof Element && target.matches(GUARDED))) return;
    if (newState === "open") this.opened();
    else this.#guard.leave(this.#openedAt);
  }

  // The same for what is shown in an open menu.
  opened() {
    this.#openedAt = this.#guard.arrive(DOUBLE_MS);
  }

  // Shows that it was not counted. A key that is held is not worth a word, and a question stays until it is read.
  /** @param {KeyboardEvent | MouseEvent} event */
  tellAgain(event) {
    const isHeld = event instanceof KeyboardEvent && event.repeat;
    if (!isHeld && this.block && !this.#isAsking) this.tellIgnored();
  }

  // Shows that a tap or key was not counted: a note, and pale answers for as long as the next one would not count either.
  tellIgnored() {
    clearTimeout(this.#paleFor);
    $("outputs").classList.add("pale");
    this.#paleFor = setTimeout(() => $("outputs").classList.remove("pale"), UNREAD_MS);
    this.note(say("ignored"));
  }

  commented() {
    this.#current.comment = $("comment").value;
    this.#changed();
  }

  #changed() {
    this.#showAnswer();
    this.#keep();
    if (this.#current.state === "open") this.status.drafted();
    else this.status.revising(this.isUnsent());
  }

  #keep() {
    const revises = this.#current.state !== "open";
    if (revises && !this.isUnsent()) {
      this.drafts.remove(this.#current.id);
      return;
    }
    const { id, answer, comment } = this.#current;
    this.drafts.put(id, { answer, comment, revises, ...this.clock.read() });
  }

  // Keeps the time spent on a block across reloads.
  #keepTime() {
    if (this.block && this.drafts.get(this.block.id)) this.#keep();
  }

  // --- Going on ----------------------------------------------------------------------------------

  // Returns whether a submitted block has an unsaved change.
  isUnsent() {
    return Boolean(this.block && this.queue.isRevised(this.block));
  }

  // Names the part that is missing before the block can be submitted; null if none is.
  #lack() {
    return this.unfinished ?? this.media.missing(this.#current) ?? this.#screen.answers.lack(this.#current.answer, this.#hit.rules);
  }

  // Names what the judge began on the screen and that is no part of the answer yet, such as a selection; null if nothing is.
  get unfinished() {
    return this.acting?.unfinished?.() ?? null;
  }

  // Returns whether something is to be finished or cancelled before the judge goes on, and leads them there.
  #isHeld() {
    const isHeld = this.unfinished !== null;
    if (isHeld) this.#refuse();
    return isHeld;
  }

  // Handles Enter or the submit button. A block without an answer may not have been read yet.
  /** @param {UIEvent} event */
  send(event) {
    const isBlank = this.block && !this.#screen.answers.begun(this.block.answer, this.block.candidates);
    return isBlank && this.isUnread(event) ? true : this.submit();
  }

  // Submits the block and shows the next one, or `to`.
  /** @param {Block} [to] */
  submit(to) {
    if (!this.block) return false;
    const { block } = this;
    if (this.#isHeld()) return true;
    if (block.state !== "open" && !this.isUnsent()) {
      this.#goOn({ isDone: true });
      return true;
    }
    const { answers } = this.#screen;
    if (isAltered($("panel")) || isAltered($("outputs"))) {
      this.#heard = "";
      this.dispatchEvent(new Event("altered"));
      return true;
    }
    if (this.#lack()) {
      this.#refuse();
      return true;
    }
    if (this.#screen.asks?.(() => this.submit(to))) return true;
    const question = this.media.question(block);
    if (question) {
      this.ask(question);
      return true;
    }
    const { durationMs, activeMs } = this.clock.read();
    const comment = block.comment.trim();
    const inHand = this.queue.toFollow(block);
    const times = { duration_ms: durationMs, active_ms: activeMs, ...playedIn(block) };
    // Unknown in what an earlier version of the page has kept on the device.
    const replaces = block.judgmentId ?? (block.state === "judged" ? undefined : null);
    this.#finish("judgments", { ...answers.fields(block.answer), ...times, comment, replaces, ...inHand }, to);
    return true;
  }

  /** @param {Block} block @param {{ reason: string, comment: string }} skip */
  skip(block, { reason, comment }) {
    if (block !== this.block) {
      // It was done in another tab, or is no longer lent to this judge.
      if (block.state !== "open" || this.queue.hits.get(block.hit).dropped) return;
      this.#show(block);
    }
    const { durationMs, activeMs } = this.clock.read();
    this.#finish("skips", { reason, comment, duration_ms: durationMs, active_ms: activeMs });
  }

  /** @param {"judgments" | "skips"} kind @param {Omit<Submission, "block">} body @param {Block} [to] */
  #finish(kind, body, to) {
    const block = this.#current;
    const { activeMs } = this.clock.read();
    const first = block.state === "open";
    if (first) this.progress.add();
    this.worktime?.add(activeMs, first);
    // Before the outbox fires its event, which would take the submission for another tab's.
    this.queue.settle(block, kind, body);
    block.spent = undefined;
    const item = this.outbox.add(kind, block.id, body);
    if (kind === "judgments") block.judgmentId = item.id;
    this.drafts.remove(block.id);
    const hit = this.queue.hits.get(block.hit);
    if (first && this.queue.isComplete(hit) && !hit.rules.practice) this.#news = this.progress.summary(this.worktime?.today() ?? "");
    this.countWork();
    this.dispatchEvent(new CustomEvent("done", { detail: { block, kind } }));
    this.goTo(to);
  }

  #refuse() {
    if (!this.unfinished && this.#isMissing()) return;
    const words = sayPhrase(this.#lack());
    this.#screen.refuse();
    this.ask(words);
  }

  // Asks for something in place of what is missing. The input that led to this does not answer it at once.
  /** @param {string} words */
  ask(words) {
    this.#heard = "";
    this.#isAsking = true;
    this.#guard.arrive();
    $("missing").textContent = words;
    $("missing").classList.remove("hint");
    $("missing").classList.add("refused");
    announce(words);
  }

  // On a page of several blocks, goes on to an open one; if there is none, `isDone` goes on to the next page.
  async #goOn({ isDone = false } = {}) {
    if (this.#isTimeOver) this.queue.stop();
    const revised = this.queue.revised();
    if (revised) this.#news = say("unsent_here");
    const { block } = this;
    const isOnPage = block && this.segments.isShown && !this.queue.hits.get(block.hit).dropped;
    if (isOnPage && !revised && !isDone && !this.segments.nextOpen) {
      this.#endPage(block);
      return;
    }
    const next = revised ?? (isOnPage ? this.segments.nextOpen : undefined) ?? this.queue.nextOpen();
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
    this.segments.leave();
    await this.rest.show();
  }

  // Stays with the last block of a page that is answered, so that the judge can read it again.
  /** @param {Block} block */
  #endPage(block) {
    const words = [say("page_answered"), this.#news].filter(Boolean).join(" ");
    this.#news = words;
    this.#show(block);
    $("submit").focus();
    announce(words);
  }

  // Called by the screen when the last part of an answer is given. On a page of several blocks, this stores it.
  answerCompleted() {
    const isToStore = this.#current.state === "open" || this.isUnsent();
    if (this.segments.isShown && isToStore) this.submit();
    else $("submit").focus();
  }

  // Loaded with the first submission, the menu or the end of the work.
  async countWork() {
    try {
      const { WorkTime } = await import("./later/worktime.js");
      this.worktime ??= new WorkTime(this);
    } catch {
      // Offline; the next call tries again.
    }
    return this.worktime;
  }

  canSkip() {
    return this.block?.state === "open";
  }

  // Goes to an earlier block or the next one, asking first if there is an unsaved change.
  /** @param {Block} [to] */
  leave(to) {
    if (this.#isHeld()) return;
    if (this.#isStoredOnLeaving()) this.submit(to);
    else if (this.isUnsent() && to !== this.block) this.dispatchEvent(new CustomEvent("unsent", { detail: { to } }));
    else this.goTo(to);
  }

  // Returns whether going to another block stores the answer: on a page of several blocks, if it is complete.
  #isStoredOnLeaving() {
    if (!this.block || !this.segments.isShown || this.#lack()) return false;
    if (this.block.state !== "open") return this.isUnsent();
    return this.#screen.answers.begun(this.block.answer);
  }

  // Goes to the block before or after the current one on a page of several blocks.
  /** @param {number} by */
  turnBy(by) {
    const block = this.segments.neighbour(by);
    if (block) this.leave(block);
    return Boolean(block);
  }

  /** @param {Block} [to] @param {string} [news] */
  goTo(to, news) {
    if (news) this.#news = news;
    if (to) this.#show(to, { isChosen: true });
    else this.#goOn();
  }

  signedIn() {
    this.status.turnedAway(false);
    if (this.block) this.toAnswer();
    else this.lookAgain();
  }

  // Shows and announces a note until the answer changes.
  /** @param {string} words */
  note(words) {
    $("missing").classList.remove("refused", "hint");
    $("missing").textContent = words;
    announce(words);
  }

  back() {
    const block = this.queue.before(this.block) ?? (this.block ? null : this.queue.latest());
    if (block) this.leave(block);
    else if (this.block) this.note(say("first"));
    return Boolean(this.block);
  }

  lookAgain() {
    this.queue.lack = null;
    this.rest.show({ isAgain: true });
  }

  // --- What happens elsewhere ----------------------------------------------------------------------

  /** @param {OutboxEvents["refused"]} detail */
  #refused({ item, answer }) {
    const block = this.queue.find(item.body.block);
    this.status.refused(answer?.detail ?? "");
    if (!block || item.kind !== "judgments") return;
    if (answer?.stored) {
      // The server accepts no more for this block; its stored answer counts.
      this.queue.settle(block, "judgments", answer.stored);
      if (block === this.block) this.#show(block);
      return;
    }
    // Reopen the block with its answer, so that the judge can correct it.
    block.state = "open";
    block.sent = null;
    block.judgmentId = item.body.replaces ?? null;
    const hit = this.queue.hits.get(block.hit);
    // The organisers may require more now than when the HIT was lent.
    hit.rules = this.queue.answersOf(block).rulesAfter?.(hit.rules, answer) ?? hit.rules;
    this.#show(block);
    this.#keep();
    if (this.#lack()) this.#refuse();
  }

  // Tabs of a judge share one outbox.
  #followOtherTabs() {
    for (const block of this.queue.blocks) {
      if (block.state !== "open") continue;
      const item = this.outbox.latestOf(block.id);
      if (!item) continue;
      this.queue.settle(block, item.kind, { ...item.body, id: item.id });
      if (block === this.block) {
        this.#news = say("done_elsewhere");
        this.#goOn();
      }
    }
  }

  // The judge's link is open on another device, where this block was answered; so may others have been.
  /** @param {OutboxEvents["elsewhere"]} detail */
  async #followOtherDevice({ item, answer }) {
    const block = this.queue.find(item.body.block);
    this.drafts.remove(item.body.block);
    if (block && answer?.stored) this.queue.settle(block, "judgments", answer.stored);
    const current = this.block;
    const wasOpen = current?.state === "open" || current === block;
    await this.queue.learnFromHistory();
    this.segments.showAnswers();
    if (this.block && this.block === current && wasOpen && current.state !== "open") {
      this.#news = say("done_on_other_device");
      this.#goOn();
    } else if (this.block) this.note(say("done_on_other_device"));
  }

  // The judge may have worked on another device meanwhile.
  async #returned() {
    if (document.visibilityState !== "visible") {
      this.#hiddenAt = performance.now();
      return;
    }
    this.#checkLease();
    const { block } = this;
    if (block?.state !== "open" || performance.now() - this.#hiddenAt < AWAY_MS) return;
    await this.queue.learnFromHistory();
    this.segments.showAnswers();
    if (this.block !== block || this.#stateOf(block) === "open") return;
    this.drafts.remove(block.id);
    this.#news = say("done_on_other_device");
    this.#goOn();
  }

  /** @param {Block} block @returns {string} */
  #stateOf(block) {
    return block.state;
  }

  // The time of the judge's study is over: they may submit the sentence that they have begun.
  timeIsOver() {
    this.#isTimeOver = true;
    this.queue.stop();
    if (this.block && !this.queue.hits.get(this.block.hit).dropped) this.note(say("time_over_here"));
  }

  // Goes on if the server took the HIT shown back, unless its answer is begun.
  #leaveDropped() {
    const { block } = this;
    if (block?.state !== "open" || !this.queue.hits.get(block.hit).dropped) return;
    if (this.unfinished || block.comment.trim() || this.queue.answersOf(block).begun(block.answer, block.candidates)) return;
    this.#news = this.queue.nextOpen() ? say("fetched_anew") : "";
    this.#goOn();
  }

  // The judge may have been away or offline.
  async #checkLease() {
    if (document.visibilityState !== "visible" || !this.block) return;
    const { block } = this;
    if (block.state !== "open" || !this.queue.leaseIsOver(block)) return;
    await this.queue.renew(block);
    if (this.block === block) this.#leaveDropped();
  }
}
