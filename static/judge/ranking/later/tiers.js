// Tiers: a place for each rank and one for unranked outputs. The rows themselves move there, so that digits, rank buttons
// and names are the same as in the list.

import { listenForDrags } from "./drag.js";
import { build } from "../../block.js";
import { letterOf } from "../../keys.js";
import { say } from "../../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
/** @type {Label[]} */
const RANKS = [null, 1, 2, 3, 4, 5];
const NEAR_PX = 16;

/** @param {Label} rank */
function nameOf(rank) {
  if (rank === null) return say("tier_none");
  if (rank === 1) return say("tier_best");
  return rank === 5 ? say("tier_worst") : say("tier", { rank });
}

/** @param {Label} rank */
function make(rank) {
  const tier = $("tier-template").content.firstElementChild.cloneNode(true);
  const name = tier.querySelector(".tier-name");
  name.textContent = nameOf(rank);
  // Not the heading, which is in capitals and would be spelled out.
  tier.setAttribute("aria-label", nameOf(rank));
  tier.dataset.tier = String(rank ?? "");
  return tier;
}

export class Tiers {
  #tiers = new Map(RANKS.map((rank) => [rank, make(rank)]));

  /** @param {Layout} layout */
  constructor(layout) {
    listenForDrags($("rows"), {
      mayStart: () => layout.inTiers() && layout.screen.isShown(),
      onStart: (from) => showDock(layout.screen.rows, from),
      onEnd: () => ($("dock").hidden = true),
      onDrop: (row, rank) => layout.drop(row, rank),
    });
  }

  /** @param {Rows} rows */
  arrange({ block, rows }) {
    /** @type {(rank: Label) => HTMLElement[]} */
    const rowsOf = (rank) => rows.filter((_, index) => block.answer.labels[index] === rank);
    for (const [rank, tier] of this.#tiers) {
      const container = tier.querySelector(".tier-rows");
      const tierRows = rowsOf(rank);
      const there = [...container.children];
      if (tierRows.length !== there.length || tierRows.some((row, index) => row !== there[index])) {
        container.replaceChildren(...tierRows);
      }
    }
    const none = this.#tiers.get(null);
    if (none) none.hidden = !rowsOf(null).length;
    const all = [...this.#tiers.values()];
    if (all.some((tier, index) => $("rows").children[index] !== tier)) $("rows").replaceChildren(...all);
  }

  // After a rank.
  /** @param {Rows} rows */
  follow(rows) {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    this.arrange(rows);
    // Moved elements lose the focus.
    if (rows.rows.some((row) => row.contains(focused))) focused?.focus({ preventScroll: true });
  }
}

// The dock, shown while dragging: the same tiers in reach of a thumb, or for a mouse, next to where the drag began.
/** @param {Rows} rows @param {PointerEvent} from */
function showDock({ block }, { pointerType, clientX, clientY }) {
  $("dock").replaceChildren(
    ...[...RANKS.slice(1), null].map((rank) => {
      const letters = block.answer.labels.flatMap((label, index) => (label === rank ? letterOf(index) : [])).join(" ");
      const className = rank === null ? "dock-none" : `rank-${rank}`;
      const target = build("div", { className }, build("b", {}, String(rank ?? "–")), build("span", {}, letters));
      target.dataset.tier = String(rank ?? "");
      return target;
    }),
  );
  const dock = $("dock");
  dock.hidden = false;
  dock.classList.toggle("beside", pointerType === "mouse");
  if (pointerType !== "mouse") return;
  const { offsetWidth, offsetHeight } = dock;
  const below = clientY + NEAR_PX;
  const top = below + offsetHeight < innerHeight ? below : clientY - NEAR_PX - offsetHeight;
  dock.style.setProperty("--dock-x", `${Math.max(0, Math.min(clientX - offsetWidth / 2, innerWidth - offsetWidth))}px`);
  dock.style.setProperty("--dock-y", `${top}px`);
}
