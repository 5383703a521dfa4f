// A second way to submit, for a mouse: below the rank that made the ranking whole, not at the foot of the window.
// Only for the hand: to everybody else it would be the same button twice.

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {RankingScreen} screen */
export function offerSubmit(screen) {
  const { page, rows } = screen;
  const near = document.createElement("button");
  near.type = "button";
  near.className = "button primary near";
  near.tabIndex = -1;
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
  // What was dropped gets the focus after its rank.
  page.addEventListener("answered", () => queueMicrotask(place));
}
