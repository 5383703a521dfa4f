// The steps of the tour, in order. `ends`: the deed that ends one, which may have to be done in a certain
// way; `hints`: what to say of a deed on the way there. Of any other deed it is said that it was another.

/** @param {Block<RankingAnswer>} block */
const isRanked = ({ answer: { labels } }) => labels.every((label) => label !== null);
/** @param {Block<RankingAnswer>} block */
const hasTie = ({ answer: { labels } }) => new Set(labels).size < labels.length;

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} [ends]
 * @property {(block: Block) => boolean} [when]
 * @property {Record<string, (block: Block) => string | false | null>} [hints]
 */

/** @type {Step[]} */
export const STEPS = [
  { name: "context", ends: "context" },
  { name: "differences", ends: "differences" },
  {
    name: "rank",
    ends: "rank",
    when: (block) => isRanked(block) && hasTie(block),
    hints: {
      rank: (block) => (isRanked(block) ? "tour_tie_wanted" : "tour_ranked"),
      clear: () => "tour_did_clear",
      incomplete: () => "tour_incomplete",
    },
  },
  { name: "clear", ends: "clear", hints: { move: () => "tour_moved", rank: () => "tour_ranked" } },
  {
    name: "submit",
    ends: "submit",
    hints: {
      rank: (block) => !isRanked(block) && "tour_ranked",
      clear: () => "tour_did_clear",
      incomplete: () => "tour_incomplete",
    },
  },
  {
    name: "back",
    ends: "return",
    hints: {
      back: () => "tour_went_back",
      rank: () => null,
      clear: () => "tour_did_clear",
      incomplete: () => "tour_incomplete",
    },
  },
  { name: "skip", ends: "skip" },
  { name: "end" },
];

// Not worth a word where nobody asked for it.
export const PASSING = ["move", "incomplete", "revise", "return"];
