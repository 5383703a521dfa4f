// Sends what waits on the device, on a page of the judge's beside the judging page: who looks for their own link,
// or at their work time, finds there all that they did. What is sent as the judging page is left may be lost.

import { Api } from "../api.js";
import { Outbox } from "../outbox.js";

/** @type {Setup} */
const setup = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("setup")).textContent);
new Outbox(new Api(setup), setup.owner).flush();
