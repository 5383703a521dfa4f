// Assembles the judging page; the organisers' preview does so with other parts.

import { Api } from "./api.js";
import { prepareBreaks, preparePause } from "./breaks.js";
import { prepareAltered, prepareKeys, prepareReport, prepareRevision, prepareSettings, prepareSkip } from "./dialogs.js";
import { listen, lettersOn, switchLetters } from "./keys.js";
import { Drafts } from "./store.js";
import { later, loadAll } from "./later.js";
import { Outbox } from "./outbox.js";
import { Page } from "./page.js";
import { Queue } from "./queue.js";
import { KeptHits, keepPage } from "./reload.js";
import { Screens } from "./screens.js";
import { Status } from "./status.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
/** @type {Setup} */
const setup = JSON.parse($("setup").textContent);

/** @param {{ api: Api, hits?: KeptHits }} parts */
export function openPage({ api, hits }) {
  $("rest-slow").remove();
  const { owner } = setup;
  const outbox = new Outbox(api, owner);
  const drafts = new Drafts(owner);
  const queue = new Queue(api, outbox, drafts, new Screens(setup.screens), hits);
  const status = new Status(outbox, setup.sign_in);
  queue.addEventListener("notice", ({ detail }) => status.notify(detail));
  const page = new Page({ api, outbox, drafts, queue, status, owner });
  const { view } = page;
  prepareSettings();
  prepareAltered(page);
  preparePause(page);
  prepareBreaks(page);
  const escape = prepareRevision(page);
  const openReport = prepareReport(page, outbox);
  const openSkip = prepareSkip(page);
  const feedback = later(page, async () => new (await import("./later/feedback.js")).Feedback(queue));
  outbox.addEventListener("sent", async ({ detail }) => {
    if (detail.answer?.feedback) (await feedback())?.answered(detail);
  });
  const history = later(page, async () => new (await import("./later/history.js")).History(page));
  const openHistory = async () => (await history())?.open();
  const signIn = later(page, async () => new (await import("./later/signin.js")).SignIn(page, setup.name));
  const documents = later(page, async () => new (await import("./later/document.js")).DocumentView(page));
  const toggleDocument = () => {
    if (!page.block || $("context").hidden) return false;
    page.hints.learn("context");
    documents().then((documentView) => documentView?.toggle());
    return true;
  };
  const showKeys = prepareKeys(page);

  listen({
    screen: () => page.acting,
    // Escape first closes the break reminder.
    escape: () => $("break").hidden && escape(),
    scroll: (by) => view.scrollTexts(by),
    play: () => page.media.toggle(),
    listen: (number) => page.media.switchTo(number),
    submit: (event) => page.send(event),
    isAgain: (event) => page.isAgain(event),
    tellIgnored: (event) => page.tellAgain(event),
    letters: {
      s: openSkip,
      u: () => page.back(),
      n: () => page.turnBy(1),
      b: () => page.turnBy(-1),
      c: toggleDocument,
      d: () => !$("differences").hidden && view.toggleDifferences(),
      m: () => view.openComment(),
      o: () => view.readTexts(),
      r: openReport,
      h: () => void openHistory(),
      "?": showKeys,
    },
  });

  $("submit").addEventListener("click", (event) => page.send(event));
  $("skip").addEventListener("click", openSkip);
  $("back").addEventListener("click", () => page.back());
  $("rest-back").addEventListener("click", () => page.back());
  $("look-again").addEventListener("click", () => page.lookAgain());
  $("context").addEventListener("click", toggleDocument);
  $("differences").addEventListener("click", () => view.toggleDifferences());
  $("comment-open").addEventListener("click", () => view.openComment());
  $("report").addEventListener("click", openReport);
  for (const id of /** @type {const} */ (["history", "rest-history"])) $(id).addEventListener("click", openHistory);
  $("sign-in-here").addEventListener("click", async () => (await signIn())?.open());
  $("more-menu").addEventListener("toggle", () => page.countWork());
  $("comment").addEventListener("input", () => page.commented());
  $("show-keys").addEventListener("click", showKeys);
  $("letters").checked = lettersOn();
  $("letters").addEventListener("change", () => switchLetters($("letters").checked));

  // After a dialog that was opened from the menu, the browser can only restore the focus to the menu's button.
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => {
      const focused = document.activeElement;
      const lost = !focused || focused === document.body || focused === $("more") || !focused.checkVisibility();
      if (!lost || document.querySelector("dialog[open]")) return;
      if (page.block) page.toAnswer();
      else $("rest").focus();
    });
  }

  // Keeps scroll targets clear of the bar below and, on phones, of the texts above.
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const { id, offsetHeight } = /** @type {HTMLElement} */ (target);
      document.documentElement.style.setProperty(`--${id}-size`, `${offsetHeight}px`);
    }
  });
  sizes.observe($("foot"));
  sizes.observe($("panel"));

  page.addEventListener("answered", loadAll, { once: true });
  outbox.flush();
  page.start();
  return page;
}

if (setup.api) {
  const api = new Api(setup);
  const hits = new KeptHits(setup, api);
  const hadMore = hits.get().length > 1;
  const page = openPage({ api, hits });
  keepPage(page, setup);
  // The server's clock decides; a second later it agrees.
  if (typeof setup.seconds_left === "number") setTimeout(() => page.timeIsOver(), (setup.seconds_left + 1) * 1000);
  page.addEventListener("answered", offer, { once: true });
  // Until the first answer, a judge gets a single HIT.
  page.addEventListener(hadMore ? "shown" : "answered", () => page.queue.stock(), { once: true });

  // There is nothing to offer before the first HIT is complete.
  async function offer() {
    const part = await import("./later/ownlink.js").catch(() => null);
    part?.offerOwnLink(page, setup.owner);
  }
}
