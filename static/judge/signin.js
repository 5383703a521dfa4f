// Signing in again without leaving the page: the invitation's link is opened behind it. What it opens
// must be this judge's page; somebody else's link signs them in, and nothing from here is sent as theirs.

import { say } from "./words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {string} text */
function addressIn(text) {
  const token = text.trim().match(/(?:^|\/)i\/([\w-]+)\/?$/)?.[1];
  return token && `${$("sign-in-form").dataset.invitation}${token}/`;
}

/** @param {string} address */
async function whoOpens(address) {
  const response = await fetch(address, { credentials: "same-origin", cache: "no-store" });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return JSON.parse(page.getElementById("setup")?.textContent ?? "{}").user ?? "";
}

/** @param {JudgingApi} api @param {Outbox} outbox @param {() => void} onSignedIn */
export function prepareSignIn(api, outbox, onSignedIn) {
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
      return user === api.user ? null : "link_of_another";
    } catch {
      return "link_unreachable";
    }
  }

  $("sign-in-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = await problemWith(addressIn(field.value));
    $("sign-in-problem").textContent = problem ? say(problem) : "";
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
