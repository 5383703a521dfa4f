// A reminder to rest after so many minutes of active time; between blocks, never over one.

import * as store from "./store.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const KEPT = "quintet/break-after";
const AFTER_MINUTES = 30;
// Whoever was away for so long has had their break.
const A_BREAK_MS = 5 * 60_000;

/** @param {Page} page */
export function prepareBreaks(page) {
  const { clock } = page;
  const bar = $("break");
  const cover = $("pause-dialog");
  let since = 0;
  let awayAt = 0;
  let minutes = store.get(KEPT) ?? AFTER_MINUTES;

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
    store.put(KEPT, minutes);
    begin();
  });
}
