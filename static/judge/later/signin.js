// Signs in again without leaving the page: requests the invitation's link and submits its form. The link must be this
// judge's; another judge's link signs that judge in, and nothing from here is sent in their name.

import { say } from "../words.js";
import { tokenIn } from "./pasted_link.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {string} text */
function addressIn(text) {
  const token = tokenIn(text);
  return token && `${$("sign-in-form").dataset.invitation}${token}/`;
}

/** @param {string} address @param {RequestInit} options */
async function pageAt(address, options = {}) {
  const response = await fetch(address, { credentials: "same-origin", cache: "no-store", ...options });
  if (response.status === 404) return null;
  // The page that says that all places are taken.
  if (!response.ok && response.status !== 410) throw new Error(String(response.status));
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

// Returns who is signed in by a link: null if it is refused, and no user if it would create a new judge. Submits the
// form of a personal link; a judge who is already signed in is redirected.
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
    // The session changes during the request, so nothing is sent meanwhile.
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
