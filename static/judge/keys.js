// The keyboard. Digits are recognised by what they type, or by the key's position, so that all layouts and the keypad
// work; letters by what they type, or by position on layouts without Latin letters.

import * as store from "./store.js";

const SWITCH = "quintet/letters-off";
// Moves between outputs; with Shift, the arrows scroll the texts.
/** @type {Record<string, number>} */
export const STEPS = { ArrowUp: -1, ArrowDown: 1, k: -1, j: 1 };

/**
 * @typedef {object} Actions
 * @property {() => ProtocolScreen | null} screen of the current block, whose keys take precedence
 * @property {() => boolean} escape
 * @property {(by: number) => boolean} scroll
 * @property {() => boolean} play plays or pauses; false if there is nothing to play
 * @property {(number: number) => boolean} listen switches to an output by its number, or with 0 to the source
 * @property {(event: KeyboardEvent) => boolean} submit
 * @property {(event: KeyboardEvent | MouseEvent) => boolean} isAgain whether an input led to the sentence shown, and is not accepted again yet
 * @property {(event: KeyboardEvent | MouseEvent) => void} tellIgnored
 * @property {Record<string, () => unknown>} letters
 */

/** @param {{ code: string, key: string }} event @param {number} [most] */
export function digitOf({ code, key }, most = 5) {
  // On-screen keyboards have no key positions.
  if (/^\d$/.test(key)) return Number(key) <= most ? Number(key) : null;
  const [, kind, digit] = code.match(/^(Digit|Numpad)(\d)$/) ?? [];
  // Without Num Lock, keypad keys are arrows.
  if (kind === "Numpad" && key.length > 1) return null;
  return digit === undefined || Number(digit) > most ? null : Number(digit);
}

/** @param {{ code: string, key: string }} event */
export function letterOfKey(event) {
  const key = event.key.toLowerCase();
  if (/^[a-z?[\]]$/.test(key)) return key;
  // A layout with letters such as “ı” and “è” has the Latin letters elsewhere.
  if (event.key.length > 1 || event.key.charCodeAt(0) < 128 || /\p{Script=Latin}/u.test(event.key)) return null;
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

/** @param {HTMLElement} target */
const isNumeric = (target) => target.matches("[role=spinbutton]");

// Returns whether a key belongs to an input method. In Safari, the key that ends a composition comes after its end.
/** @param {KeyboardEvent} event */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

// Keys that move the focus and answer nothing.
const MOVING = ["Tab", "Escape", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/** @param {KeyboardEvent} event @param {Actions} actions */
function isMoving(event, actions) {
  if (MOVING.includes(event.key)) return true;
  const letter = letterOfKey(event);
  return letter !== null && letter in actions.letters && !actions.screen()?.letter(letter, /** @type {Pressed} */ (event));
}

// Handles keys. An action that returns false leaves the key to the browser.
/** @param {Actions} actions */
export function listen(actions) {
  /** @param {KeyboardEvent | MouseEvent} event */
  const ignore = (event) => {
    event.preventDefault();
    event.stopPropagation();
    actions.tellIgnored(event);
  };
  // Before any element: what led to a sentence does not answer it when it is repeated.
  addEventListener(
    "keydown",
    (event) => {
      if (isComposing(event)) return;
      const isAgain = actions.isAgain(event);
      if (isAgain && !isMoving(event, actions)) ignore(event);
    },
    { capture: true },
  );
  addEventListener(
    "click",
    (event) => {
      // Keys and screen readers click without a count.
      const isAgain = event.detail > 0 && actions.isAgain(event);
      const isMovingButton = event.target instanceof Element && event.target.closest("#back, #rest-back");
      if (isAgain && !isMovingButton) ignore(event);
    },
    { capture: true },
  );
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isComposing(event) || document.querySelector("dialog[open]")) return;
    const action = chosen(/** @type {Pressed} */ (event), actions);
    if (action && action() !== false) event.preventDefault();
  });
}

/** @param {Pressed} event @param {Actions} actions */
function chosen(event, actions) {
  const { target, key, repeat } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) return repeat ? null : () => actions.submit(event);
  // An open menu closes first.
  if (event.altKey && !event.ctrlKey && !event.metaKey && /^Digit[0-5]$/.test(event.code)) {
    return repeat || isWriting(target) ? null : () => actions.listen(Number(event.code.at(-1)));
  }
  if (key === "Escape") return document.querySelector(":popover-open") ? null : actions.escape;
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (isWriting(target)) return isNumeric(target) && lettersOn() ? inNumber(/** @type {Pressed} */ (event), actions) : null;
  if (key === " ") return target.closest("button, a, summary, audio, video") || repeat ? null : actions.play;
  // Holding the key must not submit several blocks.
  const screen = actions.screen();
  if (key === "Enter") return target.closest("button, a, summary") || repeat ? null : () => screen?.goOnFrom?.() || actions.submit(event);
  if (key.startsWith("Arrow")) {
    // Not all keyboards have brackets, so Shift and arrows also scroll the texts.
    const by = event.shiftKey && STEPS[key];
    return by ? () => actions.scroll(by) : (screen?.arrow(event) ?? alongScale(event));
  }
  // With single-key shortcuts off, digits still work while an output has the focus.
  if (!lettersOn() && !target.closest("#rows")) return null;
  return screen?.single(event) ?? (lettersOn() ? letterAction(event, actions) : null);
}

// Moves between the points of a scale. Browsers go on from the last one to the first, so that one press too many turns the
// best into the worst; and not all follow the direction of the text.
/** @param {Pressed} event */
function alongScale({ target, key }) {
  if (!(target instanceof HTMLInputElement) || target.type !== "radio") return null;
  const isRightToLeft = getComputedStyle(target).direction === "rtl";
  const isForward = key === "ArrowDown" || key === (isRightToLeft ? "ArrowLeft" : "ArrowRight");
  /** @type {NodeListOf<HTMLInputElement>} */
  const all = document.querySelectorAll(`input[type=radio][name="${CSS.escape(target.name)}"]`);
  const points = [...all].filter(({ form, disabled }) => form === target.form && !disabled);
  const next = points[points.indexOf(target) + (isForward ? 1 : -1)];
  return () => {
    next?.focus();
    next?.click();
  };
}

// A field of a score takes no letters and no spaces, so these keep their meaning there.
/** @param {Pressed} event @param {Actions} actions */
function inNumber(event, actions) {
  return event.key === " " && !event.repeat ? actions.play : letterAction(event, actions);
}

/** @param {Pressed} event @param {Actions} actions */
function letterAction(event, actions) {
  const letter = letterOfKey(event);
  if (letter === "[") return () => actions.scroll(-1);
  if (letter === "]") return () => actions.scroll(1);
  if (letter === null) return null;
  return actions.screen()?.letter(letter, event) ?? (event.repeat ? null : (actions.letters[letter] ?? null));
}

// The names of outputs on the page.

/** @param {number} index */
export const letterOf = (index) => String.fromCharCode(65 + index);
