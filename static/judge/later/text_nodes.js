// Positions in a text that is split into several nodes.

/** @param {HTMLElement} root @param {Node} node @param {number} offset */
export function placeOf(root, node, offset) {
  const range = document.createRange();
  range.selectNodeContents(root);
  // Outside the text: its beginning or end.
  const side = range.comparePoint(node, offset);
  if (side < 0) return 0;
  if (side === 0) range.setEnd(node, offset);
  return range.toString().length;
}

/** @param {HTMLElement} root @param {Stretch} stretch */
export function rangeOf(root, { start, end }) {
  const range = document.createRange();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let before = 0;
  let isBegun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (!isBegun && start < before + length) {
      range.setStart(node, start - before);
      isBegun = true;
    }
    if (end <= before + length) {
      range.setEnd(node, end - before);
      break;
    }
    before += length;
  }
  return range;
}

/** @param {Range} range @param {{ clientX: number, clientY: number }} point */
export function isUnder(range, { clientX: x, clientY: y }) {
  return [...range.getClientRects()].some(({ left, right, top, bottom }) => left <= x && x <= right && top <= y && y <= bottom);
}

// The position under a pointer, or null outside the text.
/** @param {HTMLElement} root @param {{ clientX: number, clientY: number }} point */
export function placeUnder(root, { clientX, clientY }) {
  if (document.caretPositionFromPoint) {
    const caret = document.caretPositionFromPoint(clientX, clientY);
    return caret && root.contains(caret.offsetNode) ? placeOf(root, caret.offsetNode, caret.offset) : null;
  }
  // Safari before 18.4
  const range = document.caretRangeFromPoint?.(clientX, clientY);
  return range && root.contains(range.startContainer) ? placeOf(root, range.startContainer, range.startOffset) : null;
}

// The stop on the next or previous line that is closest to the one at `at`; null if there is no such line.
/** @param {HTMLElement} root @param {Stretch[]} stops @param {number} current @param {number} by */
export function onNextLine(root, stops, current, by) {
  /** @param {number} index */
  const boxOf = (index) => rangeOf(root, stops[index]).getBoundingClientRect();
  const { top, bottom, left, right } = boxOf(current);
  const middle = (left + right) / 2;
  let line = 0;
  let best = null;
  let least = Infinity;
  for (let index = current + by; index >= 0 && index < stops.length; index += by) {
    const box = boxOf(index);
    const center = (box.top + box.bottom) / 2;
    // Still on the same line.
    if (center > top && center < bottom) continue;
    if (best !== null && Math.abs(center - line) > (bottom - top) / 2) break;
    line = center;
    const distance = Math.abs((box.left + box.right) / 2 - middle);
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}
