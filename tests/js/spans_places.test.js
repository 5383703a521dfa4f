import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";

import { Cursor, inPlaces, inPoints, piecesOf, snapped, stopAt, stopsOf } from "../../static/judge/spans/places.js";

const ENGLISH = { text: "He said: “No.” 🙂 then", lang: "en" };
const CHINESE = { text: "我喜欢看书。", lang: "zh" };
const THAI = { text: "ฉันชอบอ่าน", lang: "th" };

const words = (text, byCharacter = false) =>
  stopsOf(text, byCharacter).map(({ start, end }) => text.text.slice(start, end));

describe("stops of the word cursor", () => {
  const { Segmenter } = Intl;

  afterEach(() => {
    Intl.Segmenter = Segmenter;
  });

  test("at words, and at the marks between them", () => {
    assert.deepEqual(words(ENGLISH), ["He", "said", ":", "“", "No", ".”", "🙂", "then"]);
  });

  test("at words where there are no spaces", () => {
    for (const text of [CHINESE, THAI]) {
      const found = words(text);
      assert.equal(found.join(""), text.text);
      assert.ok(found.length > 1 && found.length < Array.from(text.text).length);
    }
  });

  test("at characters, as a reader counts them", () => {
    assert.deepEqual(words({ text: "né 👩‍👩‍👧", lang: "fr" }, true), ["n", "é", "👩‍👩‍👧"]);
  });

  test("in a browser that knows no words, at characters of scripts without spaces", () => {
    delete Intl.Segmenter;
    assert.deepEqual(words(CHINESE), Array.from(CHINESE.text));
    assert.deepEqual(words({ text: "two words", lang: "en" }), ["two", "words"]);
    assert.deepEqual(words({ text: "a🙂", lang: "en" }, true), ["a", "🙂"]);
  });
});

test("answers count code points", () => {
  const stretch = { start: 17, end: 22 };
  assert.equal(ENGLISH.text.slice(17, 22), " then");
  assert.deepEqual(inPoints(ENGLISH.text, stretch), { start: 16, end: 21 });
  assert.deepEqual(inPlaces(ENGLISH.text, { start: 16, end: 21 }), stretch);
  assert.equal(Array.from(ENGLISH.text).slice(16, 21).join(""), " then");
});

test("a selection is of whole words or characters, and takes no white space along", () => {
  const text = { text: "one 👩‍👩‍👧 two", lang: "en" };
  assert.deepEqual(snapped(text, { start: 1, end: 2 }, false), { start: 0, end: 3 });
  assert.deepEqual(snapped(text, { start: 1, end: 3 }, true), { start: 1, end: 3 });
  assert.deepEqual(snapped(text, { start: 0, end: 4 }, true), { start: 0, end: 3 });
  assert.deepEqual(snapped(text, { start: 3, end: 6 }, true), { start: 4, end: 12 });
  assert.equal(snapped(text, { start: 3, end: 4 }, false), null);
  assert.equal(snapped(text, { start: 2, end: 2 }, false), null);
});

test("a place is at its word, before a space at the word that ends there", () => {
  const stops = stopsOf({ text: "one, two ", lang: "en" }, false);
  assert.deepEqual([0, 2, 3, 4, 5, 8, 9].map((place) => stopAt(stops, place)), [0, 0, 1, 1, 2, 2, 2]);
});

test("the cursor goes as far as there are words, and Shift takes them along", () => {
  const cursor = new Cursor(stopsOf({ text: "one two three", lang: "en" }, false));
  assert.deepEqual(cursor.stretch, { start: 0, end: 3 });
  assert.equal(cursor.go(-1), false);
  cursor.go(1);
  cursor.go(2, true);
  assert.deepEqual(cursor.stretch, { start: 4, end: 13 });
  assert.equal(cursor.isSelecting, true);
  assert.equal(cursor.go(3, true), false);
  cursor.go(0, true);
  assert.deepEqual(cursor.stretch, { start: 0, end: 7 });
  cursor.go(1);
  assert.equal(cursor.isSelecting, false);
  assert.deepEqual(cursor.stretch, { start: 4, end: 7 });
});

test("going by characters begins in the word where the cursor was", () => {
  const text = { text: "one two", lang: "en" };
  const cursor = new Cursor(stopsOf(text, false));
  cursor.go(1);
  cursor.exchange(stopsOf(text, true));
  assert.deepEqual(cursor.stretch, { start: 4, end: 5 });
  cursor.exchange(stopsOf(text, false));
  assert.deepEqual(cursor.stretch, { start: 4, end: 7 });
});

test("a text without words has no place to go to", () => {
  const cursor = new Cursor([]);
  assert.equal(cursor.stretch, null);
  assert.equal(cursor.go(1), false);
});

describe("a text in pieces", () => {
  const text = "one two three";
  const shown = { text, errors: [], runs: null, chosen: null, lines: null };
  const errors = [{ start: 4, end: 13, severity: "major", span: 0 }];

  test("is whole where nothing is to be seen", () => {
    const [[piece, ...others]] = piecesOf(shown);
    assert.deepEqual(others, []);
    assert.deepEqual(piece, {
      text,
      start: 0,
      end: 13,
      span: null,
      severity: null,
      differs: false,
      chosen: false,
    });
  });

  test("is cut at errors, differences, the cursor and lines, and loses nothing", () => {
    const runs = [
      { text: "one two ", differs: false },
      { text: "three", differs: true },
    ];
    const lines = ["one two ", "three"];
    const rows = piecesOf({ ...shown, errors, runs, chosen: { start: 4, end: 7 }, lines });
    assert.deepEqual(rows.map((row) => row.map((piece) => piece.text)), [["one ", "two", " "], ["three"]]);
    assert.deepEqual(rows.flat().map(({ severity }) => severity), [null, "major", "major", "major"]);
    assert.deepEqual(rows.flat().map(({ chosen }) => chosen), [false, true, false, false]);
    assert.deepEqual(rows.flat().map(({ differs }) => differs), [false, false, false, true]);
  });

  test("has a line for each of the model, also where nothing stands in it", () => {
    assert.deepEqual(piecesOf({ ...shown, lines: [text, ""] }).map((row) => row.length), [1, 0]);
    assert.deepEqual(piecesOf({ ...shown, text: "" }), [[]]);
  });
});
