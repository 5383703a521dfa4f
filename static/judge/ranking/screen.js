// Ranking: a row with five ranks for each output, the resulting order, and the layout.

import { announce } from "../announce.js";
import { build, questionAbout } from "../block.js";
import { digitOf, letterOf, STEPS } from "../keys.js";
import { list, say } from "../words.js";
import { tiers } from "./answer.js";
import * as ranking from "./answer.js";
import { Layout } from "./layout.js";
import { isFolded, Rows } from "./rows.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @type {AnswerOf<RankingAnswer>} */
export const answers = ranking;

/** @param {Page} page */
export const open = (page) => new RankingScreen(page);

// Shift with 0, unless that types a digit, or with the keys that remove a rank.
/** @param {KeyboardEvent} event */
function clearsAll({ shiftKey, code, key }) {
  return shiftKey && ((code === "Digit0" && !/^\d$/.test(key)) || key === "Backspace" || key === "Delete");
}

/** @implements {ProtocolScreen<RankingAnswer>} */
export class RankingScreen {
  answers = answers;
  submitsAtOnce = false;
  rows = new Rows({
    onRank: (index, rank, isPointed) => {
      this.rank(index, rank);
      if (isPointed && isFolded()) this.#goOn(index, rank);
    },
    onIgnored: () => this.page.tellIgnored(),
  });
  #layout;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.#layout = new Layout(this);
  }

  get question() {
    return questionAbout(this.rows.block, "ranking_question");
  }

  keys = ["rank", "rows"];

  get #answer() {
    return this.rows.block.answer;
  }

  get #first() {
    return ranking.unranked(this.#answer.labels)[0] ?? 0;
  }

  isShown() {
    return this.page.screen === this;
  }

  enter() {
    $("scale").hidden = false;
    this.#layout.show();
  }

  leave() {
    $("scale").hidden = true;
    $("order").replaceChildren();
    $("order-words").textContent = "";
  }

  /** @param {Block<RankingAnswer>} block */
  show(block) {
    this.rows.show(block);
    this.#layout.arrange();
  }

  showAnswer() {
    showOrder(this.#answer.labels, { line: $("order"), words: $("order-words") });
  }

  /** @param {Run[][] | null} runs */
  showDifferences(runs) {
    this.rows.showDifferences(runs);
  }

  /** @param {string} words */
  introduce(words) {
    this.rows.introduceRow(this.#first, words);
  }

  // Focuses the first row without a rank.
  /** @param {FocusOptions} [options] */
  focus(options) {
    this.rows.focus(this.#first, options);
  }

  resume() {
    this.rows.focus(this.rows.active);
  }

  refuse() {
    const missing = ranking.unranked(this.#answer.labels);
    this.rows.markWanting(missing);
    this.rows.focus(missing[0]);
  }

  // --- Ranks -------------------------------------------------------------------------------------

  /** @param {number} index @param {Label} rank */
  rank(index, rank) {
    const { labels } = this.#answer;
    labels[index] = rank;
    this.rows.showLabels();
    this.#changed();
    const letter = letterOf(index);
    const words = rank === null ? say("cleared", { letter }) : say("ranked", { letter, rank });
    announce(ranking.unranked(labels).length ? words : `${words} ${say("all_ranked")}`);
  }

  /** @param {Label} rank */
  rankActive(rank) {
    const index = this.rows.active;
    const { labels } = this.#answer;
    if (rank === null && labels[index] === null) return true;
    this.rank(index, rank);
    this.#goOn(index, rank);
    return true;
  }

  // Moves to the next row without a rank.
  /** @param {number} index @param {Label} rank */
  #goOn(index, rank) {
    const { labels } = this.#answer;
    const rest = ranking.unranked(labels);
    // If all rows are ranked, revising an earlier ranking moves from row to row.
    const after = this.rows.block.state === "open" ? index : (index + 1) % labels.length;
    const next = rank === null ? index : (rest.find((candidate) => candidate > index) ?? rest[0] ?? after);
    this.rows.focus(next);
  }

  clearAll() {
    const phrase = this.rows.clearAll();
    if (phrase) {
      this.#changed();
      this.focus();
      announce(say(phrase));
    }
    return true;
  }

  /** @param {number} by */
  move(by) {
    const target = this.rows.neighbour(by);
    if (target !== null) this.rows.focus(target);
    return true;
  }

  #changed() {
    this.page.answered();
    this.#layout.follow();
  }

  // --- Keys --------------------------------------------------------------------------------------

  /** @param {Pressed} event */
  arrow({ key }) {
    const by = STEPS[key];
    return by ? () => this.move(by) : null;
  }

  /** @param {Pressed} event */
  single(event) {
    const { key, repeat } = event;
    // Holding the key must not rank several blocks.
    if (clearsAll(event)) return repeat ? null : () => this.clearAll();
    const digit = digitOf(event);
    if (digit !== null) return repeat ? null : () => this.rankActive(digit || null);
    return key === "Backspace" || key === "Delete" ? () => this.rankActive(null) : null;
  }

  /** @param {string} letter @param {Pressed} event */
  letter(letter, { repeat }) {
    if (letter in STEPS) return () => this.move(STEPS[letter]);
    if (letter === "t") return repeat ? null : () => this.#layout.toggle("tiers");
    if (letter === "v") return repeat ? null : () => this.#layout.toggle("columns");
    return null;
  }
}

// The order so far, as one line: B = D > A > C > E.

/** @param {Label[]} labels @param {{ line: HTMLElement, words: HTMLElement }} places */
function showOrder(labels, { line, words }) {
  const groups = tiers(labels);
  line.replaceChildren(
    ...groups.flatMap((group, tier) =>
      group.flatMap((index, position) => {
        const chip = build("span", { className: `chip rank-${labels[index]}` }, letterOf(index));
        if (tier === 0 && position === 0) return [chip];
        return [" ", build("span", { className: "sign" }, position ? "=" : ">"), " ", chip];
      }),
    ),
  );
  const spoken = groups.map((group) => {
    const letters = list(group.map(letterOf));
    return group.length > 1 ? say("tied", { letters }) : letters;
  });
  words.textContent = groups.length ? say("order", { order: spoken.join(say("semicolon")) }) : "";
}
