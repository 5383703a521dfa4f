// Signing in again without leaving the page: the invitation's link is opened behind it, and its
// button pressed. What it opens must be this judge's page; somebody else's link signs them in, and nothing
// from here is sent as theirs.

import { say } from "../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {string} text */
function addressIn(text) {
  const token = text.trim().match(/(?:^|\/)i\/([\w-]+)\/?$/)?.[1];
  return token && `${$("sign-in-form").dataset.invitation}${token}/`;
}

/** @param {string} address @param {RequestInit} options */
async function pageAt(address, options = {}) {
  const response = await fetch(address, { credentials: "same-origin", cache: "no-store", ...options });
  if (response.status === 404) return null;
  // All places are taken: there is a page, too.
  if (!response.ok && response.status !== 410) throw new Error(String(response.status));
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

// Who came in: null where the link is refused, and nobody where it would make a new judge of whoever presses its
// button. Presses the button of a link of one's own; whoever is signed in as its judge already is led on.
/** @param {string} address @returns {Promise<string | null | undefined>} */
async function whoOpens(address) {
  let page = await pageAt(address);
  if (page?.getElementById("join")) return undefined;
  const form = page?.getElementById("open-link");
  if (form instanceof HTMLFormElement) {
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    page = await pageAt(address, { method: "POST", body: new URLSearchParams(fields) });
  }
  if (page === null) return null;
  return JSON.parse(page.getElementById("setup")?.textContent ?? "{}").user ?? "";
}

export class SignIn {
  #dialog = $("sign-in-dialog");
  #field = $("sign-in-link");

  /** @param {Page} page @param {string} name of the judge */
  constructor(page, name) {
    this.page = page;
    this.api = page.api;
    this.name = name;
    $("sign-in-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    $("sign-in-cancel").addEventListener("click", () => this.#dialog.close());
  }

  open() {
    this.#field.value = "";
    $("sign-in-problem").textContent = "";
    this.#dialog.showModal();
    this.#field.focus();
  }

  async #submit() {
    const problem = await this.#problemWith(addressIn(this.#field.value));
    $("sign-in-problem").textContent = problem ? say(problem, { name: this.name }) : "";
    if (problem) {
      this.#field.focus();
      return;
    }
    this.#dialog.close();
    this.page.outbox.signedIn();
    this.page.signedIn();
  }

  /** @param {string | undefined} address */
  async #problemWith(address) {
    if (!address) return "link_wanted";
    // The browser's session changes while the answer is on its way: meanwhile nothing is sent in any name.
    const before = this.api.whoIsSignedIn();
    this.api.signedIn(null);
    try {
      const user = await whoOpens(address);
      this.api.signedIn(user ?? before);
      if (user === null) return "link_refused";
      if (user === undefined) return "link_of_newcomers";
      return user === this.api.user ? null : "link_of_another";
    } catch {
      return "unreachable";
    }
  }
}
