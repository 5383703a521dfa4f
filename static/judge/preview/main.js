// The judging page as an organiser sees it: the same parts, on an interface that stores nothing, and with nothing
// kept on the device, where a judge of this browser keeps what is not sent yet.

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
