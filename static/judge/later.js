// Modules that the first sentence does not need: loaded on demand, or with the first answer so that they are available
// offline.

import { say } from "./words.js";

// Creates a part of the page on first use. Returns null, and tells the judge, if it cannot be loaded: offline, or because
// the server has a new version with other modules. Some browsers do not request a failed module again before a reload.
/** @template T @param {Page} page @param {() => Promise<T>} make @returns {() => Promise<T | null>} */
export function later(page, make) {
  /** @type {Promise<T> | null} */
  let part = null;
  return async () => {
    part ??= make();
    try {
      return await part;
    } catch {
      part = null;
      page.note(say(navigator.onLine ? "part_not_loaded" : "part_missing"));
      return null;
    }
  };
}

export function loadAll() {
  const parts = /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll('link[rel="later"]'));
  for (const { href } of parts) import(href).catch(() => undefined);
}
