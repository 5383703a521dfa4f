// Elements of the pictures, recordings and videos below texts, built once per text.

import { say } from "./words.js";

/** @typedef {HTMLMediaElement | HTMLImageElement} FileElement */

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
/** @param {FileElement} file */
function problemWith(file) {
  const isOpus = file instanceof HTMLMediaElement && file.src.endsWith(".opus");
  const isUnplayable = isOpus && !file.canPlayType('audio/ogg; codecs="opus"');
  return say(isUnplayable ? "media_unplayable" : "media_failed");
}

// Files that could not be loaded, and those that once were: a recording that breaks off later was heard in part.
/** @type {WeakSet<FileElement>} */
const failed = new WeakSet();
/** @type {WeakSet<FileElement>} */
const loaded = new WeakSet();

/** @param {Pick<TextOf, "media">} text @returns {FileElement[]} */
const filesOf = (text) => mediaOf(text).flatMap((element) => Array.from(element.querySelectorAll("img, audio, video")));

// Whether a file of a text could not be loaded.
/** @param {Pick<TextOf, "media">} text */
export const isMissing = (text) => filesOf(text).some((file) => failed.has(file));

// Loads the files on the page again that could not be loaded, also those of neighbours.
export function loadAgain() {
  /** @type {NodeListOf<FileElement>} */
  const files = document.querySelectorAll(".media > :is(img, audio, video)");
  for (const file of files) if (failed.has(file)) file.setAttribute("src", file.src);
}

// The files of a text in an element without text of its own; an empty list if there are none.
/** @param {Pick<TextOf, "media">} text */
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
      ({ target }) => {
        const file = /** @type {FileElement} */ (target);
        holder.dataset.problem = problemWith(file);
        if (!loaded.has(file)) failed.add(file);
      },
      { capture: true },
    );
    for (const name of ["load", "loadeddata"]) {
      element.addEventListener(
        name,
        ({ target }) => {
          const file = /** @type {FileElement} */ (target);
          loaded.add(file);
          failed.delete(file);
          if (!isMissing({ media })) delete holder.dataset.problem;
        },
        { capture: true },
      );
    }
    elements.set(media, element);
  }
  return [element];
}

// The kinds of a text's files in words.
/** @param {TextOf} text */
export const heardMedia = ({ media = [] }) => media.map(({ kind }) => say(kind)).join(" ");
