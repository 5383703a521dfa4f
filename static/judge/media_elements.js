// Elements of the pictures, recordings and videos below texts, built once per text.

import { say } from "./words.js";

// One element per text, so that playing goes on while the page writes the text anew.
/** @type {WeakMap<MediaFile[], HTMLElement>} */
const elements = new WeakMap();

/** @param {MediaFile} file */
function makeFile({ kind, address }) {
  if (kind === "image") return Object.assign(new Image(), { src: address, alt: say("image") });
  const player = document.createElement(kind);
  player.src = address;
  player.controls = true;
  player.preload = kind === "audio" ? "auto" : "metadata";
  if (player instanceof HTMLVideoElement) player.playsInline = true;
  player.setAttribute("aria-label", say(kind));
  return player;
}

// Why a file is not shown. Safari plays Opus from 18.4 on.
/** @param {HTMLMediaElement | HTMLImageElement} file */
function problemWith(file) {
  const isOpus = file instanceof HTMLMediaElement && file.src.endsWith(".opus");
  const isUnplayable = isOpus && !file.canPlayType('audio/ogg; codecs="opus"');
  return say(isUnplayable ? "media_unplayable" : "media_failed");
}

// The files of a text in an element without text of its own; an empty list if there are none.
/** @param {TextOf} text */
export function mediaOf({ media }) {
  if (!media) return [];
  let element = elements.get(media);
  if (!element) {
    element = Object.assign(document.createElement("span"), { className: "media" });
    element.append(...media.map(makeFile));
    const holder = element;
    // Errors do not bubble.
    element.addEventListener(
      "error",
      ({ target }) => (holder.dataset.problem = problemWith(/** @type {HTMLMediaElement | HTMLImageElement} */ (target))),
      { capture: true },
    );
    element.addEventListener("loadeddata", () => delete holder.dataset.problem, { capture: true });
    elements.set(media, element);
  }
  return [element];
}

// The kinds of a text's files in words.
/** @param {TextOf} text */
export const heardMedia = ({ media = [] }) => media.map(({ kind }) => say(kind)).join(" ");
