// The layout of outputs: a list, columns, or tiers to drag them into. The judge's choice is stored on the device. Without
// a choice, columns are used if fewer than two outputs would fit in the list.

import { announce } from "../announce.js";
import { later } from "../later.js";
import * as store from "../store.js";
import { say } from "../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const STORAGE_KEY = "quintet/layout";
const LAYOUTS = ["list", "columns", "tiers"];
// As in judge-layouts.css.
const HAS_COLUMNS = matchMedia("(min-width: 760px)");

export class Layout {
  // Null until tiers are used.
  /** @type {Tiers | null} */
  #tiers = null;
  #loadTiers;

  /** @param {RankingScreen} screen */
  constructor(screen) {
    this.screen = screen;
    this.#loadTiers = later(screen.page, async () => new (await import("./later/tiers.js")).Tiers(this));
    const stored = store.get(STORAGE_KEY);
    this.isChosen = LAYOUTS.includes(stored);
    this.choice = this.isChosen ? stored : "list";
    for (const name of /** @type {const} */ (["columns", "tiers"])) {
      $(name).addEventListener("click", () => this.toggle(name));
    }
    if (this.inTiers()) this.#startInTiers();
  }

  async #startInTiers() {
    this.#tiers = await this.#loadTiers();
    if (!this.#tiers && this.inTiers()) this.choice = "list";
    if (!this.screen.isShown()) return;
    this.show();
    if (this.screen.page.block) this.arrange();
  }

  // Choosing the same layout again returns to the list.
  /** @param {string} choice */
  toggle(choice) {
    if (!this.screen.page.block) return false;
    this.#choose(this.choice === choice ? "list" : choice);
    return true;
  }

  /** @param {string} choice */
  async #choose(choice) {
    if (choice === "tiers") {
      this.#tiers ??= await this.#loadTiers();
      if (!this.#tiers || !this.screen.page.block || !this.screen.isShown()) return;
    }
    const { rows } = this.screen;
    this.isChosen = true;
    this.choice = choice;
    store.put(STORAGE_KEY, this.choice);
    this.show();
    if (!this.inTiers()) $("rows").replaceChildren(...rows.rows);
    this.arrange();
    rows.focus(rows.active);
    announce(say(`layout_${this.choice}`));
  }

  // Arranges the rows of the current block.
  arrange() {
    if (!this.isChosen) this.#fit();
    if (this.inTiers()) this.#tiers?.arrange(this.screen.rows);
    if (this.choice === "columns") this.#align();
    else this.screen.rows.showSentences(null);
  }

  #fit() {
    this.choice = "list";
    this.show();
    const second = this.screen.rows.rows[1];
    if (!second || !HAS_COLUMNS.matches) return;
    const end = second.getBoundingClientRect().bottom + scrollY;
    if (end <= innerHeight - $("foot").offsetHeight) return;
    this.choice = "columns";
    this.show();
  }

  // After a rank.
  follow() {
    if (this.inTiers()) this.#tiers?.follow(this.screen.rows);
  }

  async #align() {
    const { rows } = this.screen;
    const { block } = rows;
    // If the module cannot be loaded offline, texts stay whole.
    const sentences = await import("../later/sentences.js").catch(() => null);
    if (block === rows.block && this.choice === "columns") rows.showSentences(sentences?.beside(block) ?? null);
  }

  inTiers() {
    return this.choice === "tiers";
  }

  show() {
    $("outputs").dataset.layout = this.choice;
    for (const name of /** @type {const} */ (["columns", "tiers"])) {
      $(`${name}-word`).textContent = say(this.choice === name ? "layout_back" : name);
    }
  }

  // Called when a row is dropped on a tier.
  /** @param {HTMLElement} row @param {Label} rank */
  drop(row, rank) {
    const { rows } = this.screen;
    const index = rows.rows.indexOf(row);
    if (index < 0) return;
    if (rows.block.answer.labels[index] !== rank) this.screen.rank(index, rank);
    rows.focus(index, { preventScroll: true });
  }
}
