// Unsent submissions. Each is stored on the device, under the id it is sent with, until the server confirms it. They are
// sent one at a time, oldest first, and retried; the id keeps the server from storing one twice.

import { SIGNED_IN, isSignedOut, isTrouble } from "./api.js";
import * as store from "./store.js";

// A report about a block, independent of its judgment.
const REPORT = "problem-reports";

// The judge answered the block on another device, which this one did not know.
const ANSWERED_ELSEWHERE = 409;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

// crypto.randomUUID needs a secure origin, which campaigns on a local network may not have.
function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// Neither JSON nor the database holds these: NUL, and halves of surrogate pairs. Texts pasted from other programs have them.
const NOT_TEXT = /\0|\p{Surrogate}/gu;

/** @template T @param {T} body @returns {T} */
function storable(body) {
  return JSON.parse(JSON.stringify(body, (_key, value) => (typeof value === "string" ? value.replace(NOT_TEXT, "\ufffd") : value)));
}

export class Outbox extends /** @type {Tells<OutboxEvents>} */ (EventTarget) {
  // "idle", "sending", or the reason why nothing is sent: "offline", "server", "too_fast", "signed_out"
  state = "idle";
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #running = false;
  #isRequested = false;
  /** @type {string | undefined} */
  #onItsWay;
  /** @type {Map<string, { item: Item, at: number }>} */
  #confirmed = new Map();

  /** @param {Pick<JudgingApi, "submit">} api @param {string} owner */
  constructor(api, owner) {
    super();
    this.api = api;
    this.prefix = `quintet/outbox/${owner}/`;
    addEventListener("online", () => this.flush());
    // The judge may return from a tab where they signed in again.
    addEventListener("focus", () => this.flush());
    // With a service worker, Chromium drops requests sent on pagehide; iOS has no beforeunload.
    addEventListener("beforeunload", () => this.#sendAtOnce());
    addEventListener("pagehide", () => this.#sendAtOnce());
    addEventListener("storage", (event) => {
      // Signed in again in another tab. On focus, this tab may still see the previous user.
      if (event.key === SIGNED_IN) this.flush();
      if (!event.key?.startsWith(this.prefix)) return;
      if (event.newValue === null) this.#confirm(JSON.parse(event.oldValue ?? "null"));
      this.#tell("change");
    });
  }

  /** @param {Kind} kind @param {string} block @param {Omit<Submission, "block">} body @returns {Item} */
  add(kind, block, body) {
    // Later than all others, even if the device's clock was set back.
    const time = Math.max(Date.now(), (this.items().at(-1)?.at ?? 0) + 1);
    const item = { id: uuid(), kind, body: storable({ block, ...body }), at: time };
    store.put(this.prefix + item.id, item);
    this.#tell("change");
    this.flush();
    return item;
  }

  /** @returns {Item[]} */
  items() {
    return store
      .keys(this.prefix)
      .map((key) => store.get(key))
      .filter(Boolean)
      .sort((a, b) => a.at - b.at);
  }

  waiting() {
    return this.items().filter((item) => !item.refused);
  }

  /** @param {string} block */
  latestOf(block) {
    return this.waiting().findLast((item) => item.body.block === block && item.kind !== REPORT);
  }

  // The submission of a block that an answer may not include, because its request was made (at `asked`, by
  // performance.now()) before the submission was stored.
  /** @param {string} block @param {number} requestedAt @returns {Item | undefined} */
  unknownOf(block, requestedAt) {
    const confirmed = this.#confirmed.get(block);
    return this.latestOf(block) ?? (confirmed && confirmed.at >= requestedAt ? confirmed.item : undefined);
  }

  // Resolves when nothing is waiting.
  async emptied() {
    while (this.waiting().length) {
      await new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
    }
  }

  // The judge has signed in again, so sending can resume before the next answer.
  signedIn() {
    if (this.state === "signed_out") this.#settle("sending");
    this.flush();
  }

  async flush() {
    // A call while the last round is ending starts another.
    this.#isRequested = true;
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#isRequested) {
        this.#isRequested = false;
        clearTimeout(this.#timer);
        // Tabs of a judge take turns if the browser has locks; otherwise the ids keep the server from storing a
        // submission of two tabs twice.
        if (navigator.locks) await navigator.locks.request(this.prefix, () => this.#drain());
        else await this.#drain();
      }
    } finally {
      this.#running = false;
    }
  }

  // Sends everything as the page is closed, so that the judge can continue on another device at once. Nothing waits for
  // the answers; submissions stay on the device and are sent again under their ids.
  #sendAtOnce() {
    if (this.state !== "idle" && this.state !== "sending") return;
    const waiting = this.waiting();
    for (const item of waiting) {
      // A revision must not arrive before the first submission.
      const first = waiting.find(({ body }) => body.block === item.body.block);
      if (item !== first || item.id === this.#onItsWay) continue;
      this.api.submit(item.kind, item.id, item.body).catch(() => undefined);
    }
  }

  async #drain() {
    for (let item = this.waiting()[0]; item; item = this.waiting()[0]) {
      if (this.state === "idle") this.#settle("sending");
      let answer;
      this.#onItsWay = item.id;
      try {
        answer = await this.api.submit(item.kind, item.id, item.body);
      } catch {
        return this.#pause("offline");
      } finally {
        this.#onItsWay = undefined;
      }
      if (isSignedOut(answer.status)) return this.#pause("signed_out");
      // Rate limited; the server says when to retry.
      if (answer.data?.retry_after) return this.#pause("too_fast", answer.data.retry_after * 1000);
      if (isTrouble(answer.status)) return this.#pause("server");
      this.#failures = 0;
      if (answer.status < 300) {
        for (const { id, body, refused } of this.items()) {
          const settled = refused && item.kind !== REPORT && body.block === item.body.block;
          if (id === item.id || settled) store.remove(this.prefix + id);
        }
        this.#confirm(item);
        this.#tell("sent", { item, answer: answer.data, at: answer.at, asked: answer.asked });
      } else if (answer.status === ANSWERED_ELSEWHERE) {
        store.remove(this.prefix + item.id);
        this.#tell("elsewhere", { item, answer: answer.data });
      } else {
        // The server will never accept it. Keep it on the device, but skip it.
        store.put(this.prefix + item.id, { ...item, refused: answer.data?.detail ?? String(answer.status) });
        this.#tell("refused", { item, answer: answer.data });
      }
      this.#settle("sending");
    }
    this.#settle("idle");
  }

  /** @param {Item} item */
  #confirm(item) {
    if (item.refused || item.kind === REPORT) return;
    this.#confirmed.set(item.body.block, { item, at: performance.now() });
  }

  /** @param {string} state @param {number} [least] */
  #pause(state, least = 0) {
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(least, FIRST_PAUSE_MS * 2 ** this.#failures));
    this.#failures += 1;
    // Add jitter, so that many judges do not retry at the same moment.
    this.#timer = setTimeout(() => this.flush(), pause * (0.75 + Math.random() / 2));
    this.#settle(state);
  }

  /** @param {string} state */
  #settle(state) {
    this.state = state;
    this.#tell("change");
  }

  /** @template {keyof OutboxEvents} Name @param {Name} name @param {OutboxEvents[Name]} [detail] */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
