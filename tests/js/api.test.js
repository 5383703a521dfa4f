import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Api, Unreachable } from "../../static/judge/api.js";
import { newDevice } from "./stand_ins.js";

const realFetch = globalThis.fetch;
/** @type {Response} */
let response;
/** @type {Api} */
let api;

beforeEach(() => {
  newDevice();
  globalThis.document = { cookie: "" };
  globalThis.fetch = async () => response;
  api = new Api({ api: "/api/", campaign: "c", user: "ada", csrf_cookie: "csrf" });
});

afterEach(() => {
  globalThis.fetch = realFetch;
});

test("an answer of the server has its data, or none with 204", async () => {
  response = Response.json({ state: "waiting" }, { status: 202 });
  assert.deepEqual((await api.assignment()).data, { state: "waiting" });
  response = new Response(null, { status: 204 });
  assert.deepEqual([(await api.assignment()).status, (await api.assignment()).data], [204, null]);
});

test("a success without JSON is no answer: nothing is taken for stored, and the page asks again", async () => {
  const page = new TextEncoder().encode("<h1>Welcome to our Wi-Fi</h1>");
  for (const [status, headers] of [[200, { "Content-Type": "text/html" }], [202, {}]]) {
    response = new Response(page, { status, headers });
    await assert.rejects(api.submit("judgments", "1", { block: "b" }), Unreachable);
  }
});

test("a refusal is the server's only in JSON: a firewall's is trouble on the way", async () => {
  response = new Response("<h1>Request denied by the firewall</h1>", { status: 403, headers: { "Content-Type": "text/html" } });
  assert.equal((await api.submit("judgments", "1", { block: "b" })).status, 502);
  response = Response.json({ detail: "Sign in." }, { status: 403 });
  assert.equal((await api.submit("judgments", "1", { block: "b" })).status, 403);
});

test("trouble without JSON is an answer with its status", async () => {
  response = new Response("Bad gateway", { status: 502 });
  assert.equal((await api.assignment()).status, 502);
});
