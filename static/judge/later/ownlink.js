// Offers a personal link once, after the first HIT on this device, in case the browser loses its cookies. The offer
// disappears with the next answer; the menu and the settings keep it.

import * as store from "../store.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {Page} page @param {string} owner */
export function offerOwnLink(page, owner) {
  const offer = $("own-link-offer");
  const offered = `quintet/own-link/${owner}`;
  if (!offer || store.get(offered)) return;

  function close() {
    page.removeEventListener("done", offerOnceDone);
    offer?.remove();
  }

  // The first HIT may have been completed while this module was loading.
  offerOnceDone();
  page.addEventListener("done", offerOnceDone);

  function offerOnceDone() {
    if (!offer?.hidden) return close();
    if (![...page.queue.hits.values()].some((hit) => !hit.past && page.queue.isComplete(hit))) return;
    store.put(offered, true);
    offer.hidden = false;
  }

  $("own-link-take")?.addEventListener("click", close);
  $("own-link-dismiss")?.addEventListener("click", () => {
    close();
    if (page.block) page.toAnswer();
  });
}
