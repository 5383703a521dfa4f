// The answer of a page of results, which renews itself: not while the reader is in it, or has opened a part of it.

document.body.addEventListener("htmx:beforeSwap", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (detail.target.id !== "answer") return;
  const isInUse = detail.target.contains(document.activeElement) || detail.target.querySelector("details[open]");
  if (isInUse) detail.shouldSwap = false;
});
