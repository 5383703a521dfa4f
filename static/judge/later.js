// What the first sentence does not need: loaded when it is asked for, or with the first answer, so that
// it is there when the network is not.

import { say } from "./words.js";

// Makes a part of the page when it is first asked for. Null where it cannot be had, which the judge is told.
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
      page.note(say("part_missing"));
      return null;
    }
  };
}

export function loadAll() {
  const parts = /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll('link[rel="later"]'));
  for (const { href } of parts) import(href).catch(() => undefined);
}
