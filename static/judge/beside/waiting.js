// Sends waiting submissions from a judge's other pages, so that these show all work. What the judging page sends as it
// is closed may be lost.

import { Api } from "../api.js";
import { Outbox } from "../outbox.js";

/** @type {Setup} */
const setup = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("setup")).textContent);
new Outbox(new Api(setup), setup.owner).flush();
