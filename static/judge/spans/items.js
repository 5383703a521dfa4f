// The errors of one output in words, each to be changed or removed.

import { say } from "../words.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
const template = $("spans-item-template");

/**
 * @typedef {Stretch & { severity: Severity, span: number }} Placed
 * @typedef {object} Calls
 * @property {(error: Placed, button: HTMLElement) => void} onOpen
 * @property {(error: Placed) => void} onRemove
 */

/** @param {TextOf} quoted */
function quote({ text, lang, dir }) {
  const q = document.createElement("q");
  const own = document.createElement("bdi");
  Object.assign(own, { lang, dir, textContent: text });
  q.append(own);
  return q;
}

/** @param {Placed[]} errors @param {TextOf} text @param {Calls} calls */
export function itemsOf(errors, text, { onOpen, onRemove }) {
  return errors.map((error) => {
    const item = template.content.firstElementChild.cloneNode(true);
    const quoted = text.text.slice(error.start, error.end);
    const open = item.querySelector(".item-open");
    open.append(`${say(`${error.severity}_error`)}: `, quote({ ...text, text: quoted }));
    open.classList.add(error.severity);
    open.addEventListener("click", () => onOpen(error, open));
    const remove = item.querySelector(".item-remove");
    remove.setAttribute("aria-label", `${say("remove")}: “${quoted}”`);
    remove.addEventListener("click", () => onRemove(error));
    return item;
  });
}
