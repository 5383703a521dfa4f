// Buttons that copy a text on the page: `data-copy` names the element that holds it. Where the browser
// does not let us, they stay hidden: the text can be marked by hand.

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy);
    const said = button.parentElement.querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(text.textContent.trim());
      said.textContent = button.dataset.copied;
    } catch {
      getSelection().selectAllChildren(text);
    }
  });
}
