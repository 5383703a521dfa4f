// How the page looks to this judge: the size and the spacing of its letters, kept on the device.

import * as store from "./store.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);

/** @param {"text-size" | "spacing"} name */
function prepareChoice(name) {
  const key = `quintet/${name}`;
  const choice = $(name);
  const show = () => document.documentElement.setAttribute(`data-${name}`, choice.value);
  choice.value = store.get(key) ?? "";
  show();
  choice.addEventListener("change", () => {
    store.put(key, choice.value);
    show();
  });
}

export function prepareSettings() {
  prepareChoice("text-size");
  prepareChoice("spacing");
  $("show-settings").addEventListener("click", () => $("settings-dialog").showModal());
}
