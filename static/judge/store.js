// Storage on the device. If the browser refuses (disk full, private window), values stay in memory and `lasting` is false,
// because the page must stay open then.

const memory = new Map();

export let lasting = true;

let offDevice = false;

// From now on, nothing is written to the device; stored values can still be read.
export function keepOffDevice() {
  offDevice = true;
}

/** @param {string} key @param {any} value */
export function put(key, value) {
  if (offDevice) {
    memory.set(key, value);
    return;
  }
  try {
    localStorage.setItem(key, JSON.stringify(value));
    memory.delete(key);
  } catch {
    lasting = false;
    memory.set(key, value);
  }
}

/** @param {string} key @returns {any} */
export function get(key) {
  if (memory.has(key)) return memory.get(key);
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key */
export function remove(key) {
  if (offDevice) {
    memory.set(key, null);
    return;
  }
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}

/** @param {string} prefix @returns {string[]} */
export function keys(prefix) {
  /** @type {string[]} */
  let stored = [];
  try {
    stored = Object.keys(localStorage);
  } catch {
    lasting = false;
  }
  return [...new Set([...stored, ...memory.keys()])].filter((key) => key.startsWith(prefix));
}

// Drafts of answers, one for each block; they survive reloads and crashes.

const KEPT_MS = 14 * 24 * 60 * 60 * 1000;

export class Drafts {
  /** @param {string} owner */
  constructor(owner) {
    this.prefix = `quintet/draft/${owner}/`;
    this.forgetOld();
  }

  // {answer, comment, revises, durationMs, activeMs}. The content of a block never changes.
  /** @param {string} blockId @returns {Draft | null} */
  get(blockId) {
    return get(this.prefix + blockId);
  }

  /** @param {string} blockId @param {Draft} draft */
  put(blockId, draft) {
    put(this.prefix + blockId, { ...draft, at: Date.now() });
  }

  /** @param {string} blockId */
  remove(blockId) {
    remove(this.prefix + blockId);
  }

  // The blocks with unsaved changes to submitted answers.
  revised() {
    return keys(this.prefix)
      .filter((key) => get(key)?.revises)
      .map((key) => key.slice(this.prefix.length));
  }

  forgetOld() {
    for (const key of keys(this.prefix)) {
      const time = get(key)?.at ?? 0;
      if (Date.now() - time > KEPT_MS) remove(key);
    }
  }
}
