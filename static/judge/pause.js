// While the judge is away the clock stands still and a cover says so; Enter, Space, Escape or a
// touch anywhere takes it off. What the clock leaves out is told.

import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
// A window that comes up and goes away again is not worth a word.
const WORTH_TELLING_S = 5;

/** @param {Page} page */
export function preparePause(page) {
  const cover = $("pause-dialog");
  const { clock } = page;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;

  function tell() {
    const seconds = page.block ? Math.floor(clock.uncounted / 1000) : 0;
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    const words = seconds < WORTH_TELLING_S ? "" : say("not_counted", { time });
    $("uncounted").textContent = $("pause-uncounted").textContent = words;
  }

  function follow() {
    clearInterval(timer);
    tell();
    if (!clock.counts) timer = setInterval(tell, 1000);
  }

  clock.addEventListener("attention", follow);
  clock.addEventListener("away", () => {
    follow();
    if (page.block && !cover.open) cover.showModal();
  });
  cover.addEventListener("click", () => cover.close());
  cover.addEventListener("close", () => {
    clock.back();
    // The block may be another one by now: the lease ran out meanwhile.
    const another = !document.activeElement?.isConnected || document.activeElement === document.body;
    if (page.block && another && !document.querySelector("dialog[open]")) page.toAnswer();
  });
}
