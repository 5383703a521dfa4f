// Uploads files in parts, so that a lost connection costs one part and interrupted files resume. Folders and archives can
// be dropped; their names are kept.

const form = /** @type {HTMLFormElement} */ (document.querySelector("form#upload"));
const drop = /** @type {HTMLElement} */ (form.querySelector("[data-drop]"));
const sending = /** @type {HTMLElement} */ (form.querySelector("[data-sending]"));
const words = /** @type {Record<string, string>} */ (form.dataset);
const token = /** @type {HTMLInputElement} */ (form.elements.namedItem("csrfmiddlewaretoken")).value;
const partBytes = Number(words.partBytes);

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** @typedef {{name: string, file: File}} Named */

/** The server refused what was sent; its message is in words. */
class Refused extends Error {}

/**
 * @param {string} address
 * @param {RequestInit} options
 * @returns {Promise<{status: number, data: any}>}
 */
async function ask(address, options) {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const response = await fetch(address, {
        ...options,
        headers: { "X-CSRFToken": token, ...options.headers },
      });
      if (response.status < 500 && response.status !== 429) {
        return { status: response.status, data: await response.json() };
      }
    } catch {
      // No answer: shown and retried below.
    }
    sending.textContent = words.trouble;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** @param {{status: number, data: any}} answer */
function accepted(answer) {
  if (answer.status >= 400) throw new Refused(answer.data.detail ?? JSON.stringify(answer.data));
  return answer.data;
}

/** @param {Named} named */
async function send({ name, file }) {
  const body = JSON.stringify({ name, size: file.size });
  const headers = { "Content-Type": "application/json" };
  const there = accepted(await ask(words.api, { method: "POST", body, headers }));
  let offset = there.received;
  while (offset < file.size) {
    const percent = String(Math.floor((100 * offset) / file.size));
    sending.textContent = words.arriving.replace("{name}", name).replace("{percent}", percent);
    const answer = await ask(`${there.content}?offset=${offset}`, {
      method: "PUT",
      body: file.slice(offset, offset + partBytes),
      headers: { "Content-Type": "application/octet-stream" },
    });
    // Another tab was faster or an answer was lost: continue from the server's offset.
    offset = answer.status === 409 ? answer.data.received : accepted(answer).received;
  }
}

/** @param {Named[]} files */
async function sendAll(files) {
  if (!files.length) return;
  form.setAttribute("aria-busy", "true");
  try {
    for (const named of files) if (named.file.size) await send(named);
    sending.textContent = words.arrived;
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name: "act", value: "check" });
    for (const chosen of form.querySelectorAll("input[type=file]")) chosen.remove();
    form.append(input);
    form.submit();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    sending.textContent = words.tooMany.replace("{why}", error.message);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

/** @param {FileSystemEntry} entry @returns {Promise<Named[]>} */
async function entries(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) =>
      /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
    );
    return [{ name: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Named[]} */
  const files = [];
  for (;;) {
    // Readers return up to 100 entries per call, then none.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return files;
    for (const child of some) files.push(...(await entries(child)));
  }
}

for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (
  form.querySelectorAll("input[type=file]")
)) {
  const sendChosen = () => {
    void sendAll(
      [...(input.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file })),
    );
  };
  input.addEventListener("change", sendChosen);
  // Files chosen before this script was loaded.
  sendChosen();
}

for (const hidden of /** @type {NodeListOf<HTMLElement>} */ (
  form.querySelectorAll("[data-only-scripts]")
)) {
  hidden.hidden = false;
}

drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  // Entries expire after the event, so collect them first.
  const dropped = [...(event.dataTransfer?.items ?? [])].flatMap(
    (item) => item.webkitGetAsEntry() ?? [],
  );
  void Promise.all(dropped.map(entries)).then((files) => sendAll(files.flat()));
});

export {};
