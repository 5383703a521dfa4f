// A ranking: a label for each output, from 1 (best) to 5, or none. Independent of the screen.

import { letterOf } from "../keys.js";

// [[indices of the best], …, [indices of the worst]] of the labelled outputs.
/** @param {Label[]} labels */
export function tiers(labels) {
  const ranks = [...new Set(labels.filter((label) => label !== null))].sort();
  return ranks.map((rank) => labels.flatMap((label, index) => (label === rank ? [index] : [])));
}

/** @param {Label[]} labels */
export function unranked(labels) {
  return labels.flatMap((label, index) => (label === null ? [index] : []));
}

/** @param {number} candidates @returns {RankingAnswer} */
export const blank = (candidates) => ({ labels: Array(candidates).fill(null) });

/** @param {Stored} stored @param {number} candidates @returns {RankingAnswer} */
export const read = ({ labels }, candidates) => (labels ? { labels: [...labels] } : blank(candidates));

/** @param {RankingAnswer} one @param {RankingAnswer} other */
export const same = (one, other) => one.labels.every((label, index) => label === other.labels[index]);

/** @param {RankingAnswer} answer */
export const begun = ({ labels }) => labels.some((label) => label !== null);

/** @param {Label[]} labels @returns {Phrase} */
function stillToRank(labels) {
  const rest = unranked(labels);
  return { key: "still_to_rank", values: { letters: rest.map(letterOf) } };
}

/** @param {RankingAnswer} answer @param {Rules} rules @returns {Phrase | null} */
export function lack({ labels }, { partial }) {
  const rest = unranked(labels).length;
  if (!partial) return rest ? stillToRank(labels) : null;
  return labels.length - rest < Math.min(2, labels.length) ? { key: "rank_two" } : null;
}

/** @param {RankingAnswer} answer @returns {Phrase} */
export function hint({ labels }) {
  const rest = unranked(labels).length;
  if (rest === labels.length) return { key: "nothing_ranked" };
  return rest ? stillToRank(labels) : { key: "all_ranked" };
}

/** @param {RankingAnswer} answer */
export const fields = ({ labels }) => ({ labels: [...labels] });

/** @param {RankingAnswer} answer */
export const summary = ({ labels }) => tiers(labels).map((group) => group.map(letterOf).join(" = ")).join(" > ");

// A refusal for missing labels means that complete rankings are required now, unlike when the HIT was lent.
/** @param {Rules} rules @param {{ missing?: string[] } | null} refusal @returns {Rules} */
export const rulesAfter = (rules, refusal) => (refusal?.missing?.length ? { ...rules, partial: false } : rules);
