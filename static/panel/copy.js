// Buttons that copy a text on the page: `data-copy` names the element that holds it. Where the browser
// does not let us, they stay hidden: the text can be marked by hand.

/** @type {NodeListOf<HTMLElement>} */
const buttons = document.querySelectorAll("[data-copy]");
for (const button of buttons) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = /** @type {HTMLElement} */ (document.getElementById(String(button.dataset.copy)));
    const field = text instanceof HTMLInputElement ? text : null;
    const said = /** @type {HTMLElement} */ (button.parentElement).querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(field?.value ?? text.textContent.trim());
      said.textContent = String(button.dataset.copied);
    } catch {
      if (field) field.select();
      else getSelection()?.selectAllChildren(text);
    }
  });
}
