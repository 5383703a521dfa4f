// The work in memory: all blocks since the page was opened, in order. Independent of the screen; answers are handled only
// through the pure functions of their protocol. "Open" blocks are neither judged nor skipped as far as this device knows,
// which includes what is still in the outbox.

import { cursorAfter, isSignedOut, isTrouble } from "./api.js";
import { whenPainted } from "./painted.js";
import { protocolOf } from "./screens.js";

// The maximum number of blocks held for working offline, as many as the server lends in advance.
const STOCK = 20;

export class Queue extends /** @type {Tells<QueueEvents>} */ (EventTarget) {
  /** @type {Block[]} */
  blocks = [];
  /** @type {Hits} */
  hits = new Map();
  // Why there is no more work: null, "done", "none_left", "time_over", "returned", "screened_out", "offline", "signed_out", "server"; or
  // for now, "paused", "excluded", "instructions", "questions", "declined", "outdated", "not_begun", "campaign_paused", "campaign_closed",
  // "preparing" and "waiting", with the seconds until the server should be asked again.
  /** @type {string | null} */
  lack = null;
  retryAfter = 0;
  /** @type {Promise<boolean> | null} */
  #asking = null;
  // The server's last count plus what was done since.
  /** @type {CountedProgress | undefined} */
  #counted;
  #keeping = false;
  #isStocking = false;
  // The latest judgment in the history.
  /** @type {JudgedBlock | null} */
  #latest = null;

  /**
   * @param {Pick<JudgingApi, "assignment" | "history">} api
   * @param {Outbox} outbox
   * @param {Pick<Drafts, "get" | "revised">} drafts
   * @param {Pick<Screens, "load" | "get" | "answersOf">} screens
   * @param {Pick<KeptHits, "get" | "put">} [keptHits]
   */
  constructor(api, outbox, drafts, screens, keptHits) {
    super();
    this.api = api;
    this.screens = screens;
    this.outbox = outbox;
    this.drafts = drafts;
    this.kept = keptHits;
    outbox.addEventListener("change", () => this.#keep());
    outbox.addEventListener("sent", async ({ detail: { item, answer, at: serverTime, asked: requestedAt } }) => {
      const { after, in_hand: inHand } = item.body;
      if (answer?.taken_back?.length) this.#drop(this.#inHand.filter(({ id }) => answer.taken_back.includes(id)));
      if (answer?.stopped) this.stop();
      // Not if the HIT before it is still to come, as after a reload: the order would be wrong.
      if (answer?.next && after && this.hits.has(after)) await this.#follow({ data: answer.next, at: serverTime, asked: requestedAt }, inHand);
      if (answer?.next || item.kind === "skips") this.#restock();
    });
  }

  // If its screen cannot be loaded, the HIT is requested again later.
  /** @param {Pick<Answer<LentHit>, "data" | "at" | "asked">} answer @param {string[]} [inHand] */
  async #follow(answer, inHand) {
    const protocol = protocolOf(answer.data);
    if (this.screens.get(protocol) || !(await this.screens.load(protocol))) this.#take(answer, inHand);
  }

  /** @param {Block} block */
  answersOf({ hit }) {
    return this.screens.answersOf(this.hits.get(hit).protocol);
  }

  nextOpen() {
    return this.blocks.find((block) => block.state === "open" && !this.hits.get(block.hit).dropped);
  }

  // The last completed block before this one, unless it is too far back: a HIT may repeat an earlier one, whose answers
  // must not be visible then.
  /** @param {Block | null} block */
  before(block) {
    const index = block ? this.blocks.indexOf(block) : this.blocks.length;
    const completed = this.blocks.slice(0, index).findLast((earlier) => earlier.state !== "open");
    return completed && this.#isInReach(this.hits.get(completed.hit)) ? completed : undefined;
  }

  /** @param {Hit} hit */
  #isInReach(hit) {
    if (hit.past) return false;
    /** @param {Hit} hit */
    const pair = ({ languages }) => `${languages.source.lang} ${languages.target.lang}`;
    // Only completed HITs are repeated.
    if (this.nextOpen()?.hit === hit.id) return true;
    const others = [...this.hits.values()].filter((other) => !other.past && pair(other) === pair(hit));
    const index = others.indexOf(hit);
    return others.every(({ revisableHits }, otherIndex) => otherIndex - index <= revisableHits);
  }

  /** @param {string} id */
  find(id) {
    return this.blocks.find((block) => block.id === id);
  }

  lastHit() {
    return [...this.hits.values()].findLast((hit) => !hit.past && !hit.dropped);
  }

  // Returns whether to request the next HIT: at the last two blocks of the last one.
  /** @param {Block} block */
  isNearEnd(block) {
    const hit = this.lastHit();
    return block.hit === hit?.id && block.position >= hit.total - 1;
  }

  // The HITs in hand, if the submission of this block should also request the next HIT, which saves a request.
  /** @param {Block} block @returns {InHand} */
  toFollow(block) {
    const last = this.lastHit();
    if (!last || block.state !== "open") return {};
    const isLastOfHit = this.blocks.every((other) => other === block || other.hit !== block.hit || other.state !== "open");
    const rest = this.#inHand.filter(({ id }) => id !== block.hit);
    if (isLastOfHit && rest.length && this.#hasRoom(rest)) return this.#asInHand(rest);
    return block.hit === last.id && block.position >= last.total - 2 ? { after: last.id } : {};
  }

  // HITs that are lent and not completed.
  get #inHand() {
    return [...this.hits.values()].filter((hit) => hit.lent && !hit.dropped && !this.isComplete(hit));
  }

  // Returns whether there is room for another HIT of the same length as the last.
  /** @param {Hit[]} inHand */
  #hasRoom(inHand) {
    const last = this.lastHit();
    return this.#isStocking && Boolean(last) && inHand.reduce((sum, { total }) => sum + total, last?.total ?? 0) <= STOCK;
  }

  /** @param {Hit[]} inHand @returns {InHand} */
  #asInHand(inHand) {
    return { after: this.lastHit()?.id, in_hand: inHand.map(({ id }) => id) };
  }

  // Near the end of the last HIT, the next one is needed; before that, it is extra stock.
  /** @returns {InHand | undefined} */
  #request() {
    const last = this.lastHit();
    const open = this.nextOpen();
    const inHand = this.#inHand;
    if (open && !this.isNearEnd(open) && this.#hasRoom(inHand)) return this.#asInHand(inHand);
    return last && { after: last.id };
  }

  // From now on, hold more than one HIT.
  stock() {
    this.#isStocking = true;
    return this.#restock();
  }

  async #restock() {
    let had;
    do had = this.hits.size;
    while (this.nextOpen() && this.#hasRoom(this.#inHand) && (await this.ask()) && this.hits.size > had);
  }

  // The judge may not go on now: keeps only the block whose answer they have begun. The server lends the rest again.
  stop() {
    this.#drop(this.#inHand);
  }

  /** @param {Hit} hit */
  #isBegun(hit) {
    return this.blocks.some((block) => block.hit === hit.id && block.state !== "open");
  }

  /** @param {Hit[]} hits */
  #drop(hits) {
    const untouched = hits.filter((hit) => {
      const open = this.blocks.filter((block) => block.hit === hit.id && block.state === "open");
      return !open.some((block) => this.answersOf(block).begun(block.answer, block.candidates));
    });
    if (!untouched.length) return;
    for (const hit of untouched) hit.dropped = true;
    this.#keep();
    this.dispatchEvent(new Event("dropped"));
  }

  // Adopts the answers that the judge gave on another device.
  async learnFromHistory() {
    /** @type {Answer | null} */
    const answer = await this.api.history(null).catch(() => null);
    if (answer?.status !== 200) return;
    const blocks = /** @type {JudgedBlock[]} */ (answer.data.results).map(({ block }) => block);
    this.#believe(blocks, answer.asked);
  }

  /** @param {Hit} hit */
  isComplete(hit) {
    return this.blocks.every((block) => block.hit !== hit.id || block.state !== "open");
  }

  // Returns whether the judge has changed the submitted answer. Skipped blocks count as blank.
  /** @param {Block} block */
  isRevised(block) {
    const { state, sent, answer, comment } = block;
    if (state === "open" || !sent) return false;
    return sent.comment.trim() !== comment.trim() || !this.answersOf(block).same(sent.answer, answer);
  }

  // The block with an unsaved change, if any, also after a reload.
  revised() {
    return this.blocks.find((block) => this.isRevised(block));
  }

  // Restores the submitted answer.
  /** @param {Block} block */
  restore(block) {
    const { answer, comment } = /** @type {Said} */ (block.sent);
    Object.assign(block, { answer: structuredClone(answer), comment, spent: undefined });
  }

  // Records a judgment or skip; revisions are compared with `sent`.
  /** @param {Block} block @param {Kind} kind @param {Stored & { id?: string, comment?: string, reason?: string }} body */
  settle(block, kind, body) {
    const { comment = "", reason = "" } = body;
    const answers = this.answersOf(block);
    const { length } = block.candidates;
    if (block.state === "open" && this.#counted) this.#counted.done += 1;
    block.state = kind === "skips" ? "skipped" : "judged";
    block.skip_reason = reason || null;
    if (kind === "judgments") block.judgmentId = body.id ?? null;
    block.sent =
      kind === "skips" ? { answer: answers.blank(length, block.candidates), comment: "" } : { answer: answers.read(body, length), comment };
    this.restore(block);
  }

  /** @param {Block} block */
  leaseIsOver(block) {
    return performance.now() > this.hits.get(block.hit).endsAt;
  }

  // Requests work; concurrent calls share one request. Resolves to true if there is a block to judge.
  ask() {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask() {
    // Twice, because the first answer after a reload can be a HIT whose blocks are all in the outbox.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const last = this.lastHit();
      // The server would lend a HIT again whose submissions it does not have yet.
      if (last) await this.outbox.emptied();
      // A submission brought the next HIT.
      if (this.lastHit() !== last && this.nextOpen()) return this.#succeed();
      const request = this.#request();
      let answer;
      try {
        answer = await this.api.assignment(request);
      } catch {
        return (await this.#takeKept()) ? this.#succeed() : this.#lacks("offline");
      }
      if (answer.status === 204) return this.#lacks(answer.reason ?? "none_left");
      const { code } = answer.data ?? {};
      // Signing in again would not help.
      if (answer.status === 403 && ["paused", "excluded", "instructions", "questions", "declined"].includes(code)) {
        // Of new instructions, judges learn after the HIT that they have begun.
        if (code === "instructions" || code === "questions") this.#drop(this.#inHand.filter((hit) => !this.#isBegun(hit)));
        else this.stop();
        return this.#lacks(code);
      }
      if (answer.status === 202) return this.#lacks(answer.data.state, answer.data.retry_after);
      if (isTrouble(answer.status) && (await this.#takeKept())) return this.#succeed();
      if (answer.status !== 200) return this.#lacks(isSignedOut(answer.status) ? "signed_out" : "server");
      const lack = await this.screens.load(protocolOf(answer.data));
      if (lack) return this.#lacks(lack);
      this.#take(answer, request?.in_hand);
      if (this.nextOpen()) return this.#succeed();
    }
    return this.#lacks("none_left");
  }

  #succeed() {
    this.lack = null;
    return true;
  }

  // After a reload without a server, takes the HITs stored on the device.
  async #takeKept() {
    if (!this.kept || this.lastHit()) return false;
    for (const { data, ahead } of this.kept.get()) {
      if (await this.screens.load(protocolOf(data))) break;
      this.#take({ data, at: Date.now() + ahead, asked: 0 });
    }
    return Boolean(this.nextOpen());
  }

  // Stores the HITs in hand; until then, the outbox is more recent.
  #keep() {
    // Before the first answer, the stored HITs must not be overwritten.
    if (!this.kept || !this.hits.size || this.#keeping) return;
    this.#keeping = true;
    whenPainted(() => {
      this.#keeping = false;
      this.kept?.put(this.#inHand.map((hit) => this.#asItStands(hit)));
    });
  }

  /** @param {Hit} hit @returns {KeptHit} */
  #asItStands({ lent, ahead = 0 }) {
    const data = /** @type {LentHit} */ (lent);
    const blocks = data.blocks.map(({ id }) => {
      const block = /** @type {Block} */ (this.find(id));
      return { ...block, judgment: block.state === "judged" ? this.#asStored(block) : null };
    });
    return { data: { ...data, progress: { ...data.progress, ...this.#counted }, blocks }, ahead };
  }

  /** @param {Block} block */
  #asStored(block) {
    const { answer, comment } = /** @type {Said} */ (block.sent);
    return { ...this.answersOf(block).fields(answer), comment, id: block.judgmentId ?? undefined };
  }

  /** @param {string} reason @param {number} retryAfter */
  #lacks(reason, retryAfter = 0) {
    this.lack = reason;
    this.retryAfter = retryAfter;
    // The answer to a submission may have brought a block meanwhile.
    return Boolean(this.nextOpen());
  }

  // Renews an expired lease; the judge may hold another HIT by now.
  /** @param {Block} block */
  async renew(block) {
    // Send everything first, or the server takes an earlier HIT for the current one.
    if (this.outbox.waiting().length) await this.outbox.emptied();
    if (block.state !== "open") return;
    let answer;
    try {
      answer = await this.api.assignment();
    } catch {
      return;
    }
    if (![200, 202, 204].includes(answer.status)) return;
    const hit = this.hits.get(block.hit);
    if (answer.data?.id === hit.id) {
      this.#extend(hit, answer);
      return;
    }
    // Another judge may have it by now. The judge can finish what they began: late answers are stored.
    hit.dropped = true;
    if (answer.status === 200) await this.#follow(answer);
  }

  /** @param {Hit} hit @param {Pick<Answer<LentHit>, "data" | "at">} answer */
  #extend(hit, { data, at: serverTime }) {
    // In the page's own time, because device clocks are often wrong.
    hit.endsAt = performance.now() + Date.parse(data.expires_at) - serverTime;
    Object.assign(hit, { lent: data, ahead: serverTime - Date.now() });
  }

  // The server has extended the leases of the HITs `inHand` to at least that of the new one.
  /** @param {Pick<Answer<LentHit>, "data" | "at" | "asked">} answer @param {string[]} [inHand] */
  #take(answer, inHand = []) {
    const { data } = answer;
    for (const id of inHand) {
      const heldHit = this.hits.get(id);
      const until = performance.now() + Date.parse(data.expires_at) - answer.at;
      if (heldHit && heldHit.endsAt > performance.now()) heldHit.endsAt = Math.max(heldHit.endsAt, until);
    }
    this.#counted = { ...data.progress };
    this.dispatchEvent(new CustomEvent("progress", { detail: { ...data.progress, asked: answer.asked } }));
    this.dispatchEvent(new CustomEvent("notice", { detail: data.notice }));
    const existing = this.hits.get(data.id);
    if (existing) {
      this.#extend(existing, answer);
      existing.dropped = false;
      existing.rules = data.rules;
      this.#believe(data.blocks, answer.asked);
      return;
    }
    const { id, revisable_hits: revisableHits, rules, languages } = data;
    const hit = { id, protocol: protocolOf(data), revisableHits, rules, languages, total: data.blocks.length, endsAt: 0 };
    this.#extend(hit, answer);
    this.hits.set(hit.id, hit);
    this.#keep();
    // Some may be here already, from the judge's history.
    const lent = new Set(data.blocks.map((block) => block.id));
    this.blocks = this.blocks.filter((block) => !lent.has(block.id));
    data.blocks.forEach((block, index) => this.blocks.push(this.#remember(block, hit, index, answer.asked)));
  }

  // Adopts the server's state of known blocks without unsent submissions: one may have been refused, or judged on another
  // device.
  /** @param {LentBlock[]} blocks @param {number} requestedAt */
  #believe(blocks, requestedAt) {
    for (const { id, state, judgment, skip_reason } of blocks) {
      const block = this.find(id);
      if (!block || block.state === state || this.outbox.unknownOf(id, requestedAt)) continue;
      if (state === "open") Object.assign(block, { state, judgmentId: null });
      else this.#settleAs({ state, judgment, skip_reason }, block);
    }
  }

  /** @param {Pick<LentBlock, "state" | "judgment" | "skip_reason">} stored @param {Block} block */
  #settleAs({ state, judgment, skip_reason }, block) {
    if (state === "judged") this.settle(block, "judgments", judgment ?? {});
    else this.settle(block, "skips", { reason: skip_reason ?? "" });
  }

  // Adds a block of the judge's history as a separate HIT. Its screen must be loaded.
  /** @param {JudgedBlock} row */
  reopen(row) {
    const { assignment, position, total, languages, rules, block: data } = row;
    const existing = this.find(data.id);
    if (existing) return existing;
    const hit = /** @type {Hit} */ ({
      id: `past/${assignment}`,
      protocol: protocolOf(row),
      rules,
      languages,
      total,
      past: true,
      dropped: true,
      endsAt: Infinity,
    });
    this.hits.set(hit.id, hit);
    const block = this.#remember(data, hit, position - 1);
    this.blocks.unshift(block);
    return block;
  }

  // Restores blocks with unsaved changes from the history, because the server does not lend completed HITs again.
  async recall() {
    const drafted = new Set(this.drafts.revised());
    /** @type {string | null} */
    let cursor = null;
    while (drafted.size) {
      /** @type {Answer | null} */
      const answer = await this.api.history(cursor).catch(() => null);
      if (answer?.status !== 200) return;
      for (const row of /** @type {JudgedBlock[]} */ (answer.data.results)) {
        if (drafted.delete(row.block.id) && !(await this.screens.load(protocolOf(row)))) this.reopen(row);
      }
      cursor = cursorAfter(answer.data);
      if (!cursor) return;
    }
  }

  // Learns the judge's latest judgment from the history, for a page that was loaded after it. Returns whether there is one.
  async learnLatest() {
    /** @type {Answer | null} */
    const answer = await this.api.history(null).catch(() => null);
    /** @type {JudgedBlock[]} */
    const [row] = answer?.status === 200 ? answer.data.results : [];
    this.#latest = row && !(await this.screens.load(protocolOf(row))) ? row : null;
    return this.#latest !== null;
  }

  latest() {
    return this.#latest && this.reopen(this.#latest);
  }

  /** @param {LentBlock} data @param {Hit} hit @param {number} index @param {number} [requestedAt] */
  #remember(data, hit, index, requestedAt = Infinity) {
    const answers = this.screens.answersOf(hit.protocol);
    const answer = answers.blank(data.candidates.length, data.candidates);
    /** @type {Block} */
    const block = { ...data, hit: hit.id, position: index + 1, comment: "", answer, sent: null };
    const item = this.outbox.unknownOf(block.id, requestedAt);
    if (item) this.settle(block, item.kind, { ...item.body, id: item.id });
    else if (data.state !== "open") this.#settleAs(data, block);
    const draft = this.drafts.get(block.id);
    // A draft begun here does not change a block that was finished on another device.
    if (draft?.answer && (draft.revises || block.state === "open")) {
      block.answer = structuredClone(draft.answer);
      block.comment = draft.comment;
      block.spent = { durationMs: draft.durationMs, activeMs: draft.activeMs };
    }
    return block;
  }
}
