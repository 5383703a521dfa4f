// The order so far, as one line: B = D > A > C > E.

import { list, say } from "./words.js";

/** @param {number} index */
export const letterOf = (index) => String.fromCharCode(65 + index);

// [[indices of the best], …, [indices of the worst]] of those that have a label.
/** @param {Label[]} labels */
export function tiers(labels) {
  const ranks = [...new Set(labels.filter((label) => label !== null))].sort();
  return ranks.map((rank) => labels.flatMap((label, index) => (label === rank ? [index] : [])));
}

/** @param {Label[]} labels */
export function unranked(labels) {
  return labels.flatMap((label, index) => (label === null ? [index] : []));
}

/** @param {Label[]} labels @param {{ line: HTMLElement, words: HTMLElement, missing: HTMLElement }} places */
export function showOrder(labels, { line, words, missing }) {
  const groups = tiers(labels);
  line.replaceChildren(
    ...groups.flatMap((group, place) =>
      group.flatMap((index, position) => {
        const chip = document.createElement("span");
        chip.className = `chip rank-${labels[index]}`;
        chip.textContent = letterOf(index);
        if (place === 0 && position === 0) return [chip];
        const sign = document.createElement("span");
        sign.className = "sign";
        sign.textContent = position ? "=" : ">";
        return [" ", sign, " ", chip];
      }),
    ),
  );
  const spoken = groups.map((group) => {
    const letters = list(group.map(letterOf));
    return group.length > 1 ? say("tied", { letters }) : letters;
  });
  words.textContent = groups.length ? say("order", { order: spoken.join("; ") }) : "";
  missing.textContent = missingWords(labels);
}

/** @param {Label[]} labels */
export function missingWords(labels) {
  const rest = unranked(labels);
  if (rest.length === labels.length) return say("nothing_ranked");
  if (!rest.length) return say("all_ranked");
  return say("still_to_rank", { letters: list(rest.map(letterOf)), n: rest.length });
}
