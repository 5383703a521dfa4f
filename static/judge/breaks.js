// A reminder to take a break after some minutes of active time, shown between blocks.

import * as store from "./store.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const STORAGE_KEY = "quintet/break-after";
const AFTER_MINUTES = 30;
// Being away for this long counts as a break.
const A_BREAK_MS = 5 * 60_000;

/** @param {Page} page */
export function prepareBreaks(page) {
  const { clock } = page;
  const bar = $("break");
  const cover = $("pause-dialog");
  let since = 0;
  let awayAt = 0;
  let minutes = store.get(STORAGE_KEY) ?? AFTER_MINUTES;

  function begin() {
    since = clock.worked;
    bar.hidden = true;
  }

  page.addEventListener("shown", () => {
    if (!minutes || !bar.hidden || clock.worked - since < minutes * 60_000) return;
    $("break-text").textContent = say("break", { n: Math.round((clock.worked - since) / 60_000) });
    bar.hidden = false;
  });
  clock.addEventListener("away", () => {
    awayAt = performance.now();
  });
  cover.addEventListener("close", () => {
    if (performance.now() - awayAt >= A_BREAK_MS) begin();
  });
  $("break-take").addEventListener("click", () => {
    begin();
    clock.leave();
  });
  $("break-dismiss").addEventListener("click", () => {
    begin();
    if (page.block) page.toAnswer();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !bar.hidden && !document.querySelector("dialog[open]")) begin();
  });

  const choice = $("break-after");
  choice.value = String(minutes);
  choice.addEventListener("change", () => {
    minutes = Number(choice.value);
    store.put(STORAGE_KEY, minutes);
    begin();
  });
}

// While the judge is away, the clock stops and a dialog says so; Enter, Space, Escape or a click anywhere closes it.
// The uncounted time is shown.

// Shorter interruptions are not shown.
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
    // If the lease expired meanwhile, the page shows another block.
    const another = !document.activeElement?.isConnected || document.activeElement === document.body;
    if (page.block && another && !document.querySelector("dialog[open]")) page.toAnswer();
  });
}
