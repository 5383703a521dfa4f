// The menu next to a marked or selected part of a text: its severity, then its category.

import { build } from "../block.js";
import { digitOf } from "../keys.js";
import { say } from "../words.js";
import { levelsOf } from "./categories.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const GAP_PX = 6;
// The keys of categories, in their order.
const KEYS = "123456789abcdefghijklmnopqrstuvwxyz";

export class Choice {
  /** @type {((severity: Severity | null) => void) | null} */
  #take = null;
  /** @type {((category: string) => void) | null} */
  #takeCategory = null;
  #menu = $("span-choice");
  #severities = /** @type {HTMLElement} */ (this.#menu.querySelector(".span-severities"));
  #categories = /** @type {HTMLElement} */ (this.#menu.querySelector(".span-categories"));
  #free = /** @type {HTMLInputElement} */ (this.#menu.querySelector("input"));
  #buttons = /** @type {HTMLElement[]} */ ([...this.#severities.querySelectorAll("button")]);
  /** @type {Severity[]} */
  #offered = [];

  // Calls `onClose` even if nothing was chosen.
  /** @param {() => void} onClose */
  constructor(onClose) {
    for (const button of this.#buttons) {
      button.addEventListener("click", () => this.choose(/** @type {Severity} */ (button.dataset.severity) || null));
    }
    this.#free.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      if (this.#free.value.trim()) this.#chooseCategory(this.#free.value.trim());
    });
    // Before closing, because the tap that closes the menu may start another action.
    this.#menu.addEventListener("beforetoggle", (event) => {
      if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
      const wasOfCategory = this.#takeCategory !== null;
      this.#take = this.#takeCategory = null;
      if (!wasOfCategory) onClose();
    });
  }

  get isOpen() {
    return this.#take !== null || this.#takeCategory !== null;
  }

  // Whether a category is being chosen.
  get isOfCategory() {
    return this.#takeCategory !== null;
  }

  /**
   * @param {DOMRect} beside
   * @param {Severity[]} severities
   * @param {Severity | null} severity as it is now
   * @param {(severity: Severity | null) => void} take
   */
  open(beside, severities, severity, take) {
    this.#takeCategory = null;
    this.#take = take;
    this.#offered = severities;
    for (const button of this.#buttons) {
      const own = /** @type {Severity} */ (button.dataset.severity);
      button.setAttribute("aria-pressed", String(own === severity));
      button.hidden = Boolean(own) && !severities.includes(own);
      /** @type {HTMLElement} */ (button.querySelector("kbd")).textContent = String(severities.indexOf(own) + 1);
    }
    const last = /** @type {HTMLElement} */ (this.#buttons.at(-1)?.querySelector("span"));
    last.textContent = say(severity ? "remove" : "cancel");
    this.#show(this.#severities, beside);
  }

  // Offers the categories of the first level; one with others below it offers these next.
  /** @param {DOMRect} beside @param {Rules} rules @param {(category: string) => void} take */
  openCategories(beside, rules, take) {
    this.#take = null;
    this.#takeCategory = take;
    const { categories = [], free_categories: areFree = false } = rules;
    this.#free.value = "";
    /** @type {HTMLElement} */ (this.#free.parentElement).hidden = !areFree;
    this.#list(levelsOf(categories), beside);
    this.#show(this.#categories, beside);
    this.focus();
  }

  /** @param {Level[]} levels @param {DOMRect} beside */
  #list(levels, beside) {
    const items = levels.map(({ name, category, below }, index) => {
      const button = build("button", { type: "button", className: "tool" });
      if (index < KEYS.length) button.append(build("kbd", {}, KEYS[index]));
      button.append(build("span", {}, name));
      if (below.length) button.setAttribute("aria-haspopup", "true");
      button.addEventListener("click", () => {
        if (!below.length) return this.#chooseCategory(category);
        this.#list(below, beside);
        this.#place(beside);
        this.focus();
      });
      return button;
    });
    for (const button of items) button.querySelector("kbd")?.setAttribute("aria-hidden", "true");
    this.#categories.querySelector(".category-list")?.replaceChildren(...items);
  }

  /** @param {HTMLElement} part @param {DOMRect} beside */
  #show(part, beside) {
    for (const section of [this.#severities, this.#categories]) section.hidden = section !== part;
    if (!this.#menu.matches(":popover-open")) this.#menu.showPopover();
    this.#place(beside);
  }

  // Focuses the current severity, or the first entry.
  focus() {
    const buttons = /** @type {HTMLElement[]} */ ([...this.#menu.querySelectorAll("button, input")]);
    const visible = buttons.filter((entry) => entry.offsetParent !== null);
    (visible.find((button) => button.getAttribute("aria-pressed") === "true") ?? visible[0])?.focus();
  }

  // What a key chooses in the open menu; null if nothing.
  /** @param {Pressed} event @returns {Action | null} */
  actionOf(event) {
    const { key } = event;
    if (this.isOfCategory) {
      const buttons = /** @type {HTMLElement[]} */ ([...this.#categories.querySelectorAll("button")]);
      const typed = digitOf(event, 9) ?? key.toLowerCase();
      const button = buttons.find((candidate) => candidate.querySelector("kbd")?.textContent === String(typed));
      return button ? () => button.click() : null;
    }
    const digit = key === "Backspace" || key === "Delete" ? 0 : digitOf(event, this.#offered.length);
    if (digit === null) return null;
    return () => this.choose(digit ? this.#offered[digit - 1] : null);
  }

  /** @param {Severity | null} severity */
  choose(severity) {
    const take = this.#take;
    this.close();
    take?.(severity);
  }

  /** @param {string} category */
  #chooseCategory(category) {
    const take = this.#takeCategory;
    this.close();
    take?.(category);
  }

  close() {
    this.#take = this.#takeCategory = null;
    if (this.#menu.matches(":popover-open")) this.#menu.hidePopover();
  }

  // Below the text, or above if there is no room.
  /** @param {DOMRect} beside */
  #place({ left, right, top, bottom }) {
    const { offsetWidth, offsetHeight } = this.#menu;
    const below = bottom + GAP_PX;
    const above = Math.max(GAP_PX, Math.min(top - GAP_PX, innerHeight - GAP_PX) - offsetHeight);
    const y = below + offsetHeight < innerHeight ? below : above;
    const x = Math.min((left + right - offsetWidth) / 2, innerWidth - offsetWidth - GAP_PX);
    this.#menu.style.setProperty("--choice-x", `${Math.max(GAP_PX, x)}px`);
    this.#menu.style.setProperty("--choice-y", `${y}px`);
  }
}
