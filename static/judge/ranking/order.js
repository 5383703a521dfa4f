// The order so far, as one line: B = D > A > C > E.

import { letterOf } from "../letters.js";
import { list, say } from "../words.js";
import { tiers } from "./answer.js";

/** @param {Label[]} labels @param {{ line: HTMLElement, words: HTMLElement }} places */
export function showOrder(labels, { line, words }) {
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
}
