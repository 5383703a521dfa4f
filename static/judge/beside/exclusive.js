// Unticks the other choices of a question when its last one is ticked, such as “None of these”, and the last one when
// another is.

for (const question of document.querySelectorAll("[data-last-excludes]")) {
  const choices = /** @type {HTMLInputElement[]} */ ([...question.querySelectorAll("input[type=checkbox]")]);
  const last = choices.at(-1);
  question.addEventListener("change", (event) => {
    const changed = /** @type {HTMLInputElement} */ (event.target);
    if (!changed.checked) return;
    for (const choice of choices) {
      if ((changed === last) !== (choice === last)) choice.checked = false;
    }
  });
}
