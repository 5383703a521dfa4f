// Loading the page anew without network: a service worker keeps the page, and here the HITs in hand are kept.

import * as store from "./store.js";

const PREFIX = "quintet/hits/";

// What was lent and is not done, with what has been said of it meanwhile.
export class KeptHits {
  /** @param {Setup} setup @param {Pick<JudgingApi, "whoIsSignedIn">} api */
  constructor({ owner, user, name, campaign }, api) {
    this.key = PREFIX + owner;
    this.user = user;
    this.api = api;
    // For pages that know nobody any more: see accounts/kept_work.js.
    store.put(`quintet/judge/${owner}`, name);
    store.put(`quintet/judge-of/${campaign}`, name);
    // What somebody else was judging in this browser is not for this judge's eyes.
    for (const key of store.keys(PREFIX)) if (store.get(key)?.user !== user) store.remove(key);
  }

  /** @returns {KeptHit[]} */
  get() {
    return store.get(this.key)?.hits ?? [];
  }

  /** @param {KeptHit[]} hits */
  put(hits) {
    // Another judge took over in another tab, and this page is still open.
    if (this.api.whoIsSignedIn() !== this.user) return;
    try {
      localStorage.setItem(this.key, JSON.stringify({ user: this.user, hits }));
    } catch {
      // No room for texts, but perhaps for rankings, which matter more.
      store.remove(this.key);
    }
  }
}

// The page itself is kept from the first answer on, or the first sentence that is only read: then there is something to lose, and the first visit is over.
/** @param {Page} page @param {Setup} setup */
export async function keepPage(page, { worker }) {
  const workers = navigator.serviceWorker;
  // Without HTTPS, and in some private windows, there are none. Whose page came through one is kept already.
  if (!workers || workers.controller) return;
  const keep = async () => {
    try {
      await workers.register(worker);
      (await workers.ready).active?.postMessage("keep");
    } catch {
      // The browser wants none: loading anew needs the network.
    }
  };
  // Loaded past the worker: what that has may be another judge's page.
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
