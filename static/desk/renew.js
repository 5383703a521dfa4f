// Pauses updates of a results page while it has the focus or an opened part.

document.body.addEventListener("htmx:beforeSwap", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  if (detail.target.id !== "answer") return;
  const isInUse = detail.target.contains(document.activeElement) || detail.target.querySelector("details[open]");
  if (isInUse) detail.shouldSwap = false;
});
