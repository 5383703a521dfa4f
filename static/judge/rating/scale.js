// The scale of one criterion for one output: points to choose from, or a slider from 0 to 100.

import { build } from "../block.js";
import { Scoring } from "../later/scoring.js";
import { say } from "../words.js";
import { isContinuous, keyOf, pointsOf } from "./answer.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
// With more points, they are in rows, and their texts below.
const MOST_IN_A_COLUMN = 7;
let count = 0;

export class ScaleOfCriterion {
  root = $("rating-scale-template").content.firstElementChild.cloneNode(true);
  /** @type {HTMLInputElement[]} */
  #radios = [];
  /** @type {Scoring | null} */
  #scoring = null;
  // Whether a point is chosen with the mouse or a finger; arrow keys pass over points.
  #isTapped = false;

  /**
   * @param {Criterion} criterion with its texts for this HIT
   * @param {{ isAlone: boolean, isCompact: boolean, isOnlyEnds: boolean, name: string, onValue: (value: number | null) => void, onTap: () => void, onDone: () => void, onBack: () => void, onMove: (by: number) => void, onInvalid: () => void }} options
   *   `isAlone`: the only criterion on the screen, whose question is above the outputs; `isCompact`: points are in rows; `isOnlyEnds`: only the ends of the scale have texts on the page
   */
  constructor(criterion, options) {
    this.criterion = criterion;
    this.options = options;
    count += 1;
    const legend = /** @type {HTMLElement} */ (this.root.querySelector("legend"));
    legend.classList.toggle("visually-hidden", options.isAlone);
    legend.replaceChildren(...this.#legend());
    this.root.addEventListener("pointerdown", () => (this.#isTapped = true));
    this.root.addEventListener("keydown", () => (this.#isTapped = false));
    if (isContinuous(criterion)) this.#makeSlider();
    else this.#makePoints();
  }

  *#legend() {
    const { name, question } = this.criterion;
    if (this.options.isAlone) {
      yield question;
      return;
    }
    yield build("b", {}, name);
    yield ` ${question}`;
  }

  // Best first, as in a list; in a row, from low to high.
  #makePoints() {
    const { criterion } = this;
    const isInRows = !this.options.isAlone || this.options.isCompact || pointsOf(criterion).length > MOST_IN_A_COLUMN;
    this.root.classList.toggle("in-rows", isInRows);
    const values = pointsOf(criterion);
    if (!isInRows && !criterion.lower_is_better) values.reverse();
    const labels = values.map((value) => this.#makePoint(value, isInRows));
    this.root.append(build("div", { className: "point-list" }, ...labels));
    if (isInRows) this.root.append(this.#makeAnchors("point-labels"));
  }

  /** @param {number} value @param {boolean} isInRows */
  #makePoint(value, isInRows) {
    const { criterion, options } = this;
    const text = criterion.labels[value] ?? "";
    const isEnd = value === criterion.lowest || value === criterion.highest;
    const key = keyOf(value, criterion);
    const radio = document.createElement("input");
    Object.assign(radio, { type: "radio", name: `points-${count}`, value: String(value) });
    radio.setAttribute("aria-keyshortcuts", key);
    radio.addEventListener("change", () => {
      options.onValue(value);
      if (this.#isTapped) options.onTap();
    });
    this.#radios.push(radio);
    const label = build("label", { className: "point", title: text }, radio, " ", build("kbd", {}, String(value)));
    if (key !== String(value)) label.append(" ", build("small", { className: "quiet" }, key));
    if (!text || (options.isOnlyEnds && !isEnd)) return label;
    label.append(" ", build("span", { className: isInRows ? "visually-hidden" : "point-text" }, text));
    return label;
  }

  #makeSlider() {
    const { criterion, options } = this;
    const part = $("rating-slider-template").content.firstElementChild.cloneNode(true);
    const anchors = this.#makeAnchors("anchors");
    anchors.id = `anchors-${count}`;
    this.root.append(part, anchors);
    this.#scoring = new Scoring(this.root, `${options.name} ${criterion.lowest}–${criterion.highest}`.trim(), {
      onScore: options.onValue,
      onDone: options.onDone,
      onBack: options.onBack,
      onMove: options.onMove,
      onInvalid: options.onInvalid,
    });
    this.#scoring.field.setAttribute("aria-describedby", anchors.id);
  }

  /** @param {string} className */
  #makeAnchors(className) {
    const labels = Object.entries(this.criterion.labels).sort(([one], [other]) => Number(one) - Number(other));
    const items = labels.map(([value, text]) => build("li", {}, build("b", {}, value), " ", build("span", {}, text)));
    return build("ol", { className }, ...items);
  }

  /** @param {number | undefined} value */
  show(value) {
    for (const radio of this.#radios) radio.checked = Number(radio.value) === value;
    this.#scoring?.show(value ?? null);
    if (value !== undefined) this.want(false);
  }

  /** @param {boolean} wanting */
  want(wanting) {
    this.root.classList.toggle("wanting", wanting);
    this.#scoring?.want(wanting);
  }

  get isInvalid() {
    return Boolean(this.#scoring?.isInvalid);
  }

  get isSlider() {
    return this.#scoring !== null;
  }

  // The words of `heard` are said before those of the scale, once.
  /** @param {string} heard */
  introduce(heard) {
    const { root } = this;
    // Screen readers say nothing if the focus does not move.
    if (root.contains(document.activeElement)) /** @type {HTMLElement} */ (document.activeElement).blur();
    const field = this.#scoring?.field;
    if (!field) {
      root.setAttribute("aria-label", heard);
      root.addEventListener("focusout", () => root.removeAttribute("aria-label"), { once: true });
      return;
    }
    const name = field.getAttribute("aria-label") ?? "";
    field.setAttribute("aria-label", `${heard} ${name}`);
    field.addEventListener("blur", () => field.setAttribute("aria-label", name), { once: true });
  }

  /** @param {FocusOptions} [options] */
  focus(options) {
    const chosen = this.#scoring?.field ?? this.#radios.find((radio) => radio.checked);
    (chosen ?? this.root).focus(options);
  }

  // Gives the field the focus from elsewhere on the page, so that the browser types the key there.
  typeInto() {
    this.#scoring?.field.focus();
    return false;
  }

  // Of scales with many points: each point that has a text, for the list of keys.
  get texts() {
    const { criterion } = this;
    const values = pointsOf(criterion).reverse();
    return isContinuous(criterion) ? [] : values.flatMap((value) => (criterion.labels[value] ? [{ value, text: criterion.labels[value] }] : []));
  }
}

// A criterion with the name of the target language in its texts.
/** @param {Criterion} criterion @param {string} language @returns {Criterion} */
export function inLanguage(criterion, language) {
  /** @param {string} text */
  const filled = (text) => text.replaceAll("{language}", language);
  const labels = Object.fromEntries(Object.entries(criterion.labels).map(([value, text]) => [value, filled(text)]));
  return { ...criterion, name: filled(criterion.name), question: filled(criterion.question), labels };
}

// The words before a scale: its output, where several are shown.
/** @param {string} letter */
export const nameOfOutput = (letter) => say("output", { letter });
