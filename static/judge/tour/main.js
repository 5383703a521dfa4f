// The tour: the judging screen itself on practice sentences, and beside it what to try next.

import { letterOf } from "../keys.js";
import { openPage } from "../main.js";
import { Outbox } from "../outbox.js";
import { say } from "../words.js";
import { NO_DRAFTS, Practice } from "./practice.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// The steps of the tour, in order. `ends`: the deed that ends one, which may have to be done in a certain
// way; `hints`: what to say of a deed on the way there. Of any other deed it is said that it was another.

/** @param {Block<RankingAnswer>} block */
const isRanked = ({ answer: { labels } }) => labels.every((label) => label !== null);
/** @param {Block<RankingAnswer>} block */
const hasTie = ({ answer: { labels } }) => new Set(labels).size < labels.length;

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} [ends]
 * @property {(block: Block) => boolean} [when]
 * @property {Record<string, (block: Block) => string | false | null>} [hints]
 */

/** @type {Step[]} */
const STEPS = [
  { name: "context", ends: "context" },
  { name: "differences", ends: "differences" },
  {
    name: "rank",
    ends: "rank",
    when: (block) => isRanked(block) && hasTie(block),
    hints: {
      rank: (block) => (isRanked(block) ? "tour_tie_wanted" : "tour_ranked"),
      clear: () => "tour_did_clear",
      incomplete: () => "tour_incomplete",
    },
  },
  { name: "clear", ends: "clear", hints: { move: () => "tour_moved", rank: () => "tour_ranked" } },
  {
    name: "submit",
    ends: "submit",
    hints: {
      rank: (block) => !isRanked(block) && "tour_ranked",
      clear: () => "tour_did_clear",
      incomplete: () => "tour_incomplete",
    },
  },
  {
    name: "back",
    ends: "return",
    hints: {
      back: () => "tour_went_back",
      rank: () => null,
      clear: () => "tour_did_clear",
      incomplete: () => "tour_incomplete",
    },
  },
  { name: "skip", ends: "skip" },
  { name: "end" },
];

// Not worth a word where nobody asked for it.
const PASSING = ["move", "incomplete", "revise", "return"];

// What the judge does on ranking's screen, told by what that shows of it: "context", "differences", "rank", "clear",
// "move", "incomplete", "submit", "revise", "skip", "back", "return".

/** @param {HTMLElement} element @param {string} name @param {() => void} act */
function onAttribute(element, name, act) {
  new MutationObserver(act).observe(element, { attributeFilter: [name] });
}

/** @param {Page} page @param {(deed: string, block?: Block) => void} tell */
function watch(page, tell) {
  /** @type {Label[]} */
  let before = [];
  let wentBack = false;

  onAttribute($("context"), "aria-expanded", () => tell("context"));
  onAttribute($("differences"), "aria-pressed", () => tell("differences"));
  onAttribute($("missing"), "class", () => {
    if ($("missing").classList.contains("refused")) tell("incomplete");
  });

  $("rows").addEventListener("focusin", () => {
    const { rows } = /** @type {RankingScreen} */ (page.screen);
    if (page.block?.answer.labels[rows.active] != null) tell("move");
  });
  page.addEventListener("answered", () => {
    const { labels } = /** @type {Block<RankingAnswer>} */ (page.block).answer;
    const cleared = labels.some((label, index) => label === null && before[index] != null);
    before = [...labels];
    tell(cleared ? "clear" : "rank");
  });
  page.addEventListener("done", ({ detail: { block, kind } }) => {
    if (kind === "skips") tell("skip");
    else tell(wentBack ? "revise" : "submit", block);
  });
  page.addEventListener("shown", () => {
    const block = /** @type {Block} */ (page.block);
    before = [...block.answer.labels];
    const isBack = block.state !== "open";
    if (isBack) tell("back");
    else if (wentBack) tell("return");
    wentBack = isBack;
  });
}

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
