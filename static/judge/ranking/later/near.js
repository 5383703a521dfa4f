// A second submit button for mice, below the rank that completed the ranking. Hidden from keyboards and screen readers,
// for which it would be a duplicate.

import { build } from "../../block.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {RankingScreen} screen */
export function offerSubmit(screen) {
  const { page, rows } = screen;
  const near = build("button", { type: "button", className: "button primary near", tabIndex: -1 });
  near.setAttribute("aria-hidden", "true");
  near.addEventListener("click", (event) => {
    event.stopPropagation();
    page.submit();
  });
  let isMouse = false;
  addEventListener("pointerdown", ({ pointerType }) => (isMouse = pointerType === "mouse"), { capture: true });
  addEventListener("keydown", () => (isMouse = false), { capture: true });

  function place() {
    const ranks = rows.rows[rows.active]?.querySelector(".ranks");
    const isWhole = rows.block.answer.labels.every((label) => label !== null);
    if (!screen.isShown() || !isMouse || !isWhole || !ranks) {
      near.remove();
      return;
    }
    near.textContent = $("submit-word").textContent;
    ranks.append(near);
  }

  page.addEventListener("shown", () => near.remove());
  // A dropped row gets the focus after its rank.
  page.addEventListener("answered", () => queueMicrotask(place));
}
