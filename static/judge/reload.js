// Reloading the page offline: a service worker caches the page, and this module stores the HITs in hand.

import * as store from "./store.js";

const PREFIX = "quintet/hits/";

// The HITs that are lent and not completed, with the answers so far.
export class KeptHits {
  /** @param {Setup} setup @param {Pick<JudgingApi, "whoIsSignedIn">} api */
  constructor({ owner, user, name, campaign }, api) {
    this.key = PREFIX + owner;
    this.user = user;
    this.api = api;
    // For pages after signing out; see accounts/kept_work.js.
    store.put(`quintet/judge/${owner}`, name);
    store.put(`quintet/judge-of/${campaign}`, name);
    // Other judges' sentences must not be visible to this judge.
    for (const key of store.keys(PREFIX)) if (store.get(key)?.user !== user) store.remove(key);
  }

  /** @returns {KeptHit[]} */
  get() {
    return store.get(this.key)?.hits ?? [];
  }

  /** @param {KeptHit[]} hits */
  put(hits) {
    // Another judge has signed in in another tab.
    if (this.api.whoIsSignedIn() !== this.user) return;
    try {
      localStorage.setItem(this.key, JSON.stringify({ user: this.user, hits }));
    } catch {
      // There may still be room for answers, which matter more than texts.
      store.remove(this.key);
    }
  }
}

// Caches the page after the first answer, or the first sentence that is only read: then there is work to lose, and the
// first visit has loaded.
/** @param {Page} page @param {Setup} setup */
export async function keepPage(page, { worker }) {
  const workers = navigator.serviceWorker;
  // Service workers need HTTPS and may be missing in private windows. A page that came through one is cached already.
  if (!workers || workers.controller) return;
  const keep = async () => {
    try {
      await workers.register(worker);
      (await workers.ready).active?.postMessage("keep");
    } catch {
      // The browser refuses; reloading needs the network.
    }
  };
  // This page bypassed the worker, whose cached page may be another judge's.
  if (await workers.getRegistration(worker).catch(() => undefined)) {
    keep();
    return;
  }
  const first = new AbortController();
  const begun = () => {
    first.abort();
    keep();
  };
  page.addEventListener("answered", begun, { signal: first.signal });
  page.addEventListener("done", begun, { signal: first.signal });
}
