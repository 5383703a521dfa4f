// Dragging a row onto a tier: a mouse drags all of it except the rank buttons; a pen or finger drags its letter, because
// they scroll on the text. Uses Pointer Events, because HTML drag and drop does not support touch. Escape cancels.

import { build } from "../../block.js";

const BEGINS_AT_PX = 5;

/** @param {HTMLElement} row */
function ghostOf(row) {
  // Not a copy of the row: a second set of radio buttons would uncheck the first.
  const letter = build("b", {}, row.querySelector(".row-letter b").textContent);
  const text = /** @type {HTMLElement} */ (row.querySelector(".row-text").cloneNode(true));
  text.removeAttribute("id");
  const ghost = build("div", { className: "ghost" }, letter, text);
  ghost.setAttribute("aria-hidden", "true");
  return ghost;
}

/**
 * @typedef {object} Calls
 * @property {() => boolean} mayStart
 * @property {(from: PointerEvent) => void} onStart
 * @property {() => void} onEnd
 * @property {(row: HTMLElement, rank: Label) => void} onDrop
 */

class Drag {
  /** @type {HTMLElement | null} */
  #ghost = null;
  /** @type {HTMLElement | null} */
  #over = null;
  #end = new AbortController();

  /**
   * @param {HTMLElement} row
   * @param {HTMLElement} handle
   * @param {PointerEvent} event
   * @param {Omit<Calls, "mayStart">} calls
   */
  constructor(row, handle, event, calls) {
    this.row = row;
    this.calls = calls;
    this.from = event;
    this.x = event.clientX;
    this.y = event.clientY;
    handle.setPointerCapture(event.pointerId);
    const { signal } = this.#end;
    handle.addEventListener("pointermove", (moved) => this.#move(moved), { signal });
    handle.addEventListener("pointerup", () => this.#drop(), { signal });
    handle.addEventListener("pointercancel", () => this.#stop(), { signal });
    /** @param {KeyboardEvent} pressed */
    const escape = (pressed) => {
      if (pressed.key !== "Escape") return;
      pressed.preventDefault();
      this.#stop();
    };
    addEventListener("keydown", escape, { signal, capture: true });
  }

  /** @param {PointerEvent} event */
  #move({ clientX, clientY }) {
    if (!this.#ghost) {
      if (Math.hypot(clientX - this.x, clientY - this.y) < BEGINS_AT_PX) return;
      this.#ghost = ghostOf(this.row);
      document.body.append(this.#ghost);
      document.documentElement.classList.add("dragging");
      this.row.classList.add("dragged");
      this.calls.onStart(this.from);
    }
    this.#ghost.style.transform = `translate(${clientX}px, ${clientY}px)`;
    const under = document.elementFromPoint(clientX, clientY);
    const over = /** @type {HTMLElement | null} */ (under?.closest("[data-tier]") ?? null);
    if (over === this.#over) return;
    this.#over?.classList.remove("over");
    over?.classList.add("over");
    this.#over = over;
    // Its text would cover the other tiers.
    this.#ghost.classList.toggle("small", Boolean(over?.closest("#dock")));
  }

  #drop() {
    const over = this.#ghost && this.#over;
    this.#stop();
    if (over) this.calls.onDrop(this.row, over.dataset.tier ? Number(over.dataset.tier) : null);
  }

  #stop() {
    this.#end.abort();
    this.#ghost?.remove();
    this.#over?.classList.remove("over");
    this.row.classList.remove("dragged");
    document.documentElement.classList.remove("dragging");
    this.calls.onEnd();
  }
}

/** @param {HTMLElement} container @param {Calls} calls */
export function listenForDrags(container, { mayStart, ...calls }) {
  container.addEventListener("pointerdown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const row = /** @type {HTMLElement | null} */ (target.closest(".row"));
    const part = event.pointerType === "mouse" && !target.closest(".ranks") ? ".row" : ".row-letter";
    const handle = /** @type {HTMLElement | null} */ (target.closest(part));
    if (!row || !handle || !event.isPrimary || event.button || !mayStart()) return;
    new Drag(row, handle, event, calls);
  });
}
