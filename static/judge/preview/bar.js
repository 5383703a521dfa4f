// Announces that nothing is stored, because screen readers do not announce what a page loads with.

/** @type {ById} */
const $ = (id) => document.getElementById(id);
// After the page's own first announcement.
const AFTER_MS = 1000;

// Sticky elements below the bar need its height.
new ResizeObserver(() => {
  document.documentElement.style.setProperty("--preview-size", `${$("preview-bar").offsetHeight}px`);
}).observe($("preview-bar"));
setTimeout(() => ($("preview-said").textContent = $("preview-words").textContent), AFTER_MS);
