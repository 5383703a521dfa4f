// How far the judge is: the sentence within the HIT, and all of their work in the campaign.

import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// At the end of a HIT: how many, how long; never how well.
/** @param {Hit} hit */
export function summaryOf({ total: n, activeMs = 0 }) {
  const done = n === 3 ? say("three_done") : say("more_done", { n });
  const minutes = Math.round(activeMs / 60_000);
  return `${done} ${minutes ? say("took", { n: minutes }) : say("took_seconds")}`;
}

export class Progress {
  done = 0;
  /** @type {number | null} */
  wanted = null;
  /** @type {number | null} */
  minutesLeft = null;
  doneHere = 0;

  // What the server counted; it wins as long as nothing is still on its way there.
  /** @param {CountedProgress} counted @param {number} waiting */
  learn({ done, wanted, minutes_left: minutesLeft }, waiting) {
    this.done = waiting ? Math.max(this.done, done) : done;
    this.wanted = wanted;
    this.minutesLeft = minutesLeft;
    this.show();
  }

  add() {
    this.done += 1;
    this.doneHere += 1;
    this.show();
  }

  show() {
    const { done, wanted, minutesLeft: minutes } = this;
    const bar = $("bar");
    bar.hidden = wanted === null;
    if (wanted === null) {
      $("count").textContent = say("done", { n: done });
      return;
    }
    bar.max = wanted;
    bar.value = Math.min(done, wanted);
    $("count").textContent = say("done_of", { done, wanted });
    $("minutes").textContent = minutes && done < wanted ? say("minutes_left", { minutes }) : "";
  }

  /** @param {{ position: number, total: number, revised: boolean }} place */
  showSentence({ position, total, revised }) {
    $("sentence").textContent = say(revised ? "sentence_revised" : "sentence", { position, total });
  }
}
