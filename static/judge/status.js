// Where the judge's work is, in words: on this device, sent, waiting for the network.

import { announce } from "./announce.js";
import { lasting } from "./store.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// What each reason for nothing going out is called.
/** @type {Record<string, string>} */
const STUCK = { offline: "waiting", server: "server", "too-fast": "too_fast" };

export class Status {
  #word = "";
  #waited = false;
  #turnedAway = false;
  #refusal = "";
  #told = "";
  #troubled = "";
  #revised = false;

  /** @param {Outbox} outbox @param {string} signIn */
  constructor(outbox, signIn) {
    this.outbox = outbox;
    $("notice-link").href = signIn;
    outbox.addEventListener("change", () => this.show());
    outbox.addEventListener("sent", () => {
      this.#refusal = "";
      // What comes along with the answer may have been shown before the refusal was forgotten.
      if (!outbox.waiting().length) this.#word = "sent";
    });
  }

  drafted() {
    this.#word = "saved";
    this.show();
  }

  // A change to what was sent is kept, but goes nowhere by itself.
  /** @param {boolean} revised */
  revising(revised) {
    this.#revised = revised;
    this.show();
  }

  show() {
    const n = this.outbox.waiting().length;
    // Whichever tab sent it.
    if (this.#waited && !n && !this.#refusal) this.#word = "sent";
    this.#waited = n > 0;
    const { state } = this.outbox;
    const stuck = state in STUCK && n > 0;
    if (stuck) $("status").textContent = say(STUCK[state], { n });
    else if (!lasting && (n || this.#revised || this.#word === "saved")) $("status").textContent = say("not_kept");
    else if (this.#revised) $("status").textContent = say("unsent");
    else if (n) $("status").textContent = say("saved");
    else $("status").textContent = this.#word && say(this.#word);
    $("status").classList.toggle("stuck", stuck);
    this.#tellTrouble(stuck);
    const out = this.#turnedAway || state === "signed-out";
    const rest = this.#refusal || this.#told;
    this.#notice(out ? `${say("signed_out")} ${n ? say("kept", { n }) : ""}` : rest, out);
  }

  // Each rank is "saved" and each block "sent": said aloud is only that something waits, and that it went.
  /** @param {boolean} stuck */
  #tellTrouble(stuck) {
    const over = this.#troubled && !this.outbox.waiting().length;
    if (!stuck && !over) return;
    const words = $("status").textContent;
    if (this.#troubled !== words) announce(words);
    this.#troubled = stuck ? words : "";
  }

  // Told by the queue, which may be turned away while the outbox has nothing to send.
  /** @param {boolean} yes */
  turnedAway(yes) {
    this.#turnedAway = yes;
    this.show();
  }

  // A word of the organisers, which stays until they take it back.
  /** @param {string} text */
  told(text) {
    this.#told = text;
    this.show();
  }

  /** @param {string} detail */
  refused(detail) {
    this.#refusal = say("refused", { detail });
    this.show();
  }

  /** @param {string} text @param {boolean} withLink */
  #notice(text, withLink) {
    // Set only when it changes, or a screen reader says it again each time.
    if ($("notice-text").textContent !== text) $("notice-text").textContent = text;
    $("notice").hidden = !text;
    $("notice-link").hidden = $("sign-in-here").hidden = !withLink;
  }
}
