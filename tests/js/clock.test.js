import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { Clock } from "../../static/judge/clock.js";
import { newDevice, openPage, openTab, pass } from "./stand_ins.js";

const A_MINUTE = 60_000;
const ELSEWHERE = 75_000;

let device;
let tab;
let page;
let clock;
let goings;

beforeEach(() => {
  device = newDevice();
  tab = openTab();
  page = openPage();
  clock = new Clock();
  goings = 0;
  clock.addEventListener("away", () => (goings += 1));
});

function sign(name = "pointermove") {
  tab.dispatchEvent(new Event(name));
}

function lookElsewhere() {
  page.focused = false;
  sign("blur");
}

function lookHere() {
  page.focused = true;
  sign("focus");
}

function assertRead(durationMs, activeMs) {
  assert.deepEqual(clock.read(), { durationMs, activeMs });
}

describe("while the judge reads", () => {
  test("all of it counts", () => {
    pass(20_000);
    assertRead(20_000, 20_000);
    pass(5000);
    assertRead(25_000, 25_000);
  });

  for (const name of ["pointerdown", "pointermove", "keydown", "scroll", "touchstart", "wheel"]) {
    test(`${name} is a sign of life`, () => {
      for (let i = 0; i < 5; i += 1) {
        pass(A_MINUTE - 1);
        sign(name);
      }
      assert.equal(clock.away, false);
      assertRead(5 * A_MINUTE - 5, 5 * A_MINUTE - 5);
    });
  }

  test("time on the earlier block continues", () => {
    clock.start({ durationMs: 50_000, activeMs: 30_000 });
    pass(1000);
    assertRead(51_000, 31_000);
  });

  test("the next block begins at nothing, and work adds up", () => {
    pass(10_000);
    clock.read();
    clock.start();
    pass(4000);
    assertRead(4000, 4000);
    assert.equal(clock.worked, 14_000);
  });

  test("time is told in whole milliseconds", () => {
    clock.start({ durationMs: 1.6, activeMs: 1.4 });
    assertRead(2, 1);
  });

  test("active time is at most the time on the clock, whatever a draft says", () => {
    clock.start({ durationMs: 50_000, activeMs: 60_000 });
    assertRead(50_000, 50_000);
  });
});

describe("a judge without input", () => {
  test("for a minute is away, and only the minute counts", () => {
    pass(A_MINUTE - 1);
    assert.equal(clock.away, false);
    pass(1);
    assert.equal(clock.away, true);
    pass(10 * A_MINUTE);
    sign();
    assertRead(11 * A_MINUTE, A_MINUTE);
    assert.equal(clock.worked, A_MINUTE);
    assert.equal(goings, 1);
  });

  test("may be so for as long as the block's texts allow", () => {
    clock.start();
    clock.allow(3 * A_MINUTE);
    pass(3 * A_MINUTE - 1);
    assert.equal(clock.away, false);
    pass(1);
    assert.equal(clock.away, true);
    assertRead(3 * A_MINUTE, 3 * A_MINUTE);
  });

  test("may be so as long over the next block, if nothing else is said of it", () => {
    clock.start();
    clock.allow(2 * A_MINUTE);
    clock.start();
    pass(2 * A_MINUTE - 1);
    assert.equal(clock.away, false);
  });

  test("is given the time again after each sign of life", () => {
    pass(40_000);
    sign();
    pass(A_MINUTE - 1);
    assert.equal(clock.away, false);
    pass(1);
    assert.equal(clock.away, true);
    assertRead(100_000, 100_000);
  });

  test("counts again from when they say that they are back", () => {
    pass(5 * A_MINUTE);
    clock.back();
    assert.equal(clock.away, false);
    pass(2000);
    assertRead(5 * A_MINUTE + 2000, A_MINUTE + 2000);
    pass(A_MINUTE);
    assert.equal(goings, 2);
  });

  test("because the laptop slept is away at the first sign of life, and the sleep does not count", () => {
    device.slept = 60 * A_MINUTE;
    sign();
    assert.equal(clock.away, true);
    assertRead(60 * A_MINUTE, A_MINUTE);
  });
});

describe("a judge who pauses", () => {
  test("is away at once, until they are back", () => {
    pass(3000);
    clock.read();
    clock.leave();
    pass(A_MINUTE);
    sign("keydown");
    assertRead(63_000, 3000);
    clock.back();
    pass(1000);
    assertRead(64_000, 4000);
    assert.equal(goings, 1);
  });
});

describe("a judge who looks elsewhere", () => {
  test("to look something up is not away, and that does not count", () => {
    pass(1000);
    lookElsewhere();
    pass(ELSEWHERE - 1);
    lookHere();
    assert.equal(clock.away, false);
    pass(1000);
    assertRead(ELSEWHERE + 1999, 2000);
  });

  test("for longer is away", () => {
    pass(1000);
    lookElsewhere();
    pass(ELSEWHERE);
    assert.equal(clock.away, true);
    lookHere();
    pass(1000);
    assertRead(ELSEWHERE + 2000, 1000);
    assert.equal(goings, 1);
  });

  test("and comes back has all the time to be still again", () => {
    lookElsewhere();
    pass(10_000);
    lookHere();
    pass(A_MINUTE - 1);
    assert.equal(clock.away, false);
    pass(1);
    assert.equal(clock.away, true);
  });

  test("has the page hidden behind another tab, too", () => {
    pass(1000);
    page.visibilityState = "hidden";
    page.dispatchEvent(new Event("visibilitychange"));
    pass(ELSEWHERE - 1);
    assert.equal(clock.away, false);
    pass(1);
    assert.equal(clock.away, true);
    assertRead(ELSEWHERE + 1000, 1000);
  });

  test("has left the page for another, too", () => {
    pass(1000);
    page.visibilityState = "hidden";
    sign("pagehide");
    pass(5000);
    page.visibilityState = "visible";
    sign("pageshow");
    pass(1000);
    assertRead(7000, 2000);
  });

  test("does not count while they move the pointer over the page", () => {
    lookElsewhere();
    pass(5000);
    sign();
    pass(5000);
    assertRead(10_000, 0);
  });
});

describe("uncounted time", () => {
  test("is nothing while the judge reads, and asking changes nothing", () => {
    pass(20_000);
    assert.equal(clock.uncounted, 0);
    assertRead(20_000, 20_000);
  });

  test("grows while they are in another window, and stays when they are back", () => {
    pass(1000);
    lookElsewhere();
    pass(40_000);
    assert.equal(clock.uncounted, 40_000);
    lookHere();
    pass(3000);
    assert.equal(clock.uncounted, 40_000);
    assertRead(44_000, 4000);
  });

  test("is what comes after the stillness allowed", () => {
    pass(A_MINUTE + 5000);
    assert.equal(clock.uncounted, 5000);
    pass(10_000);
    assert.equal(clock.uncounted, 15_000);
    clock.back();
    pass(10_000);
    assert.equal(clock.uncounted, 15_000);
    assertRead(A_MINUTE + 25_000, A_MINUTE + 10_000);
  });

  test("does not keep whoever is asked about it each second from being away", () => {
    lookElsewhere();
    for (let second = 0; second < 75; second += 1) {
      assert.equal(clock.away, false);
      pass(1000);
      assert.equal(clock.uncounted, (second + 1) * 1000);
    }
    assert.equal(clock.away, true);
  });

  test("begins anew with each block", () => {
    lookElsewhere();
    pass(40_000);
    lookHere();
    clock.start();
    assert.equal(clock.uncounted, 0);
  });

  test("is told when it begins and when it ends", () => {
    let told = 0;
    clock.addEventListener("attention", () => (told += 1));
    lookElsewhere();
    assert.equal(told, 1);
    lookHere();
    assert.equal(told, 2);
  });
});
