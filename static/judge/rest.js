// The page between blocks: loading, offline, or no more work.

import { announce } from "./announce.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const LOOK_AGAIN_MS = 30_000;
const RETRY_MS = 5_000;
// Reasons that end the work, and those of them for which the completion page has no code.
const ENDS = ["done", "none_left", "time_over", "returned", "screened_out"];
const WITHOUT_CODE = ["time_over", "returned", "screened_out"];
// Reasons for which a judge can do nothing but look at their judgments.
const STOPPED = ["waiting", "paused", "excluded", "campaign_paused", "campaign_closed"];
// Reasons for which new sentences may appear at any moment.
const CAN_LOOK_AGAIN = ["none_left", "waiting", "campaign_paused"];
// Reasons that last, so the server is asked less often.
const LASTING = [...ENDS, "paused", "excluded", "instructions", "questions", "declined", "outdated"];

export class Rest {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #isShown = false;
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
    outbox.addEventListener("change", () => this.#isShown && this.#explainOutbox());
  }

  hide() {
    this.#isShown = false;
    clearTimeout(this.#timer);
    $("rest").hidden = true;
    $("foot").classList.remove("resting");
  }

  // Shows that there is nothing to judge, requests more, and shows the outcome.
  async show({ isAgain = false } = {}) {
    const first = !this.#isShown;
    this.#isShown = true;
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
    let hasWork = await this.queue.ask();
    // The last submission may bring work, and the completion page must not appear before it is stored.
    if (!hasWork && this.#isAtAnEnd() && this.outbox.waiting().length) {
      await this.outbox.emptied();
      if (!this.#isShown) return;
      hasWork = await this.queue.ask();
    }
    if (!hasWork && this.#isAtAnEnd()) await this.#count();
    if (!this.#isShown) return;
    if (hasWork) this.onWork();
    else this.#explain(isAgain);
  }

  async #count() {
    const worktime = await this.countWork();
    await worktime?.refreshIfBehind();
    this.#worked = worktime ? `${worktime.today()} ${worktime.total()}`.trim() : "";
  }

  #again() {
    if (this.#isShown) this.show();
  }

  /** @param {boolean} isAgain */
  #explain(isAgain) {
    const lack = /** @type {string} */ (this.queue.lack);
    this.status.turnedAway(lack === "signed_out");
    if (this.#isAtAnEnd()) this.#finished(lack);
    else this.#say(say(`loading_${lack}`));
    this.#offerButtons(lack);
    // The button would seem to do nothing.
    if (isAgain && CAN_LOOK_AGAIN.includes(lack)) announce(($("rest-again").textContent = say("none_yet")));
    const pause = this.queue.retryAfter * 1000 || (LASTING.includes(lack) ? LOOK_AGAIN_MS : RETRY_MS);
    if (lack !== "signed_out") this.#timer = setTimeout(() => this.#again(), pause);
  }

  /** @param {string} lack */
  #offerButtons(lack) {
    const isEnd = this.#isAtAnEnd();
    const completion = $("rest-completion");
    const toCode = isEnd && Boolean(completion);
    $("rest-instructions").hidden = lack !== "instructions";
    $("rest-questions").hidden = lack !== "questions";
    $("rest-more").hidden = !isEnd && !STOPPED.includes(lack);
    // Text to read, without keys of the page's own.
    if (!$("rest-more").hidden) $("rest").removeAttribute("role");
    $("look-again").hidden = !CAN_LOOK_AGAIN.includes(lack);
    $("rest-buttons").hidden = toCode;
    // The questions lead on to the completion page.
    const lastQuestions = $("rest-last-questions");
    if (lastQuestions) lastQuestions.hidden = !isEnd && lack !== "campaign_closed";
    if (completion) completion.hidden = !toCode || Boolean(lastQuestions);
    $("rest-back").hidden = !isEnd || !this.queue.before(null);
    if (isEnd && $("rest-back").hidden) this.#offerLatest();
  }

  async #offerLatest() {
    const isThere = await this.queue.learnLatest();
    if (this.#isShown) $("rest-back").hidden = !isThere;
  }

  // Judges with a completion page go there when they are done or stopped.
  #isAtAnEnd() {
    const lack = this.queue.lack ?? "";
    return ENDS.includes(lack) || (["paused", "excluded", "campaign_closed"].includes(lack) && Boolean($("rest-completion")));
  }

  #explainOutbox() {
    const { state } = this.outbox;
    if (["offline", "server", "signed_out"].includes(state)) this.#say(say(`loading_${state}`));
  }

  /** @param {string} lack */
  #finished(lack) {
    const first = $("rest-title").hidden;
    const completion = $("rest-completion");
    // The study of a stopped judge has no more sentences for them.
    const reason = ["paused", "excluded"].includes(lack) ? "screened_out" : lack;
    const hasCode = !WITHOUT_CODE.includes(reason);
    const end = hasCode && completion ? "code" : reason;
    this.#say(this.#worked);
    $("rest-title").textContent = say(`end_${end}_title`);
    $("rest-thanks").textContent = say(`end_${end}`);
    if (completion) completion.textContent = say(hasCode ? "get_code" : "go_on");
    $("rest-title").hidden = $("rest-thanks").hidden = false;
    if (first) $("rest-title").focus();
  }

  /** @param {string} text */
  #say(text) {
    for (const id of /** @type {const} */ (["rest-title", "rest-thanks", "rest-more", "rest-instructions", "rest-questions"])) $(id).hidden = true;
    $("rest-again").textContent = "";
    // Set only on changes, so that screen readers announce it once.
    if ($("rest-text").textContent !== text) $("rest-text").textContent = text;
    $("rest-text").hidden = !text;
  }
}
