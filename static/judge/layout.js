// How the outputs of a block stand on the page: in a list, side by side, or in tiers that they are
// dragged into. One ranking, three views of it; the choice is remembered on the device.

import { announce } from "./announce.js";
import { later } from "./later.js";
import * as store from "./store.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const KEPT = "quintet/layout";
const LAYOUTS = ["list", "columns", "tiers"];

export class Layout {
  // Once tiers are asked for.
  /** @type {Tiers | null} */
  #tiers = null;
  #loadTiers;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.#loadTiers = later(page, async () => new (await import("./later/tiers.js")).Tiers(this));
    const kept = store.get(KEPT);
    this.choice = LAYOUTS.includes(kept) ? kept : "list";
    this.#show();
    page.addEventListener("shown", () => this.#arrange());
    page.addEventListener("ranked", () => this.inTiers() && this.#tiers?.follow(page.rows));
    if (this.inTiers()) this.#startInTiers();
  }

  async #startInTiers() {
    this.#tiers = await this.#loadTiers();
    if (!this.#tiers && this.inTiers()) this.choice = "list";
    this.#show();
    if (this.page.block) this.#arrange();
  }

  // The same choice again is the list.
  /** @param {string} choice */
  toggle(choice) {
    if (!this.page.block) return false;
    this.#choose(this.choice === choice ? "list" : choice);
    return true;
  }

  /** @param {string} choice */
  async #choose(choice) {
    if (choice === "tiers") {
      this.#tiers ??= await this.#loadTiers();
      if (!this.#tiers || !this.page.block) return;
    }
    const { rows } = this.page;
    this.choice = choice;
    store.put(KEPT, this.choice);
    this.#show();
    if (!this.inTiers()) $("rows").replaceChildren(...rows.rows);
    this.#arrange();
    rows.focus(rows.active);
    announce(say(`layout_${this.choice}`));
  }

  #arrange() {
    if (this.inTiers()) this.#tiers?.arrange(this.page.rows);
    if (this.choice === "columns") this.#align();
    else this.page.rows.showSentences(null);
  }

  async #align() {
    const { block, rows } = this.page;
    // Without the network, if it was not needed before, each text stays whole.
    const sentences = await import("./later/sentences.js").catch(() => null);
    if (block && block === this.page.block && this.choice === "columns") rows.showSentences(sentences?.beside(block) ?? null);
  }

  inTiers() {
    return this.choice === "tiers";
  }

  #show() {
    $("outputs").dataset.layout = this.choice;
    for (const name of /** @type {const} */ (["columns", "tiers"])) {
      $(`${name}-word`).textContent = say(this.choice === name ? "layout_back" : name);
    }
  }

  // A row was dragged onto a tier.
  /** @param {HTMLElement} row @param {Label} rank */
  drop(row, rank) {
    const { block, rows } = this.page;
    const index = rows.rows.indexOf(row);
    if (!block || index < 0) return;
    if (block.labels[index] !== rank) this.page.rank(index, rank);
    rows.focus(index, { preventScroll: true });
  }
}
