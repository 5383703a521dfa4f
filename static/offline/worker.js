// Opens the judging page while there is no network or no server: a service worker for the addresses below
// judge/. A page comes from the network wherever that answers, so that no old version stands in the way of a
// new one. What is kept is one page, the last that was opened, with the files it names, and no sentence.

const worker = /** @type {any} */ (self);
/** @type {string} */
const SCOPE = worker.registration.scope;
const FILES = new URL("../static/", SCOPE).href;
const KEPT = `quintet ${SCOPE}`;
// Judges wait no longer for a network that is there and brings nothing.
const LONGEST_WAIT_MS = 10_000;
// What a proxy says for a server that is not there.
const NO_SERVER = [502, 503, 504];
/** @type {RegExp} */
const A_PAGE = /^[\w-]+\/$/;

// The pages that were opened from what is kept: their files come from there, too, and fit them.
/** @type {Set<string>} */
const openedFromKept = new Set();
/** @type {Promise<unknown>} */
let turn = Promise.resolve();

/** @param {string} address */
const withoutHash = (address) => address.split("#")[0];

/** @param {string} address */
const isPage = (address) => address.startsWith(SCOPE) && A_PAGE.test(address.slice(SCOPE.length));

/** @param {number} ms @returns {Promise<void>} */
const after = (ms) => new Promise((resume) => setTimeout(resume, ms));

/** @param {string} address @returns {Promise<Response | undefined>} */
async function kept(address) {
  const cache = await caches.open(KEPT);
  // One page is kept, for whoever has these cookies and this language.
  return cache.match(address, { ignoreVary: true });
}

// Keeps a page once all its files are there, and then drops what no page needs any more.
/** @param {string} address @param {Response} response */
async function keep(address, response) {
  const html = await response.clone().text();
  const named = Array.from(html.matchAll(/(?:href|src)="([^"]+)"/g), ([, path]) => new URL(path, address).href);
  const files = named.filter((file) => file.startsWith(FILES));
  const cache = await caches.open(KEPT);
  await Promise.all(files.map(async (file) => (await cache.match(file)) ?? cache.add(file)));
  await cache.put(address, response);
  const needed = new Set([address, ...files]);
  for (const { url } of await cache.keys()) {
    if (!needed.has(url)) await cache.delete(url, { ignoreVary: true });
  }
}

// One after the other, so that none drops what another is keeping. What cannot be kept now is kept the next time.
/** @param {() => Promise<unknown>} act */
function inTurn(act) {
  turn = turn.then(act).catch(() => undefined);
  return turn;
}

/** @param {any} event @param {string} address */
async function answered(event, address) {
  const response = await fetch(event.request);
  if (response.ok) {
    const copy = response.clone();
    event.waitUntil(inTurn(() => keep(address, copy)));
  } else if (response.status < 500) {
    // Whoever is signed out, or is no judge any more.
    event.waitUntil(inTurn(() => caches.delete(KEPT)));
  }
  return response;
}

/** @param {any} event @param {string} address */
async function openPage(event, address) {
  const answer = answered(event, address);
  // Also when what is kept was shown meanwhile.
  event.waitUntil(answer.catch(() => undefined));
  const instead = await kept(address);
  if (!instead) return answer;
  const usable = answer.then(
    (response) => (NO_SERVER.includes(response.status) ? instead : response),
    () => instead,
  );
  const response = await Promise.race([usable, after(LONGEST_WAIT_MS).then(() => instead)]);
  if (response === instead) openedFromKept.add(event.resultingClientId);
  return response;
}

/** @param {Request} request */
async function openFile(request) {
  return (await kept(request.url)) ?? fetch(request);
}

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const address = withoutHash(request.url);
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    if (isPage(address)) event.respondWith(openPage(event, address));
  } else if (openedFromKept.has(event.clientId) && address.startsWith(FILES)) {
    event.respondWith(openFile(request));
  }
});

// From a page that did not come this way: the first, or one that was loaded past the worker.
worker.addEventListener("message", (/** @type {any} */ event) => {
  const address = withoutHash(event.source.url);
  if (!isPage(address)) return;
  const keepAnew = async () => {
    const response = await fetch(address);
    if (response.ok && !response.redirected) await keep(address, response);
  };
  event.waitUntil(inTurn(keepAnew));
});
