// The screens of the campaign's protocols, which display and answer outputs. A screen is loaded before its first block is
// shown.

// HITs lent before there were several protocols do not name one.
const FIRST = "ranking";

// Protocols that use the screen of another; judges see no difference.
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
    // Loaded with the page.
    if (FIRST in addresses) this.load(FIRST);
  }

  // Resolves to null when loaded; otherwise to "outdated", if the page was loaded before the campaign had such tasks or
  // before the server had a new version, or "server".
  /** @param {string} protocol */
  async load(protocol) {
    if (this.#modules.has(protocol)) return null;
    const address = this.addresses[protocol];
    if (!address) return "outdated";
    try {
      this.#modules.set(protocol, await import(address));
    } catch {
      const answer = await fetch(address).catch(() => null);
      return answer?.status === 404 ? "outdated" : "server";
    }
    return null;
  }

  /** @param {string} protocol @returns {ScreenModule | undefined} */
  get(protocol) {
    return this.#modules.get(protocol);
  }

  // The protocol's screen must be loaded.
  /** @param {string} protocol @returns {AnswerOf} */
  answersOf(protocol) {
    return /** @type {ScreenModule} */ (this.get(protocol)).answers;
  }
}
