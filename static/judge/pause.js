// While the judge is away the clock stands still and a cover says so; Enter, Space, Escape or a
// touch anywhere takes it off.

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {Page} page */
export function preparePause(page) {
  const cover = $("pause-dialog");
  page.clock.addEventListener("away", () => {
    if (page.block && !cover.open) cover.showModal();
  });
  cover.addEventListener("click", () => cover.close());
  cover.addEventListener("close", () => {
    page.clock.back();
    // The block may be another one by now: the lease ran out meanwhile.
    const another = !document.activeElement?.isConnected || document.activeElement === document.body;
    if (page.block && another && !document.querySelector("dialog[open]")) page.toRows();
  });
}
