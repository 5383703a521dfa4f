// The keyboard. Digits are told by what they type, or by the place of the key where that is something else,
// so that every layout and the keypad work; letters by what they type, or by their place where the layout types no Latin letters.

import * as store from "./store.js";

const SWITCH = "quintet/letters-off";
// From output to output; with Shift, the arrows scroll the texts.
/** @type {Record<string, number>} */
export const STEPS = { ArrowUp: -1, ArrowDown: 1, k: -1, j: 1 };

/**
 * @typedef {object} Actions
 * @property {() => ProtocolScreen | null} screen of the block shown, whose own keys act first
 * @property {() => boolean} escape
 * @property {(by: number) => boolean} scroll
 * @property {(event: KeyboardEvent) => boolean} submit
 * @property {Record<string, () => unknown>} letters
 */

/** @param {{ code: string, key: string }} event @param {number} [most] */
export function digitOf({ code, key }, most = 5) {
  // Also of keyboards on a screen, whose keys have no place.
  if (/^\d$/.test(key)) return Number(key) <= most ? Number(key) : null;
  const [, kind, digit] = code.match(/^(Digit|Numpad)(\d)$/) ?? [];
  // Without Num Lock the keypad's keys are arrows.
  if (kind === "Numpad" && key.length > 1) return null;
  return digit === undefined || Number(digit) > most ? null : Number(digit);
}

/** @param {{ code: string, key: string }} event */
export function letterOfKey(event) {
  const key = event.key.toLowerCase();
  if (/^[a-z?[\]]$/.test(key)) return key;
  if (event.key.length > 1 || event.key.charCodeAt(0) < 128) return null;
  return event.code.match(/^Key([A-Z])$/)?.[1].toLowerCase() ?? null;
}

export const lettersOn = () => !store.get(SWITCH);

/** @param {boolean} on */
export function switchLetters(on) {
  if (on) store.remove(SWITCH);
  else store.put(SWITCH, true);
}

/** @param {HTMLElement} target */
export const isWriting = (target) => target.closest("textarea, select, input:not([type=radio]):not([type=checkbox])");

// `actions`: the keys of the screen, scroll(±1), submit(), escape(), and one for each letter.
// Returning false from any of them leaves the key to the browser.
/** @param {Actions} actions */
export function listen(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    const action = chosen(/** @type {Pressed} */ (event), actions);
    if (action && action() !== false) event.preventDefault();
  });
}

/** @param {Pressed} event @param {Actions} actions */
function chosen(event, actions) {
  const { target, key, repeat } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) return repeat ? null : () => actions.submit(event);
  // A menu that is open closes first.
  if (key === "Escape") return document.querySelector(":popover-open") ? null : actions.escape;
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(target)) return null;
  // A key held down must not submit one block after the other.
  if (key === "Enter") return target.closest("button, a, summary") || repeat ? null : () => actions.submit(event);
  const screen = actions.screen();
  if (key.startsWith("Arrow")) {
    // With Shift they scroll source and reference on every keyboard; brackets are not on all.
    const by = event.shiftKey && STEPS[key];
    return by ? () => actions.scroll(by) : (screen?.arrow(event) ?? null);
  }
  // With single keys switched off, digits still act where the focus is on an output.
  if (!lettersOn() && !target.closest("#rows")) return null;
  return screen?.single(event) ?? (lettersOn() ? letterAction(event, actions) : null);
}

/** @param {Pressed} event @param {Actions} actions */
function letterAction(event, actions) {
  const letter = letterOfKey(event);
  if (letter === "[") return () => actions.scroll(-1);
  if (letter === "]") return () => actions.scroll(1);
  if (letter === null) return null;
  return actions.screen()?.letter(letter, event) ?? (event.repeat ? null : (actions.letters[letter] ?? null));
}

// What outputs are called on the page.

/** @param {number} index */
export const letterOf = (index) => String.fromCharCode(65 + index);
