// After the first HIT on this device: a link of one's own, before the browser forgets who this is.

import * as store from "../store.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {Page} page @param {string} owner */
export function offerOwnLink(page, owner) {
  const offer = $("own-link-offer");
  const answered = `quintet/own-link/${owner}`;
  if (!offer || store.get(answered)) return;

  function close() {
    store.put(answered, true);
    offer?.remove();
  }

  // The first HIT may have been done while this was on its way.
  offerOnceDone();
  page.addEventListener("done", offerOnceDone);

  function offerOnceDone() {
    const isDone = [...page.queue.hits.values()].some((hit) => !hit.past && page.queue.isComplete(hit));
    if (isDone && offer) offer.hidden = false;
  }

  $("own-link-take")?.addEventListener("click", close);
  $("own-link-dismiss")?.addEventListener("click", () => {
    close();
    if (page.block) page.toAnswer();
  });
}
