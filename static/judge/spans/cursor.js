// Where the word cursor is among the stops of a text, and how far the selection goes from there. Knows nothing of the
// screen.

import { stopAt } from "./places.js";

export class Cursor {
  at = 0;
  // Where the selection began.
  /** @type {number | null} */
  from = null;

  /** @param {Stretch[]} stops */
  constructor(stops) {
    this.stops = stops;
  }

  // To another stop; whether it is another.
  /** @param {number} index @param {boolean} [extending] */
  go(index, extending = false) {
    const { at, from } = this;
    if (extending) this.from ??= at;
    else this.from = null;
    this.at = Math.max(0, Math.min(index, this.stops.length - 1));
    return this.at !== at || this.from !== from;
  }

  /** @param {number} place */
  goTo(place) {
    return this.go(stopAt(this.stops, place));
  }

  // With other stops, as near as can be to where it was.
  /** @param {Stretch[]} stops */
  exchange(stops) {
    const place = this.stops[this.at]?.start ?? 0;
    this.stops = stops;
    this.goTo(place);
  }

  get isSelecting() {
    return this.from !== null && this.from !== this.at;
  }

  // What is selected, or the stop alone; null in a text without a stop.
  /** @returns {Stretch | null} */
  get stretch() {
    const one = this.stops[this.at];
    const other = this.stops[this.from ?? this.at];
    if (!one || !other) return null;
    return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) };
  }
}
