// What screens have in common where one element has the focus while nothing is chosen: words are heard with it, and
// digits act there.

// Shows the rows of the list of keys, and hints, whose attribute has one of the values, and hides those that have others.
/** @param {string} name @param {string[]} values */
export function showKeys(name, values) {
  const rows = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`:is(tr, li)[data-${name}]`));
  for (const row of rows) row.hidden = !values.includes(row.dataset[name] ?? "");
}

/** @template OneAnswer */
export class BarScreen {
  block = /** @type {Block<OneAnswer>} */ (/** @type {unknown} */ (null));

  // The element itself, or what is found in it.
  /** @param {Page} page @param {HTMLElement} root @param {string} [selector] */
  constructor(page, root, selector) {
    this.page = page;
    this.root = root;
    this.bar = selector ? /** @type {HTMLElement} */ (root.querySelector(selector)) : root;
    // Words to be heard with it are heard once.
    this.bar.addEventListener("focusout", ({ target }) => target === this.bar && this.nameBar());
  }

  get hit() {
    return this.page.queue.hits.get(this.block.hit);
  }

  // What is asked, in one line.
  get question() {
    return "";
  }

  // As it is called while there are no words to be heard with it.
  nameBar() {
    this.bar.setAttribute("aria-label", this.question);
  }

  /** @param {string[]} words */
  hear(words) {
    // Where the focus is already, nothing would be said.
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

  // They go from one answer to the next where the focus is on one, as the browser has it.
  /** @param {Pressed} _event @returns {Action | null} */
  arrow(_event) {
    return null;
  }
}
