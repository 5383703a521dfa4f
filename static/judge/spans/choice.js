// The menu next to a marked or selected part of a text: its severity, then its category.

import { build } from "../block.js";
import { digitOf, isComposing } from "../keys.js";
import { say } from "../words.js";
import { levelsOf } from "./categories.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const GAP_PX = 6;
// As in judge-spans.css.
const PHONE = matchMedia("(max-width: 560px) and (min-height: 481px)");
// The keys of categories, in their order.
const KEYS = "123456789abcdefghijklmnopqrstuvwxyz";

/**
 * @typedef {object} SeverityCalls
 * @property {(severity: Severity | null) => void} take
 * @property {() => void} [cancel] for Escape
 * @property {() => void} [leave] for a menu that closes because the judge does something else
 *
 * @typedef {object} CategoryCalls
 * @property {(category: string) => void} take
 * @property {() => void} back
 */

export class Choice {
  /** @type {SeverityCalls | null} */
  #calls = null;
  /** @type {CategoryCalls | null} */
  #categoryCalls = null;
  /** @type {() => DOMRect} */
  #boxOf = () => new DOMRect();
  #menu = $("span-choice");
  #severities = /** @type {HTMLElement} */ (this.#menu.querySelector(".span-severities"));
  #categories = /** @type {HTMLElement} */ (this.#menu.querySelector(".span-categories"));
  #back = /** @type {HTMLElement} */ (this.#menu.querySelector(".category-back"));
  #free = /** @type {HTMLInputElement} */ (this.#menu.querySelector("input"));
  #buttons = /** @type {HTMLElement[]} */ ([...this.#severities.querySelectorAll("button")]);
  /** @type {Severity[]} */
  #offered = [];
  // The list that `back` leads to, if it is one of categories.
  /** @type {Level[] | null} */
  #above = null;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    for (const button of this.#buttons) {
      button.addEventListener("click", () => this.choose(/** @type {Severity} */ (button.dataset.severity) || null));
    }
    this.#back.addEventListener("click", () => this.#goBack());
    this.#free.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      if (this.#free.value.trim()) this.#chooseCategory(this.#free.value.trim());
    });
    // Before closing, because the tap that closes the menu may start another action.
    this.#menu.addEventListener("beforetoggle", (event) => {
      if (/** @type {ToggleEvent} */ (event).newState === "closed") this.#left();
    });
    // Before the page, for which Escape has another meaning when no menu is open.
    addEventListener("keydown", (event) => this.#escaped(event), { capture: true });
    addEventListener("resize", () => this.isOpen && this.#place());
  }

  // The judge did something else: what they typed is the category.
  #left() {
    const calls = this.#calls;
    const categoryCalls = this.#categoryCalls;
    const typed = this.#free.value.trim();
    this.#calls = this.#categoryCalls = null;
    if (categoryCalls && typed) categoryCalls.take(typed);
    else calls?.leave?.();
  }

  /** @param {KeyboardEvent} event */
  #escaped(event) {
    if (event.key !== "Escape" || !this.isOpen || isComposing(event) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopPropagation();
    const calls = this.#calls;
    this.close();
    calls?.cancel?.();
  }

  get isOpen() {
    return this.#calls !== null || this.#categoryCalls !== null;
  }

  // Whether a category is being chosen.
  get isOfCategory() {
    return this.#categoryCalls !== null;
  }

  /**
   * @param {() => DOMRect} boxOf where the menu is placed
   * @param {Severity[]} severities
   * @param {Severity | null} severity as it is now
   * @param {SeverityCalls} calls
   */
  open(boxOf, severities, severity, calls) {
    this.#categoryCalls = null;
    this.#calls = calls;
    this.#boxOf = boxOf;
    this.#offered = severities;
    for (const button of this.#buttons) {
      const own = /** @type {Severity} */ (button.dataset.severity);
      button.setAttribute("aria-pressed", String(own === severity));
      button.hidden = Boolean(own) && !severities.includes(own);
      /** @type {HTMLElement} */ (button.querySelector("kbd")).textContent = String(severities.indexOf(own) + 1);
    }
    const last = /** @type {HTMLElement} */ (this.#buttons.at(-1)?.querySelector("span"));
    last.textContent = say(severity ? "remove" : "cancel");
    this.#show(this.#severities);
  }

  // Offers the categories of the first level; one with others below it offers these next.
  /** @param {() => DOMRect} boxOf @param {Rules} rules @param {CategoryCalls} calls */
  openCategories(boxOf, rules, calls) {
    this.#calls = null;
    this.#categoryCalls = calls;
    this.#boxOf = boxOf;
    const { categories = [], free_categories: areFree = false } = rules;
    this.#free.value = "";
    /** @type {HTMLElement} */ (this.#free.parentElement).hidden = !areFree;
    this.#list(levelsOf(categories), null);
    this.#show(this.#categories);
    this.focus();
  }

  /** @param {Level[]} levels @param {Level[] | null} above */
  #list(levels, above) {
    this.#above = above;
    const items = levels.map(({ name, category, below }, index) => {
      const button = build("button", { type: "button", className: "tool" });
      if (index < KEYS.length) button.append(build("kbd", {}, KEYS[index]));
      button.append(build("span", {}, name));
      if (below.length) button.setAttribute("aria-haspopup", "true");
      button.addEventListener("click", () => {
        if (!below.length) return this.#chooseCategory(category);
        this.#list(below, levels);
        this.page.opened();
        this.#place();
        this.focus();
      });
      return button;
    });
    for (const button of items) button.querySelector("kbd")?.setAttribute("aria-hidden", "true");
    this.#categories.querySelector(".category-list")?.replaceChildren(...items);
  }

  // To the categories of the first level, or from these to the severity.
  #goBack() {
    const calls = this.#categoryCalls;
    if (this.#above) {
      this.#list(this.#above, null);
      this.#place();
    } else {
      this.#free.value = "";
      calls?.back();
    }
    this.focus();
  }

  /** @param {HTMLElement} part */
  #show(part) {
    for (const section of [this.#severities, this.#categories]) section.hidden = section !== part;
    if (!this.#menu.matches(":popover-open")) this.#menu.showPopover();
    this.#place();
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
      if (key === "Backspace" || key === "Delete") return () => this.#goBack();
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
    const calls = this.#calls;
    this.close();
    calls?.take(severity);
  }

  /** @param {string} category */
  #chooseCategory(category) {
    const calls = this.#categoryCalls;
    this.close();
    calls?.take(category);
  }

  close() {
    this.#calls = this.#categoryCalls = null;
    if (this.#menu.matches(":popover-open")) this.#menu.hidePopover();
  }

  // Below the text, or above if there is no room. On phones it is above the foot, where the style sheet places it, and the
  // text is scrolled out from under it.
  #place() {
    const { left, right, top, bottom } = this.#boxOf();
    const { offsetWidth, offsetHeight } = this.#menu;
    if (PHONE.matches) {
      document.documentElement.style.setProperty("--choice-room", `${offsetHeight + GAP_PX}px`);
      const hidden = bottom + GAP_PX - this.#menu.getBoundingClientRect().top;
      if (hidden > 0) scrollBy({ top: hidden });
      return;
    }
    const below = bottom + GAP_PX;
    const above = Math.max(GAP_PX, Math.min(top - GAP_PX, innerHeight - GAP_PX) - offsetHeight);
    const y = below + offsetHeight < innerHeight ? below : above;
    const x = Math.min((left + right - offsetWidth) / 2, innerWidth - offsetWidth - GAP_PX);
    this.#menu.style.setProperty("--choice-x", `${Math.max(GAP_PX, x)}px`);
    this.#menu.style.setProperty("--choice-y", `${y}px`);
  }
}
