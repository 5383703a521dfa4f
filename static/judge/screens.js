// The screens of the campaign's protocols: how outputs are shown and answered. One is loaded before its first
// block is shown.

// What was lent before there were others says none.
const FIRST = "ranking";

// Those that are asked on the screen of another: to judges they are the same.
/** @type {Record<string, string>} */
const SCREENS = { sorting: "two_outputs" };

/** @param {{ protocol?: string }} lent */
export const protocolOf = ({ protocol = FIRST }) => SCREENS[protocol] ?? protocol;

export class Screens {
  /** @type {Map<string, ScreenModule>} */
  #modules = new Map();

  /** @param {Record<string, string>} addresses of their modules, by protocol */
  constructor(addresses) {
    this.addresses = addresses;
    // It comes with the page.
    if (FIRST in addresses) this.load(FIRST);
  }

  // Null once it is there; otherwise why it is not: "outdated", where this page was loaded before the campaign
  // had such tasks, or "server".
  /** @param {string} protocol */
  async load(protocol) {
    if (this.#modules.has(protocol)) return null;
    const address = this.addresses[protocol];
    if (!address) return "outdated";
    try {
      this.#modules.set(protocol, await import(address));
    } catch {
      return "server";
    }
    return null;
  }

  /** @param {string} protocol @returns {ScreenModule | undefined} */
  get(protocol) {
    return this.#modules.get(protocol);
  }

  // Of one that was loaded.
  /** @param {string} protocol @returns {AnswerOf} */
  answersOf(protocol) {
    return /** @type {ScreenModule} */ (this.get(protocol)).answers;
  }
}
