// The tab of this page is in view on a narrow screen.

for (const bar of document.querySelectorAll(".tabs")) {
  const tab = bar.querySelector("[aria-current]");
  if (!tab) continue;
  const [all, own] = [bar.getBoundingClientRect(), tab.getBoundingClientRect()];
  // Not `scrollIntoView`, which would scroll the page as well.
  bar.scrollLeft += (own.left + own.right - all.left - all.right) / 2;
}
