// The page of a HIT whose blocks are shown together: the current block in its place as usual, and the others before and after
// it as cards with their texts and answers. A card is opened by a click, by Enter, or by a key that answers.

import { build, heardOf, paragraph, writeText } from "./block.js";
import { reasonOf, say, sayPhrase } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const SIDES = /** @type {const} */ (["segments-before", "segments-after"]);
/** @type {Record<string, number>} */
const STEPS = { ArrowUp: -1, ArrowDown: 1 };

/** @param {Neighbour | undefined} neighbour */
const sourceOf = (neighbour) => (neighbour?.source ? [paragraph(neighbour.source, "neighbour segment-beyond")] : []);

// A text of a card. Pictures and recordings are in the current block, where the page knows what was played.
/** @param {TextOf} text @param {string} className */
const inWords = (text, className) => paragraph({ ...text, text: text.media ? heardOf(text) : text.text, media: undefined }, className);

// The parts of a text, those with an error in an element of its severity. Errors are in code points.
/** @param {string} text @param {Span[]} errors */
function* partsOf(text, errors) {
  const points = Array.from(text);
  let from = 0;
  for (const { start, end, severity } of errors.toSorted((one, other) => Number(one.start) - Number(other.start))) {
    yield points.slice(from, Number(start)).join("");
    from = Number(end);
    yield build("span", { className: `error ${severity}`, title: say(severity) }, points.slice(Number(start), from).join(""));
  }
  yield points.slice(from).join("");
}

export class SegmentPage {
  // In reading order; none if blocks are shown alone.
  /** @type {Block[]} */
  #blocks = [];
  /** @type {Map<string, HTMLElement>} */
  #cards = new Map();

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    for (const side of SIDES) {
      $(side).addEventListener("click", (event) => this.#clicked(event));
      $(side).addEventListener("keydown", (event) => this.#pressed(event));
    }
  }

  get isShown() {
    return this.#blocks.length > 0;
  }

  get blocks() {
    return this.#blocks;
  }

  // The next open block after the current one, or before it.
  get nextOpen() {
    const index = this.#index;
    const others = [...this.#blocks.slice(index + 1), ...this.#blocks.slice(0, index)];
    return others.find(({ state }) => state === "open");
  }

  // The block after the current one, or before it if `by` is -1.
  /** @param {number} by */
  neighbour(by) {
    return this.#blocks[this.#index + by];
  }

  get #index() {
    return this.#blocks.findIndex((block) => block === this.page.block);
  }

  // --- What is shown -------------------------------------------------------------------------------

  // Prepares the page for a block. Returns whether its HIT was already on it.
  /** @param {Block} block */
  enter(block) {
    const { queue } = this.page;
    const wasShown = this.#blocks.includes(block);
    const { rules, past } = queue.hits.get(block.hit);
    const together = queue.blocks.filter(({ hit }) => hit === block.hit);
    const isPage = rules.page === "document" && !past && together.length > 1;
    this.#blocks = isPage ? together : [];
    if (!wasShown) this.#cards = new Map(this.#blocks.map((member) => [member.id, this.#makeCard(member)]));
    return wasShown;
  }

  leave() {
    this.#blocks = [];
    this.show();
  }

  show() {
    const { isShown } = this;
    const segment = $("segment");
    const title = $("segment-title");
    $("main").classList.toggle("of-segments", isShown);
    title.hidden = !isShown;
    segment.removeAttribute("role");
    for (const side of SIDES) $(side).hidden = !isShown;
    if (!isShown) return;
    segment.setAttribute("role", "group");
    const index = this.#index;
    title.textContent = this.#titleOf(index);
    /** @param {Block[]} blocks */
    const cards = (blocks) => blocks.map(({ id }) => /** @type {HTMLElement} */ (this.#cards.get(id)));
    const before = sourceOf(this.#blocks[0].context?.before.at(-1));
    const after = sourceOf(this.#blocks.at(-1)?.context?.after[0]);
    $("segments-before").replaceChildren(...before, ...cards(this.#blocks.slice(0, index)));
    $("segments-after").replaceChildren(...cards(this.#blocks.slice(index + 1)), ...after);
    this.showAnswers();
  }

  // The answer of each card, as it stands.
  showAnswers() {
    for (const block of this.#blocks) {
      const card = /** @type {HTMLElement} */ (this.#cards.get(block.id));
      const state = card.querySelector(".segment-state");
      state.textContent = this.#answerOf(block);
      card.dataset.state = block.state;
      this.#showErrors(block, card);
    }
  }

  /** @param {Block} block @param {HTMLElement} card */
  #showErrors(block, card) {
    const { errorsIn } = this.page.queue.answersOf(block);
    if (!errorsIn) return;
    const outputs = /** @type {NodeListOf<HTMLElement>} */ (card.querySelectorAll(".segment-output"));
    outputs.forEach((output, index) => {
      const candidate = block.candidates[index];
      writeText(output, { ...candidate, media: undefined }, [...partsOf(candidate.text, errorsIn(block.answer, index))]);
    });
  }

  // Scrolls the current block into view. The first one stays below what is above the page, such as a notice.
  scroll() {
    const top = $("segment-title").getBoundingClientRect().top;
    const bottom = $("outputs").getBoundingClientRect().bottom;
    const header = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const isCut = this.#index > 0 && bottom > innerHeight - $("foot").offsetHeight;
    if (top < header || isCut) $("segment-title").scrollIntoView({ block: "start" });
  }

  /** @param {number} index */
  #titleOf(index) {
    return say("sentence", { position: index + 1, total: this.#blocks.length });
  }

  /** @param {Block} block */
  #makeCard(block) {
    const card = $("segment-template").content.firstElementChild.cloneNode(true);
    card.id = `segment-${block.id}`;
    const open = card.querySelector(".segment-open");
    const position = this.#blocks.indexOf(block);
    open.textContent = this.#titleOf(position);
    card.setAttribute("aria-label", open.textContent);
    const source = block.source ? [inWords(block.source, "source")] : [];
    const references = block.references.map((reference) => inWords(reference, "reference"));
    card.querySelector(".segment-beside").append(...source, ...references);
    card.querySelector(".segment-outputs").append(...block.candidates.map((candidate) => inWords(candidate, "segment-output")));
    return card;
  }

  /** @param {Block} block */
  #answerOf(block) {
    const { queue } = this.page;
    const answers = queue.answersOf(block);
    if (block.state === "skipped") return say("skipped", { reason: reasonOf(block.skip_reason) });
    if (queue.isRevised(block)) return say("unsent");
    if (block.state === "judged") return `✓ ${sayPhrase(answers.summary(block.answer, queue.hits.get(block.hit).rules))}`;
    return answers.begun(block.answer) ? say("answer_begun") : "";
  }

  // --- Opening a card ------------------------------------------------------------------------------

  /** @param {HTMLElement} target */
  #blockOf(target) {
    const card = target.closest(".segment-card");
    return this.#blocks.find(({ id }) => card !== null && this.#cards.get(id) === card);
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const block = this.#blockOf(target);
    // The end of a selection is no click.
    const isSelecting = !target.closest("button") && !getSelection()?.isCollapsed;
    if (block && !isSelecting) this.page.leave(block);
  }

  // Arrows move between the titles of cards; a digit answers the block of the card.
  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const block = this.#blockOf(/** @type {HTMLElement} */ (event.target));
    if (!block || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^\d$/.test(event.key)) this.page.leave(block);
    const by = STEPS[event.key];
    const next = by && this.#blocks[this.#blocks.indexOf(block) + by];
    if (!next) return;
    event.preventDefault();
    if (next === this.page.block) this.page.toAnswer();
    else this.#cards.get(next.id)?.querySelector("button").focus();
  }
}
