// What outputs are called on the page.

/** @param {number} index */
export const letterOf = (index) => String.fromCharCode(65 + index);
