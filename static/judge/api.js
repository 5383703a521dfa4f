// The judging API. An answer is {status, data, at, asked, reason}: `at` by the server's clock, `asked` by performance.now()
// when the request was made, `reason` why there is no more work. Throws Unreachable if there is no answer.

import * as store from "./store.js";

const TIMEOUT_MS = 20_000;
// The storage key of the user who is signed in.
export const SIGNED_IN = "quintet/signed-in";

export class Unreachable extends Error {}

// Read for each request, because signing in again in another tab changes it.
/** @param {string} name */
function cookie(name) {
  const pair = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) ?? "";
}

/** @param {number} status */
export const isSignedOut = (status) => status === 401 || status === 403;

const BAD_GATEWAY = 502;

// The server refuses in JSON. Another refusal is that of a firewall on the way, and signing in again would not help.
/** @param {Response} response @param {unknown} data */
function statusOf({ status }, data) {
  return isSignedOut(status) && data === null ? BAD_GATEWAY : status;
}

export class Api {
  /** @param {Setup} setup */
  constructor({ api, campaign, user, csrf_cookie: csrfCookie, has_documents: hasDocuments = false }) {
    store.put(SIGNED_IN, user);
    this.user = user;
    this.base = api;
    this.csrfCookie = csrfCookie;
    this.campaign = campaign;
    this.hasDocuments = hasDocuments;
  }

  // The user signed in to this browser, as far as its pages know.
  /** @returns {string | null} */
  whoIsSignedIn() {
    return store.get(SIGNED_IN);
  }

  /** @param {string | null} user as on their page, null if unknown */
  signedIn(user) {
    store.put(SIGNED_IN, user);
  }

  /** @param {InHand} [inHand] */
  assignment(inHand) {
    return this.#call("POST", "assignments/", { campaign: this.campaign, ...inHand });
  }

  // `kind` is "judgments", "skips" or "problem-reports". Sending the same id again is safe.
  /** @param {Kind} kind @param {string} id @param {Submission} body */
  submit(kind, id, body) {
    return this.#call("PUT", `${kind}/${id}/`, body);
  }

  // Null if the campaign has no documents.
  /** @param {string} block */
  async wholeDocument(block) {
    return this.hasDocuments ? this.#call("GET", `documents/${block}/`, undefined, "default") : null;
  }

  // Sentences and active time, today and in total.
  workTime() {
    return this.#call("GET", `work-time/?${new URLSearchParams({ campaign: this.campaign })}`);
  }

  // A page of this judge's judgments; `cursor` comes from the previous page.
  /** @param {string | null} cursor */
  history(cursor) {
    const query = new URLSearchParams({ campaign: this.campaign, ...(cursor && { cursor }) });
    return this.#call("GET", `judgments/?${query}`);
  }

  /** @param {string} method @param {string} path @param {object} [body] @param {RequestCache} [cache] @returns {Promise<Answer>} */
  async #call(method, path, body, cache = "no-store") {
    const requestedAt = performance.now();
    // Another judge opened their link in this browser: nothing may be sent in their name.
    if (store.get(SIGNED_IN) !== this.user) return { status: 401, data: null, at: Date.now(), asked: requestedAt };
    let response;
    let data = null;
    try {
      response = await fetch(this.base + path, {
        method,
        body: body && JSON.stringify(body),
        headers: {
          Accept: "application/json",
          ...(body && { "Content-Type": "application/json", "X-CSRFToken": cookie(this.csrfCookie) }),
        },
        credentials: "same-origin",
        cache,
        // The request is sent even if the laptop is closed right after Enter.
        keepalive: method === "PUT",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.headers.get("Content-Type")?.includes("json")) data = await response.json();
      // A truncated answer or the sign-in page of a network, not an answer of the server.
      else if (response.ok && response.status !== 204) throw new Unreachable();
    } catch {
      throw new Unreachable();
    }
    const serverTime = Date.parse(response.headers.get("Date") ?? "") || Date.now();
    const reason = response.headers.get("No-Work-Reason");
    return { status: statusOf(response, data), data, at: serverTime, asked: requestedAt, reason };
  }
}

// The cursor of the next page of the history, or null after the last.
/** @param {{ next: string | null }} page */
export const cursorAfter = ({ next }) => next && new URL(next).searchParams.get("cursor");

/** @param {number} status */
export const isTrouble = (status) => status >= 500 || status === 429 || status === 408;
