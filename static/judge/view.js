// Other parts of a block's view: texts, differences, comment.

import { announce } from "./announce.js";
import { isBlank, showTexts } from "./block.js";
import { differences } from "./differences.js";
import { reasonOf, say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// Browsers round heights.
const CUT_PX = 4;

// The scrolling parts: source and reference, or the document.
const textParts = () => /** @type {HTMLElement[]} */ ($("document").hidden ? Array.from($("texts").children) : [$("document")]);

function showCuts() {
  for (const part of [...$("texts").children, $("document")]) {
    part.classList.toggle("cut", part.scrollHeight - part.clientHeight - part.scrollTop > CUT_PX);
  }
}

export class View {
  #differences = false;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    // A text that is longer than its place has a sign there.
    const sizes = new ResizeObserver(showCuts);
    for (const part of [...$("texts").children, $("document")]) {
      sizes.observe(part);
      part.addEventListener("scroll", showCuts, { passive: true });
    }
  }

  /** @param {Block} block @param {ProtocolScreen} screen */
  show(block, screen) {
    showTexts(block);
    this.#showDifferences(block, screen);
    $("comment").value = block.comment;
    this.#showComment(Boolean(block.comment));
  }

  // Scrolls source and reference to the top.
  showOwn() {
    for (const part of $("texts").children) part.scrollTop = 0;
    showCuts();
  }

  /** @param {Block} block @param {ProtocolScreen} screen */
  #showDifferences({ candidates }, screen) {
    // One output alone, or shown for two systems, differs from nothing; nor do pictures.
    const withText = candidates.filter(({ text }) => !isBlank(text));
    const comparable = Boolean(screen.showDifferences) && withText.length > 1;
    $("differences").hidden = !comparable;
    const runs = this.#differences && comparable ? differences(candidates) : null;
    screen.showDifferences?.(runs);
    $("too-different").hidden = !this.#differences || !comparable || runs !== null;
  }

  // Scrolls the longer text by most of its visible height and the other in proportion, so that both end together.
  /** @param {number} by */
  scrollTexts(by) {
    if (!this.page.block) return false;
    const rooms = textParts().map((part) => part.scrollHeight - part.clientHeight);
    const pages = Math.max(1, ...textParts().map((part, index) => rooms[index] / (0.8 * part.clientHeight || 1)));
    textParts().forEach((part, index) => (part.scrollTop += (by * rooms[index]) / pages));
    return true;
  }

  // Screen readers have no key to reread the texts while the page handles the keys.
  readTexts() {
    if (!this.page.block) return false;
    const parts = /** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll("#texts > div:not([hidden]) :is(.label, .source, .reference)")
    );
    /** @type {(part: HTMLElement) => string} */
    const langOf = (part) => /** @type {HTMLElement} */ (part.closest("[lang]")).lang;
    const inOwn = Array.from(parts, (part) => ({ text: part.textContent, lang: langOf(part) }));
    announce("", ...inOwn);
    return true;
  }

  toggleDifferences() {
    const { acting: screen, block } = this.page;
    if (!screen || !block) return false;
    this.page.hints.learn("differences");
    this.#differences = !this.#differences;
    $("differences").setAttribute("aria-pressed", String(this.#differences));
    this.#showDifferences(block, screen);
    if ($("too-different").hidden) announce(say(this.#differences ? "differences_on" : "differences_off"));
    else announce($("too-different").textContent);
    return true;
  }

  // Shows the reason of a skipped block, and returns it to be announced.
  /** @param {Block} block */
  showSkip({ state, skip_reason: reason }) {
    const words = state === "skipped" ? say("skipped_here", { reason: reasonOf(reason) }) : "";
    $("skipped").textContent = words;
    $("skipped").hidden = !words;
    return words;
  }

  openComment() {
    if (!this.page.block) return false;
    this.page.hints.learn("comment");
    this.#showComment(true);
    $("comment").focus();
    return true;
  }

  // Closes an empty comment; returns whether the comment had the focus.
  closeComment() {
    if (document.activeElement !== $("comment")) return false;
    this.#showComment(Boolean($("comment").value));
    return true;
  }

  /** @param {boolean} isShown */
  #showComment(isShown) {
    $("comment-part").hidden = !isShown;
    $("comment-open").setAttribute("aria-expanded", String(isShown));
  }
}
