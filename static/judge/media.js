// Recordings and videos below texts: played one at a time, and how much of each was played.

import { announce } from "./announce.js";
import { letterOf } from "./keys.js";
import { isMissing, loadAgain, mediaOf } from "./media_elements.js";
import { say } from "./words.js";


// What a judge does with a player's own controls.
const OPERATED = ["play", "pause", "seeked", "volumechange", "ratechange"];
// A field with the focus would open the keyboard on the screen.
const TOUCH = matchMedia("(pointer: coarse)");

/** @param {TextOf} text @returns {HTMLMediaElement[]} */
const playersOf = (text) => mediaOf(text).flatMap((element) => Array.from(element.querySelectorAll("audio, video")));

/** @param {Block} block @returns {TextOf[]} */
const textsBeside = ({ source, references }) => [...(source ? [source] : []), ...references];

/** @param {Block} block @returns {TextOf[]} */
const textsOf = (block) => [...textsBeside(block), ...block.candidates];

// The share of a recording that was played, from 0 to 1.
/** @param {HTMLMediaElement} player */
function playedShare({ played, duration, buffered }) {
  let seconds = 0;
  for (let range = 0; range < played.length; range += 1) seconds += played.end(range) - played.start(range);
  // Streamed recordings do not say how long they are; the buffer of a short one reaches to its end.
  const isKnown = Number.isFinite(duration);
  const length = isKnown || !buffered.length ? duration : buffered.end(buffered.length - 1);
  return length > 0 ? Math.min(1, seconds / length) : 0;
}

// For each output, the played share of its recordings on average; null if it has none.
/** @param {Block} block */
export function playedShares({ candidates }) {
  return candidates.map((candidate) => {
    const shares = playersOf(candidate).map(playedShare);
    const sum = shares.reduce((one, other) => one + other, 0);
    return shares.length ? Math.round((1000 * sum) / shares.length) / 1000 : null;
  });
}

export class Media {
  // Blocks whose judge was asked about recordings that were not played.
  /** @type {WeakSet<Block>} */
  #remindedOf = new WeakSet();
  /** @type {HTMLMediaElement | null} */
  #last = null;
  #isTabbing = false;
  #isByPointer = false;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    document.addEventListener("play", ({ target }) => this.#started(/** @type {HTMLMediaElement} */ (target)), { capture: true });
    page.addEventListener("shown", () => this.#last?.pause());
    // Chromium's players keep all keys for themselves, so the focus that a pointer gave them goes back. Who came by Tab stays.
    addEventListener("keydown", ({ key }) => (this.#isTabbing = key === "Tab"), { capture: true });
    addEventListener("pointermove", () => (this.#isTabbing = false), { capture: true, passive: true });
    document.addEventListener("focusin", ({ target }) => {
      if (target instanceof HTMLMediaElement) this.#isByPointer = !this.#isTabbing;
    });
    addEventListener("online", loadAgain);
    for (const name of OPERATED) {
      document.addEventListener(name, ({ target }) => this.#operated(/** @type {HTMLMediaElement} */ (target)), { capture: true });
    }
  }

  /** @param {HTMLMediaElement} player */
  #operated(player) {
    if (document.activeElement !== player || !this.#isByPointer) return;
    if (TOUCH.matches) player.blur();
    else this.page.acting?.resume();
  }

  // Whether the texts beside the outputs and the outputs of the current block can be played.
  get playable() {
    const { beside, outputs } = this.#players;
    return { beside: beside.length > 0, outputs: outputs.flat().length > 0 };
  }

  /** @param {HTMLMediaElement} player */
  #started(player) {
    if (this.#last !== player) this.#last?.pause();
    this.#last = player;
  }

  // The recordings of the current block: of the texts beside the outputs, then of each output.
  get #players() {
    const { block } = this.page;
    if (!block) return { beside: [], outputs: [] };
    const beside = textsBeside(block).flatMap(playersOf);
    return { beside, outputs: block.candidates.map(playersOf) };
  }

  // Plays or pauses the last recording, or the first.
  toggle() {
    const { beside, outputs } = this.#players;
    const all = [...beside, ...outputs.flat()];
    const player = all.find((candidate) => candidate === this.#last) ?? all[0];
    if (!player) return false;
    if (player.paused) this.#play(player);
    else player.pause();
    return true;
  }

  // Plays an output from where the last one is, or for 0 the text beside the outputs.
  /** @param {number} number */
  switchTo(number) {
    const { beside, outputs } = this.#players;
    const player = number ? outputs[number - 1]?.[0] : beside[0];
    if (!player) return false;
    const last = this.#last;
    const isOfBlock = last !== null && outputs.flat().includes(last);
    if (number && isOfBlock && last !== player && !last.ended) player.currentTime = last.currentTime;
    this.#play(player);
    announce(number ? letterOf(number - 1) : say("source"));
    return true;
  }

  /** @param {HTMLMediaElement} player */
  #play(player) {
    // The browser may refuse; its own controls remain.
    player.play().catch(() => undefined);
  }

  // Names the outputs that cannot be judged because a file could not be loaded; null if there are none.
  /** @param {Block} block @returns {Phrase | null} */
  missing(block) {
    const texts = textsOf(block).filter(isMissing);
    if (!texts.length) return null;
    const { candidates } = block;
    const letters = candidates.flatMap((candidate, index) => (texts.includes(candidate) ? [letterOf(index)] : []));
    const isNamed = candidates.length > 1 && letters.length > 0;
    return isNamed ? { key: "not_loaded", values: { letters } } : { key: "not_loaded_alone" };
  }

  // Words about outputs that were never played; empty once the judge was asked about them.
  /** @param {Block} block */
  question(block) {
    if (block.state !== "open" || this.#remindedOf.has(block)) return "";
    const letters = playedShares(block).flatMap((share, index) => (share === 0 ? [letterOf(index)] : []));
    if (!letters.length) return "";
    this.#remindedOf.add(block);
    return block.candidates.length > 1 ? say("not_played", { letters }) : say("not_played_alone");
  }
}
