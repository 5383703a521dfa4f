// How the outputs of a block stand on the page: in a list, side by side, or in tiers that they are
// dragged into. One ranking, three views of it; the choice is remembered on the device.

import { announce } from "./announce.js";
import { listenForDrags } from "./drag.js";
import * as store from "./store.js";
import { arrange, showDock } from "./tiers.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const KEPT = "quintet/layout";
const LAYOUTS = ["list", "columns", "tiers"];

export class Layout {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    const kept = store.get(KEPT);
    this.choice = LAYOUTS.includes(kept) ? kept : "list";
    this.#show();
    page.addEventListener("shown", () => this.#arrange());
    page.addEventListener("ranked", () => this.#inTiers() && arrange(page.rows));
    listenForDrags($("rows"), {
      mayStart: () => this.#inTiers(),
      onStart: (from) => showDock(page.rows, from),
      onEnd: () => ($("dock").hidden = true),
      onDrop: (row, rank) => this.#drop(row, rank),
    });
  }

  // The same choice again is the list.
  /** @param {string} choice */
  toggle(choice) {
    if (!this.page.block) return false;
    const { rows } = this.page;
    this.choice = this.choice === choice ? "list" : choice;
    store.put(KEPT, this.choice);
    this.#show();
    if (!this.#inTiers()) $("rows").replaceChildren(...rows.rows);
    this.#arrange();
    rows.focus(rows.active);
    announce(say(`layout_${this.choice}`));
    return true;
  }

  #arrange() {
    if (this.#inTiers()) arrange(this.page.rows);
    if (this.choice === "columns") this.#align();
    else this.page.rows.showSentences(null);
  }

  async #align() {
    const { block, rows } = this.page;
    // Without the network, if it was not needed before, each text stays whole.
    const sentences = await import("./later/sentences.js").catch(() => null);
    if (block && rows === this.page.rows && this.choice === "columns") rows.showSentences(sentences?.beside(block) ?? null);
  }

  #inTiers() {
    return this.choice === "tiers";
  }

  #show() {
    $("outputs").dataset.layout = this.choice;
    for (const name of /** @type {const} */ (["columns", "tiers"])) {
      $(`${name}-word`).textContent = say(this.choice === name ? "layout_back" : name);
    }
  }

  /** @param {HTMLElement} row @param {Label} rank */
  #drop(row, rank) {
    const { block, rows } = this.page;
    const index = rows.rows.indexOf(row);
    if (!block || index < 0) return;
    if (block.labels[index] !== rank) this.page.rank(index, rank);
    rows.focus(index, { preventScroll: true });
  }
}
