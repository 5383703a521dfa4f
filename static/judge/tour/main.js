// The tour: the judging screen itself on practice sentences, and beside it what to try next.

import { letterOf } from "../letters.js";
import { Outbox } from "../outbox.js";
import { openPage } from "../main.js";
import { say } from "../words.js";
import { watch } from "./deeds.js";
import { NO_DRAFTS, Practice } from "./practice.js";
import { PASSING, STEPS } from "./steps.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
/** @param {"setup" | "given"} id */
const read = (id) => JSON.parse($(id).textContent);
const touch = matchMedia("(pointer: coarse)");

/** @typedef {{ best: string, worst?: string }} Known */

// Whether the ranking is in the order that is known, and of which letters.
/** @param {Block<RankingAnswer>} block @param {Known} known */
function opinionOf(block, { best, worst }) {
  /** @param {string | undefined} id */
  const indexOf = (id) => block.candidates.findIndex((each) => each.id === id);
  /** @param {string | undefined} id */
  const rankOf = (id) => block.answer.labels[indexOf(id)] ?? Infinity;
  const others = block.candidates.filter(({ id }) => id !== best);
  const agrees =
    others.every(({ id }) => rankOf(best) < rankOf(id)) &&
    others.every(({ id }) => !worst || id === worst || rankOf(id) < rankOf(worst));
  const words = `tour_${agrees ? "agrees" : "differs"}${worst ? "" : "_best"}`;
  return say(words, { best: letterOf(indexOf(best)), worst: worst && letterOf(indexOf(worst)) });
}

class Tour {
  #at = 0;
  // What is to be said of a ranking that was changed, once the judge is back.
  #revised = "";

  /** @param {Page} page @param {Known[]} known */
  constructor(page, known) {
    this.page = page;
    this.known = known;
    watch(page, (deed, block) => this.#did(deed, /** @type {Block} */ (block)));
    touch.addEventListener("change", () => this.#showTask());
    $("tour-next").addEventListener("click", () => this.#goOn(""));
    this.#show(say("tour_began"));
  }

  get #step() {
    return STEPS[this.#at];
  }

  /** @param {string} deed @param {Block} done */
  #did(deed, done) {
    const shown = /** @type {Block} */ (this.page.block);
    const { name, ends, when = () => true, hints = {} } = this.#step;
    if (!ends) return;
    if (deed === "revise") this.#revised = this.#opinion(done);
    if (deed === ends && when(shown)) this.#goOn(this.#praise(name, done));
    else if (deed in hints) this.#answer(hints[deed](shown));
    else if (!PASSING.includes(deed)) this.#answer(`tour_other_${deed}`);
  }

  /** @param {string} name @param {Block} done */
  #praise(name, done) {
    if (name === "submit") return this.#opinion(done);
    return (name === "back" && this.#revised) || say(`tour_did_${name}`);
  }

  /** @param {Block} block */
  #opinion(block) {
    return opinionOf(block, this.known[block.position - 1]);
  }

  // Keys: a hint may have nothing to say.
  /** @param {string | false | null} key */
  #answer(key) {
    $("tour-answer").textContent = key ? say(key) : "";
    $("tour-said").textContent = $("tour-answer").textContent;
  }

  /** @param {string} words */
  #goOn(words) {
    this.#at = Math.min(this.#at + 1, STEPS.length - 1);
    this.#show(words);
  }

  /** @param {string} words */
  #show(words) {
    const last = !this.#step.ends;
    $("tour-step").textContent = say("tour_step", { step: this.#at + 1, steps: STEPS.length });
    $("tour-answer").textContent = words;
    this.#showTask();
    $("tour-said").textContent = `${words} ${$("tour-task").textContent}`;
    $("tour-next").hidden = last;
    $("tour-end").hidden = !last;
    // After whatever the deed itself does with the focus.
    if (last) requestAnimationFrame(() => $("tour-end").focus());
  }

  #showTask() {
    /** @type {string} */
    const words = say(`tour_${this.#step.name}${touch.matches ? "_touch" : ""}`);
    $("tour-task").replaceChildren(
      ...words.split(/\[(.+?)\]/).map((part, index) => {
        if (index % 2 === 0) return part;
        const key = document.createElement("kbd");
        key.textContent = part;
        return key;
      }),
    );
  }
}

const { user, owner } = read("setup");
const { hit, known } = read("given");
const api = new Practice(user, hit);
const page = openPage({ api, outbox: new Outbox(api, owner), drafts: NO_DRAFTS });
new Tour(page, known);
