// The whole document around a sentence, beside the outputs or, on small screens, over the page. The sentence is marked,
// and so are all occurrences of the word under the mouse pointer.

import { announce } from "../announce.js";
import { paragraph } from "../block.js";
import { say } from "../words.js";
import { SameWords } from "./same_words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
// As in judge-layouts.css: the minimum width for the document beside the outputs.
const WIDE = matchMedia("(min-width: 1000px)");

// The context sent with the block, if the whole document is not available.
// Without what the text shows beside the outputs, which can be in one place only.
/** @param {TextOf | null} text */
const withoutMedia = (text) => text && { ...text, media: undefined };

/** @param {Block} block @returns {WholeDocument} */
function nearby({ id, source, references, candidates, context }) {
  const { before = [], after = [] } = context ?? {};
  const isAlone = !source && !references.length;
  const own = {
    source: withoutMedia(source),
    reference: withoutMedia(references[0] ?? null),
    output: isAlone ? withoutMedia(candidates[0]) : null,
  };
  return { segments: [...before, own, ...after], blocks: { [id]: before.length }, first: 1, total: 0 };
}

export class DocumentView {
  #root = $("document");
  #dialog = $("document-dialog");
  #isOpen = false;
  #words = new SameWords();
  // By block. One document is stored for all its blocks in the HIT.
  /** @type {Map<string, WholeDocument>} */
  #documents = new Map();

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    page.addEventListener("shown", () => {
      if (!this.#isOpen) return;
      // Not for blocks that are judged without context.
      if ($("context").hidden || page.segments.isShown) this.#close();
      else this.#show();
    });
    WIDE.addEventListener("change", () => this.#isOpen && this.#place());
    this.#dialog.addEventListener("close", () => {
      if (!this.#isBeside) this.#close();
      if (history.state?.isDocument) history.back();
    });
    addEventListener("popstate", () => this.#dialog.close());
  }

  // On a page of several sentences, source and outputs are beside each other already.
  get #isBeside() {
    return WIDE.matches && !this.page.segments.isShown;
  }

  toggle() {
    if (this.#isOpen) return this.#close();
    this.#isOpen = true;
    this.#place();
    this.#tell();
    return this.#show();
  }

  #close() {
    this.#isOpen = false;
    this.#root.hidden = true;
    this.#words.stop();
    if (this.#dialog.open) this.#dialog.close();
    this.#tell();
  }

  #tell() {
    $("context").setAttribute("aria-expanded", String(this.#isOpen));
    $("panel").classList.toggle("with-document", this.#isOpen && this.#isBeside);
  }

  #place() {
    this.#root.hidden = false;
    if (this.#isBeside) {
      $("texts").after(this.#root);
      this.#words.start();
      if (this.#dialog.open) this.#dialog.close();
    } else {
      this.#words.stop();
      this.#dialog.querySelector("h2")?.after(this.#root);
      // The phone's back button closes it, too.
      history.pushState({ isDocument: true }, "");
      this.#dialog.showModal();
      this.#root.focus();
    }
    this.#tell();
    this.#showOwn();
  }

  // --- What is shown -----------------------------------------------------------------------------------

  async #show() {
    const block = /** @type {Block} */ (this.page.block);
    const stored = this.#documents.get(block.id);
    this.#write(block, stored ?? nearby(block));
    $("document-note").hidden ||= !stored;
    if (stored) return;
    const answer = await this.page.api.wholeDocument(block.id).catch(() => null);
    const whole = answer?.status === 200 ? answer.data : null;
    if (whole) for (const id of Object.keys(whole.blocks)) this.#documents.set(id, whole);
    if (this.#isOpen && block === this.page.block) this.#write(block, whole ?? nearby(block));
  }

  /** @param {Block} block @param {WholeDocument} shown */
  #write(block, { segments, blocks, first, total }) {
    const own = blocks[block.id];
    const last = first + segments.length - 1;
    const isWhole = segments.length === total;
    $("document-note").textContent = total ? say("document_part", { first, last, total }) : say("document_nearby");
    $("document-note").hidden = isWhole;
    $("document-list").replaceChildren(
      ...segments.map(({ source, reference, output }, index) => {
        const item = document.createElement("li");
        if (index === own) item.setAttribute("aria-current", "true");
        if (source) item.append(paragraph(source, "document-source"));
        if (reference) item.append(paragraph(reference, "document-reference"));
        if (output) item.append(paragraph(output, "document-output"));
        return item;
      }),
    );
    this.#showOwn();
    if (total) announce(say("document_at", { number: first + own, total }));
  }

  // Scrolls the sentence to the middle.
  #showOwn() {
    const own = /** @type {HTMLElement | null} */ (this.#root.querySelector("[aria-current]"));
    if (own) this.#root.scrollTop = own.offsetTop - Math.max(0, this.#root.clientHeight - own.offsetHeight) / 2;
  }
}
