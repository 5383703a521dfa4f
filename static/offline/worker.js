// Opens the judging page while the network or the server is down: a service worker for addresses below judge/. Pages come
// from the network whenever it answers, so old versions are never preferred. Caches one page, the last one opened, with
// the files it names, but no sentences.

const worker = /** @type {any} */ (self);
/** @type {string} */
const SCOPE = worker.registration.scope;
const FILES = new URL("../static/", SCOPE).href;
const CACHE = `quintet ${SCOPE}`;
// Milliseconds to wait for an unresponsive network.
const LONGEST_WAIT_MS = 10_000;
// The status codes of a proxy whose server is down.
const NO_SERVER = [502, 503, 504];
/** @type {RegExp} */
const A_PAGE = /^[\w-]+\/$/;

// Clients whose page came from the cache; their files come from it, too, so that versions match.
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
async function cached(address) {
  const cache = await caches.open(CACHE);
  // Only one page is cached, whatever its cookies and language.
  return cache.match(address, { ignoreVary: true });
}

// Caches a page once all its files are cached, then deletes other files.
/** @param {string} address @param {Response} response */
async function keep(address, response) {
  const html = await response.clone().text();
  const named = Array.from(html.matchAll(/(?:href|src)="([^"]+)"/g), ([, path]) => new URL(path, address).href);
  const files = named.filter((file) => file.startsWith(FILES));
  const cache = await caches.open(CACHE);
  await Promise.all(files.map(async (file) => (await cache.match(file)) ?? cache.add(file)));
  await cache.put(address, response);
  const needed = new Set([address, ...files]);
  for (const { url } of await cache.keys()) {
    if (!needed.has(url)) await cache.delete(url, { ignoreVary: true });
  }
}

// Runs one at a time, so that they do not delete each other's files. Failures are retried with the next page.
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
    // Signed out, or no longer a judge.
    event.waitUntil(inTurn(() => caches.delete(CACHE)));
  }
  return response;
}

/** @param {any} event @param {string} address */
async function openPage(event, address) {
  const answer = answered(event, address);
  // Even if the cached page is shown.
  event.waitUntil(answer.catch(() => undefined));
  const instead = await cached(address);
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
  return (await cached(request.url)) ?? fetch(request);
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

// Sent by pages that bypassed the worker: the first one, or one after a forced reload.
worker.addEventListener("message", (/** @type {any} */ event) => {
  const address = withoutHash(event.source.url);
  if (!isPage(address)) return;
  const keepAnew = async () => {
    const response = await fetch(address);
    if (response.ok && !response.redirected) await keep(address, response);
  };
  event.waitUntil(inTurn(keepAnew));
});
