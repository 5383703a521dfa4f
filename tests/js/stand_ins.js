// What the judge's modules find around them in a browser, as little of it as they use. Time stands still
// until a test lets it pass, and nothing goes to a network.

import { mock } from "node:test";

class KeptItems {
  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  }

  setItem(key, value) {
    this[key] = String(value);
  }

  removeItem(key) {
    delete this[key];
  }
}

// A browser lists keys in an order of its own.
function nothingKept() {
  return new Proxy(new KeptItems(), { ownKeys: (target) => Reflect.ownKeys(target).sort() });
}

// Whoever asks for a lock gets it when all who asked before have given it back.
class Locks {
  #last = new Map();

  request(name, act) {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(act);
    this.#last.set(name, turn.catch(() => undefined));
    return turn;
  }
}

function define(name, value) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

// A device on which nothing is kept yet, with one open tab. Without `locks` its tabs cannot take turns.
export function newDevice({ locks = true } = {}) {
  mock.reset();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.UTC(2026, 10, 21) });
  // In ms: how far its clock is wrong; how long it slept, so that no timer ran.
  const device = { clockError: 0, slept: 0 };
  const now = Date.now;
  mock.method(performance, "now", () => now() + device.slept);
  mock.method(Date, "now", () => now() + device.clockError);
  mock.method(Math, "random", () => 0.5);
  define("requestAnimationFrame", (frame) => frame());
  define("localStorage", nothingKept());
  define("navigator", { locks: locks ? new Locks() : undefined });
  openTab();
  return device;
}

// Another tab, or the same one loaded anew; what is made from now on listens to its window.
export function openTab() {
  const tab = new EventTarget();
  define("addEventListener", tab.addEventListener.bind(tab));
  return tab;
}

// The document of a tab that is in front.
class Document extends EventTarget {
  visibilityState = "visible";
  focused = true;

  hasFocus() {
    return this.focused;
  }
}

export function openPage() {
  const page = new Document();
  define("document", page);
  return page;
}

// What the browser tells the other tabs when one removes what it had kept.
export function tellRemoved(tab, key, oldValue) {
  tab.dispatchEvent(Object.assign(new Event("storage"), { key, oldValue, newValue: null }));
}

export function keptKeys() {
  return Object.keys(localStorage);
}

export function refuseToKeep() {
  mock.method(localStorage, "setItem", () => {
    throw new Error("the disk is full");
  });
}

export function pass(ms) {
  mock.timers.tick(ms);
}

// Until all that can happen without more time or another answer has happened.
export function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

export async function passAndSettle(ms) {
  pass(ms);
  await settled();
}

// The judging API as the outbox sees it. It stores by id, as the server does; `answer` says what it answers.
export class Server {
  stored = new Map();
  // The items that arrived here, also those sent again.
  arrived = [];
  answer = () => ({ status: 201, data: {} });

  async submit(kind, id, body) {
    const asked = performance.now();
    this.arrived.push({ kind, id, body });
    const { status, data = null } = await this.answer({ kind, id, body });
    if (status < 300) this.stored.set(id, { kind, body });
    return { status, data, at: Date.now(), asked };
  }

  // From now on the test gives the answers, one by one.
  hold() {
    const waiting = [];
    this.answer = () => new Promise((resolve) => waiting.push(resolve));
    return {
      async give(answer = { status: 201 }) {
        waiting.shift()(answer);
        await settled();
      },
    };
  }

  get blocks() {
    return this.arrived.map(({ body }) => body.block);
  }
}

export function answering(status, data) {
  return () => ({ status, data });
}

export function noAnswer() {
  throw new Error("unreachable");
}
