// Tells a judge that their browser lacks what the page needs: popovers and light-dark(), as before Chrome 123, Firefox 125
// and Safari 17.5. Not a module, so that it runs even if such a browser cannot read the modules.

const isCurrentBrowser = "popover" in HTMLElement.prototype && CSS.supports("color", "light-dark(#000, #fff)");
if (!isCurrentBrowser) {
  document.getElementById("too-old")?.removeAttribute("hidden");
  // The judging page does not start without the first.
  for (const id of ["setup", "rest"]) document.getElementById(id)?.remove();
}
