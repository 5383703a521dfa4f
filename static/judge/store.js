// What is kept on the device. Where the browser refuses (a full disk, a private window), memory has
// to do, and `lasting` says so, because then the page must stay open.

const memory = new Map();

export let lasting = true;

let offDevice = false;

// From now on nothing is written to the device: what is kept there is read, and stays as it is.
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
    // Nothing was kept there in the first place.
  }
}

/** @param {string} prefix @returns {string[]} */
export function keys(prefix) {
  /** @type {string[]} */
  let kept = [];
  try {
    kept = Object.keys(localStorage);
  } catch {
    lasting = false;
  }
  return [...new Set([...kept, ...memory.keys()])].filter((key) => key.startsWith(prefix));
}
