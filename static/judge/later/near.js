// A second way to submit, for a mouse: below the rank that made the ranking whole, not at the foot of the window.
// Only for the hand: to everybody else it would be the same button twice.

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {Page} page */
export function offerSubmit(page) {
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
    const ranks = page.rows.rows[page.rows.active].querySelector(".ranks");
    const isWhole = page.block?.labels.every((label) => label !== null);
    if (!isMouse || !isWhole || !ranks) {
      near.remove();
      return;
    }
    near.textContent = $("submit-word").textContent;
    ranks.append(near);
  }

  page.addEventListener("shown", () => near.remove());
  // What was dropped gets the focus after its rank.
  page.addEventListener("ranked", () => queueMicrotask(place));
}
