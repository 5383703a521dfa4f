// The state of the judge's work in words: on this device, sent, or waiting for the network.

import { announce } from "./announce.js";
import { lasting } from "./store.js";
import * as store from "./store.js";
import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

// The words for each reason why nothing is sent.
/** @type {Record<string, string>} */
const STUCK = { offline: "waiting", server: "server", too_fast: "too_fast" };

const CLOSED = "quintet/closed-notice";
const SIGNED_OUT = "signed out";

export class Status {
  #word = "";
  #waited = false;
  #turnedAway = false;
  #refusal = "";
  #message = "";
  #troubled = "";
  #revised = false;
  // The notice shown, and the one that the judge closed.
  #notice = "";
  #closed = store.get(CLOSED) ?? "";

  /** @param {Outbox} outbox @param {string} signIn */
  constructor(outbox, signIn) {
    this.outbox = outbox;
    $("notice-link").href = signIn;
    $("notice-dismiss").addEventListener("click", () => this.#close());
    outbox.addEventListener("change", () => this.show());
    outbox.addEventListener("sent", () => {
      this.#refusal = "";
      // The status may have been shown before the refusal was cleared.
      if (!outbox.waiting().length) this.#word = "sent";
    });
  }

  drafted() {
    this.#word = "saved";
    this.show();
  }

  // A revision is stored but not sent until it is saved.
  /** @param {boolean} revised */
  revising(revised) {
    this.#revised = revised;
    this.show();
  }

  show() {
    const n = this.outbox.waiting().length;
    // In this or another tab.
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
    const out = this.#turnedAway || state === "signed_out";
    const rest = this.#refusal || this.#message;
    this.#showNotice(out ? `${say("signed_out")} ${n ? say("kept", { n }) : ""}` : rest, out);
  }

  // Announces only that something is waiting and that it was sent, not every save.
  /** @param {boolean} stuck */
  #tellTrouble(stuck) {
    const over = this.#troubled && !this.outbox.waiting().length;
    if (!stuck && !over) return;
    const words = $("status").textContent;
    if (this.#troubled !== words) announce(words);
    this.#troubled = stuck ? words : "";
  }

  // Called when the queue is signed out, even if the outbox has nothing to send.
  /** @param {boolean} yes */
  turnedAway(yes) {
    this.#turnedAway = yes;
    this.show();
  }

  // A message of the organisers, shown until they withdraw it.
  /** @param {string} text */
  notify(text) {
    this.#message = text;
    this.show();
  }

  /** @param {string} detail */
  refused(detail) {
    this.#refusal = say("refused", { detail });
    this.show();
  }

  /** @param {string} text @param {boolean} withLink */
  #showNotice(text, withLink) {
    // Being signed out is one notice, however many judgments wait.
    this.#notice = withLink ? SIGNED_OUT : text;
    // Set only on changes, so that screen readers announce it once.
    if ($("notice-text").textContent !== text) $("notice-text").textContent = text;
    $("notice").hidden = !text || this.#notice === this.#closed;
    $("notice-link").hidden = $("sign-in-here").hidden = !withLink;
    if (!withLink && this.#closed === SIGNED_OUT) this.#closed = "";
  }

  // A message of the organisers stays closed when the page is loaded again.
  #close() {
    this.#closed = this.#notice;
    if (this.#notice === this.#message) store.put(CLOSED, this.#closed);
    $("notice").hidden = true;
  }
}
