// A base for screens on which one element has the focus while nothing is chosen: it is announced with the question, and
// digits work there.

// Shows the rows of the key list and the touch hints whose attribute has one of these values; hides the others.
/** @param {string} name @param {string[]} values */
export function showKeys(name, values) {
  const rows = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`:is(tr, li)[data-${name}]`));
  for (const row of rows) row.hidden = !values.includes(row.dataset[name] ?? "");
}

/** @template OneAnswer */
export class BarScreen {
  block = /** @type {Block<OneAnswer>} */ (/** @type {unknown} */ (null));

  // The bar is the root itself, or found in it by the selector.
  /** @param {Page} page @param {HTMLElement} root @param {string} [selector] */
  constructor(page, root, selector) {
    this.page = page;
    this.root = root;
    this.bar = selector ? /** @type {HTMLElement} */ (root.querySelector(selector)) : root;
    // The words of `hear` are heard once.
    this.bar.addEventListener("focusout", ({ target }) => target === this.bar && this.nameBar());
  }

  get hit() {
    return this.page.queue.hits.get(this.block.hit);
  }

  // The question, in one line.
  get question() {
    return "";
  }

  // Its default name.
  nameBar() {
    this.bar.setAttribute("aria-label", this.question);
  }

  /** @param {string[]} words */
  hear(words) {
    // Screen readers say nothing if the focus does not move.
    if (document.activeElement === this.bar) this.bar.blur();
    this.bar.setAttribute("aria-label", words.join(" "));
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    this.bar.focus(options);
  }

  resume() {
    this.focus();
  }

  /** @param {boolean} wanting */
  want(wanting) {
    this.root.classList.toggle("wanting", wanting);
  }

  refuse() {
    this.want(true);
    this.resume();
  }

  // The browser's default: arrows move between focused answers.
  /** @param {Pressed} _event @returns {Action | null} */
  arrow(_event) {
    return null;
  }

  // Letters of the page.
  /** @param {string} _letter @param {Pressed} _event @returns {Action | null} */
  letter(_letter, _event) {
    return null;
  }
}
