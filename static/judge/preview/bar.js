// Says aloud that nothing is stored: what a page brings along is not said by itself.

/** @type {ById} */
const $ = (id) => document.getElementById(id);
// After the page's own first words.
const AFTER_MS = 1000;

// What sticks below it must know how high it is.
new ResizeObserver(() => {
  document.documentElement.style.setProperty("--preview-size", `${$("preview-bar").offsetHeight}px`);
}).observe($("preview-bar"));
setTimeout(() => ($("preview-said").textContent = $("preview-words").textContent), AFTER_MS);
