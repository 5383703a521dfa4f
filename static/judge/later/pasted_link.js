// The token of an invitation link that a judge pasted. Mail programs and chats put signs around a link or a full stop after
// it, and mail scanners put it into the address of a page of their own.

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign that encodes nothing.
  }
}

/** @param {string} text @returns {string | undefined} */
export const tokenIn = (text) => decoded(text).trim().match(/(?:^|\/)i\/([\w-]+)/)?.[1];
