// The token of an invitation link that a judge pasted. Mail programs and chats put signs around a link or a full stop after
// it, and mail scanners put it into the address of a page of their own.

// Decodes each part that encodes something; a percent sign may also be one of the sentence around the link.
/** @param {string} text */
function decoded(text) {
  return text.replace(/(?:%[\da-f]{2})+/gi, (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

// Proofpoint writes “-” for “%” and “_” for “/”.
/** @param {string} text */
function withoutProofpoint(text) {
  const [, address] = text.match(/urldefense\.proofpoint\.com\/v2\/url\?u=([\w.-]+)/) ?? [];
  return address ? decoded(address.replaceAll("_", "/").replaceAll("-", "%")) : text;
}

// A link may pass two scanners.
/** @param {string} text @returns {string | undefined} */
export const tokenIn = (text) => decoded(decoded(withoutProofpoint(text))).trim().match(/(?:^|\/)i\/([\w-]+)/)?.[1];
