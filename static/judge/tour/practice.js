// Stands where the judging API would be: lends the sentences of the tour, the same ones anew for as long
// as anybody goes on, takes whatever is submitted, and keeps nothing.

const A_DAY_MS = 24 * 60 * 60 * 1000;

export class Practice {
  #round = 0;

  /** @param {string} user @param {LentHit} hit */
  constructor(user, hit) {
    this.user = user;
    this.hit = hit;
  }

  async assignment() {
    this.#round += 1;
    return this.#answer({
      ...this.hit,
      id: `tour/${this.#round}`,
      revisable_hits: this.#round,
      expires_at: new Date(Date.now() + A_DAY_MS).toISOString(),
      progress: { done: 0, wanted: null, minutes_left: null },
      notice: "",
      blocks: this.hit.blocks.map((block) => ({ ...block, id: `${block.id}/${this.#round}` })),
    });
  }

  async submit() {
    return this.#answer({});
  }

  async history() {
    return this.#answer({ results: [], next: null });
  }

  // Practice is not counted.
  async workTime() {
    return this.#answer({});
  }

  whoIsSignedIn() {
    return this.user;
  }

  signedIn() {}

  /** @param {object} data */
  #answer(data) {
    return { status: 200, data, at: Date.now(), asked: performance.now() };
  }
}

// A ranking in the making is not kept either.
/** @type {KeptDrafts} */
export const NO_DRAFTS = { get: () => null, put() {}, remove() {} };
