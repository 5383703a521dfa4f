// The judging page as an organiser previews it: the same parts with an API that stores nothing. Nothing is written to the
// device, where a judge using this browser may have unsent work.

import { Api } from "../api.js";
import { openPage } from "../main.js";
import { keepOffDevice } from "../store.js";
import "./bar.js";

/** @type {ById} */
const $ = (id) => document.getElementById(id);
/** @type {Setup & { preview: string }} */
const setup = JSON.parse($("setup").textContent);

keepOffDevice();
const api = new Api({ ...setup, api: setup.preview });
openPage({ api });
