// Scrolls the tab of this page into view on narrow screens.

for (const bar of document.querySelectorAll(".tabs")) {
  const tab = bar.querySelector("[aria-current]");
  if (!tab) continue;
  const [all, own] = [bar.getBoundingClientRect(), tab.getBoundingClientRect()];
  // `scrollIntoView` would also scroll the page.
  bar.scrollLeft += (own.left + own.right - all.left - all.right) / 2;
}
