// Signs in without leaving the page while others are at it: the server answers 503, and the form is sent
// again by itself after the seconds it names. Without this script that answer is a page with a button.

const BUSY = 503;

/** @param {string} id */
const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {number} seconds */
const pause = (seconds) => new Promise((resume) => setTimeout(resume, 1000 * seconds));

/** @param {number} seconds */
async function countDown(seconds) {
  const words = find("sign-in-busy");
  words.hidden = false;
  for (let left = seconds; left > 0; left -= 1) {
    words.textContent = String(words.dataset.words).replace("{seconds}", String(left));
    await pause(1);
  }
}

/** @param {Response} response */
async function show(response) {
  if (response.redirected) {
    location.assign(response.url);
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  document.title = page.title;
  find("main").replaceWith(document.adoptNode(/** @type {HTMLElement} */ (page.querySelector("main"))));
  prepare();
  document.dispatchEvent(new Event("quintet.shown"));
  document.getElementById("id_password")?.focus();
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const data = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  let response = await fetch(location.href, { method: "POST", body: data });
  while (response.status === BUSY) {
    await countDown(Number(response.headers.get("Retry-After")) || 3);
    response = await fetch(location.href, { method: "POST", body: data });
  }
  await show(response);
}

function prepare() {
  /** @type {HTMLFormElement | null} */
  const form = document.querySelector("#sign-in-form");
  if (!form) return; // an error page
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
    button.disabled = true;
    try {
      await send(form);
    } catch {
      form.submit(); // the network's own page says what is wrong
    } finally {
      button.disabled = false;
    }
  });
}

prepare();
