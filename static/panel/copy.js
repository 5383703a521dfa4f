// Buttons that copy the text of the element named by `data-copy`. They stay hidden if the browser has no clipboard API.

/** @type {NodeListOf<HTMLElement>} */
const buttons = document.querySelectorAll("[data-copy]");
for (const button of buttons) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = /** @type {HTMLElement} */ (document.getElementById(String(button.dataset.copy)));
    const field = text instanceof HTMLInputElement ? text : null;
    const status = /** @type {HTMLElement} */ (button.parentElement).querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(field?.value ?? text.textContent.trim());
      status.textContent = String(button.dataset.copied);
    } catch {
      if (field) field.select();
      else getSelection()?.selectAllChildren(text);
    }
  });
}
