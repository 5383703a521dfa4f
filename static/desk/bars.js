// The bars above organisers' pages: the tab of this page is in view on a narrow screen, and the list of
// test sets closes as menus do.

for (const bar of document.querySelectorAll(".tabs")) {
  const tab = bar.querySelector("[aria-current]");
  if (!tab) continue;
  const [all, own] = [bar.getBoundingClientRect(), tab.getBoundingClientRect()];
  // Not `scrollIntoView`, which would scroll the page as well.
  bar.scrollLeft += (own.left + own.right - all.left - all.right) / 2;
}

for (const menu of document.querySelectorAll("details.switch")) {
  const close = () => menu.removeAttribute("open");
  document.addEventListener("click", (event) => {
    if (!menu.contains(/** @type {Node} */ (event.target))) close();
  });
  menu.addEventListener("keydown", (event) => {
    if (/** @type {KeyboardEvent} */ (event).key !== "Escape") return;
    close();
    /** @type {HTMLElement} */ (menu.querySelector("summary")).focus();
  });
  menu.addEventListener("focusout", (event) => {
    const to = /** @type {FocusEvent} */ (event).relatedTarget;
    if (to && !menu.contains(/** @type {Node} */ (to))) close();
  });
}
