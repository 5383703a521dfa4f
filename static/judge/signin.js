// Signing in again without leaving the page: the invitation's link is opened behind it, and its
// button pressed. What it opens must be this judge's page; somebody else's link signs them in, and nothing
// from here is sent as theirs.

import { say } from "./words.js";

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

/** @param {{ api: JudgingApi, outbox: Outbox, name: string, onSignedIn: () => void }} parts `name` is the judge's */
export function prepareSignIn({ api, outbox, name, onSignedIn }) {
  const dialog = $("sign-in-dialog");
  const field = $("sign-in-link");

  /** @param {string | undefined} address */
  async function problemWith(address) {
    if (!address) return "link_wanted";
    // The browser's session changes while the answer is on its way: meanwhile nothing is sent in any name.
    const before = api.whoIsSignedIn();
    api.signedIn(null);
    try {
      const user = await whoOpens(address);
      api.signedIn(user ?? before);
      if (user === null) return "link_refused";
      if (user === undefined) return "link_of_newcomers";
      return user === api.user ? null : "link_of_another";
    } catch {
      return "link_unreachable";
    }
  }

  $("sign-in-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = await problemWith(addressIn(field.value));
    $("sign-in-problem").textContent = problem ? say(problem, { name }) : "";
    if (problem) {
      field.focus();
      return;
    }
    dialog.close();
    outbox.signedIn();
    onSignedIn();
  });
  $("sign-in-cancel").addEventListener("click", () => dialog.close());
  $("sign-in-here").addEventListener("click", () => {
    field.value = "";
    $("sign-in-problem").textContent = "";
    dialog.showModal();
    field.focus();
  });
}
