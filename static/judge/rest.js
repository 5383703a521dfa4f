// The page between blocks: loading, offline, or no more work.

import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const LOOK_AGAIN_MS = 30_000;
const RETRY_MS = 5_000;

export class Rest {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #shown = false;
  #worked = "";

  /** @param {{ queue: Queue, outbox: Outbox, status: Status, countWork: () => Promise<WorkTime | null>, onWork: () => void }} parts */
  constructor({ queue, outbox, status, countWork, onWork }) {
    this.queue = queue;
    this.outbox = outbox;
    this.status = status;
    this.countWork = countWork;
    this.onWork = onWork;
    addEventListener("online", () => this.#again());
    addEventListener("focus", () => this.#again());
    // Requests wait for the outbox, so explain its delays.
    outbox.addEventListener("change", () => this.#shown && this.#explainOutbox());
  }

  hide() {
    this.#shown = false;
    clearTimeout(this.#timer);
    $("rest").hidden = true;
    $("foot").classList.remove("resting");
  }

  // Shows that there is nothing to judge, requests more, and shows the outcome.
  async show() {
    const first = !this.#shown;
    this.#shown = true;
    clearTimeout(this.#timer);
    $("rest").hidden = false;
    $("rest").setAttribute("role", "application");
    // The focused element has disappeared with its block.
    if (!document.activeElement?.checkVisibility()) $("rest").focus();
    $("sentence").textContent = "";
    // Replaces earlier words, but not on every retry.
    if (first || !this.queue.lack) this.#say(say("loading"));
    $("foot").classList.add("resting");
    this.#explainOutbox();
    let found = await this.queue.ask();
    // The last submission may bring work, and the completion page must not appear before it is stored.
    if (!found && this.#isAtAnEnd() && this.outbox.waiting().length) {
      await this.outbox.emptied();
      if (!this.#shown) return;
      found = await this.queue.ask();
    }
    if (!found && this.#isAtAnEnd()) await this.#count();
    if (!this.#shown) return;
    if (found) this.onWork();
    else this.#explain();
  }

  async #count() {
    const worktime = await this.countWork();
    await worktime?.refreshIfBehind();
    this.#worked = worktime ? `${worktime.today()} ${worktime.total()}`.trim() : "";
  }

  #again() {
    if (this.#shown) this.show();
  }

  #explain() {
    const lack = /** @type {string} */ (this.queue.lack);
    this.status.turnedAway(lack === "signed_out");
    if (this.#isAtAnEnd()) this.#finished();
    else this.#say(say(`loading_${lack}`));
    $("rest-instructions").hidden = lack !== "instructions";
    const pause = this.queue.retryAfter * 1000 || (["none", "paused", "instructions", "declined", "outdated"].includes(lack) ? LOOK_AGAIN_MS : RETRY_MS);
    if (lack !== "signed_out") this.#timer = setTimeout(() => this.#again(), pause);
  }

  // Judges with a completion page go there when they are done or stopped.
  #isAtAnEnd() {
    const { lack } = this.queue;
    return lack === "none" || (["paused", "campaign_closed"].includes(lack ?? "") && Boolean($("rest-completion")));
  }

  #explainOutbox() {
    const { state } = this.outbox;
    if (["offline", "server", "signed_out"].includes(state)) this.#say(say(`loading_${state}`));
  }

  #finished() {
    const first = $("rest-title").hidden;
    // Text to read, without keys of the page's own.
    $("rest").removeAttribute("role");
    this.#say(this.#worked);
    $("rest-title").hidden = $("rest-more").hidden = false;
    $("rest-back").hidden = !this.queue.before(null);
    if (first) $("rest-title").focus();
  }

  /** @param {string} text */
  #say(text) {
    $("rest-title").hidden = $("rest-more").hidden = $("rest-instructions").hidden = true;
    // Set only on changes, so that screen readers announce it once.
    if ($("rest-text").textContent !== text) $("rest-text").textContent = text;
    $("rest-text").hidden = !text;
  }
}
