// Makes the page of a refused form an ordinary entry of the history, so that Back shows what was saved since, rather than
// an error of the browser or the refusal.

history.replaceState(null, "", location.href);
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
