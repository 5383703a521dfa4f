// An answer in the making, one entry for each block: it survives a reload, a crash, a flat battery.

import * as store from "./store.js";

const KEPT_MS = 14 * 24 * 60 * 60 * 1000;

export class Drafts {
  /** @param {string} owner */
  constructor(owner) {
    this.prefix = `quintet/draft/${owner}/`;
    this.forgetOld();
  }

  // {comment, durationMs, activeMs} and what its protocol keeps, which has candidates by id, not by place.
  /** @param {string} blockId @returns {Draft | null} */
  get(blockId) {
    return store.get(this.prefix + blockId);
  }

  /** @param {string} blockId @param {Draft} draft */
  put(blockId, draft) {
    store.put(this.prefix + blockId, { ...draft, at: Date.now() });
  }

  /** @param {string} blockId */
  remove(blockId) {
    store.remove(this.prefix + blockId);
  }

  forgetOld() {
    for (const key of store.keys(this.prefix)) {
      const at = store.get(key)?.at ?? 0;
      if (Date.now() - at > KEPT_MS) store.remove(key);
    }
  }
}
