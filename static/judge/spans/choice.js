// The menu next to a marked or selected part of a text: minor, major or remove.

import { say } from "../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const GAP_PX = 6;

export class Choice {
  /** @type {((severity: Severity | null) => void) | null} */
  #take = null;
  #menu = $("span-choice");
  #buttons = /** @type {HTMLElement[]} */ ([...this.#menu.querySelectorAll("button")]);

  // Calls `onClose` even if nothing was chosen.
  /** @param {() => void} onClose */
  constructor(onClose) {
    for (const button of this.#buttons) {
      button.addEventListener("click", () => this.choose(/** @type {Severity} */ (button.dataset.severity) || null));
    }
    // Before closing, because the tap that closes the menu may start another action.
    this.#menu.addEventListener("beforetoggle", (event) => {
      if (/** @type {ToggleEvent} */ (event).newState !== "closed") return;
      this.#take = null;
      onClose();
    });
  }

  get isOpen() {
    return this.#take !== null;
  }

  /** @param {DOMRect} beside @param {Severity | null} severity as it is now @param {(severity: Severity | null) => void} take */
  open(beside, severity, take) {
    this.#take = take;
    for (const button of this.#buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.severity === severity));
    }
    const last = /** @type {HTMLElement} */ (this.#buttons.at(-1)?.querySelector("span"));
    last.textContent = say(severity ? "remove" : "cancel");
    if (!this.#menu.matches(":popover-open")) this.#menu.showPopover();
    this.#place(beside);
  }

  // Focuses the current severity, or the first.
  focus() {
    (this.#buttons.find((button) => button.getAttribute("aria-pressed") === "true") ?? this.#buttons[0]).focus();
  }

  /** @param {Severity | null} severity */
  choose(severity) {
    const take = this.#take;
    this.close();
    take?.(severity);
  }

  close() {
    this.#take = null;
    if (this.#menu.matches(":popover-open")) this.#menu.hidePopover();
  }

  // Below the text, or above if there is no room.
  /** @param {DOMRect} beside */
  #place({ left, right, top, bottom }) {
    const { offsetWidth, offsetHeight } = this.#menu;
    const below = bottom + GAP_PX;
    const y = below + offsetHeight < innerHeight ? below : Math.max(GAP_PX, top - GAP_PX - offsetHeight);
    const x = Math.min((left + right - offsetWidth) / 2, innerWidth - offsetWidth - GAP_PX);
    this.#menu.style.setProperty("--choice-x", `${Math.max(GAP_PX, x)}px`);
    this.#menu.style.setProperty("--choice-y", `${y}px`);
  }
}
