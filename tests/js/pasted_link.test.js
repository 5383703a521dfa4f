import assert from "node:assert/strict";
import { test } from "node:test";

import { tokenIn } from "../../static/judge/later/pasted_link.js";

const LINK = "https://judge.example.org/quintet/i/aLA6qIcWeS7shkR-rc9mIA/";
const TOKEN = "aLA6qIcWeS7shkR-rc9mIA";

// CritterDB 61, liberapay.com 1476, DemocracyClub/UK-Polling-Stations 6926: the full stop after a link became part of it.
// nextauthjs/next-auth 1840: a mail scanner puts the link into an address of its own.
for (const pasted of [
  LINK,
  LINK.slice(0, -1),
  ` ${LINK}\n`,
  `${LINK}.`,
  `<${LINK}>`,
  `(${LINK})`,
  `“${LINK}”`,
  `${LINK}\u200b`,
  `Your link: ${LINK} (until Friday)`,
  `${LINK}?utm_source=mail#top`,
  `https://eur05.safelinks.protection.outlook.com/?url=${encodeURIComponent(LINK)}&data=05%7C02`,
  // Through two scanners, and with a percent sign of the sentence around it.
  `https://eur05.safelinks.protection.outlook.com/?url=${encodeURIComponent(`https://scan.example.org/?a=${encodeURIComponent(LINK)}`)}`,
  `https://scan.example.org/?url=${encodeURIComponent(LINK)} is valid for 100%`,
  // Proofpoint's way to write an address in a parameter: “-” for “%”, “_” for “/”.
  "https://urldefense.proofpoint.com/v2/url?u=https-3A__judge.example.org_quintet_i_aLA6qIcWeS7shkR-2Drc9mIA_&d=DwMFaQ&c=a",
  `https://urldefense.com/v3/__${LINK}__;!!Nyu6ZXf5!a$`,
  `${LINK} is valid for 100%`,
  `/i/${TOKEN}/`,
]) {
  test(`the token is found in “${pasted}”`, () => {
    assert.equal(tokenIn(pasted), TOKEN);
  });
}

for (const pasted of ["", TOKEN, "https://judge.example.org/judge/museum/", "https://judge.example.org/i/"]) {
  test(`no token is found in “${pasted}”`, () => {
    assert.equal(tokenIn(pasted), undefined);
  });
}
