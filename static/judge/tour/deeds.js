// What the judge does on ranking's screen, told by what that shows of it: "context", "differences", "rank", "clear",
// "move", "incomplete", "submit", "revise", "skip", "back", "return".

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {HTMLElement} element @param {string} name @param {() => void} act */
function onAttribute(element, name, act) {
  new MutationObserver(act).observe(element, { attributeFilter: [name] });
}

/** @param {Page} page @param {(deed: string, block?: Block) => void} tell */
export function watch(page, tell) {
  /** @type {Label[]} */
  let before = [];
  let wentBack = false;

  onAttribute($("context"), "aria-expanded", () => tell("context"));
  onAttribute($("differences"), "aria-pressed", () => tell("differences"));
  onAttribute($("missing"), "class", () => {
    if ($("missing").classList.contains("refused")) tell("incomplete");
  });

  $("rows").addEventListener("focusin", () => {
    const { rows } = /** @type {RankingScreen} */ (page.screen);
    if (page.block?.answer.labels[rows.active] != null) tell("move");
  });
  page.addEventListener("answered", () => {
    const { labels } = /** @type {Block<RankingAnswer>} */ (page.block).answer;
    const cleared = labels.some((label, index) => label === null && before[index] != null);
    before = [...labels];
    tell(cleared ? "clear" : "rank");
  });
  page.addEventListener("done", ({ detail: { block, kind } }) => {
    if (kind === "skips") tell("skip");
    else tell(wentBack ? "revise" : "submit", block);
  });
  page.addEventListener("shown", () => {
    const block = /** @type {Block} */ (page.block);
    before = [...block.answer.labels];
    const isBack = block.state !== "open";
    if (isBack) tell("back");
    else if (wentBack) tell("return");
    wentBack = isBack;
  });
}
