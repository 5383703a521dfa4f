import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

const SOURCE = { text: "It is open. It is closed. It is old.", lang: "en", dir: "ltr" };

/** @type {typeof import("../../static/judge/later/sentences.js")} */
let sentences;

before(async () => {
  // What the words of the page are read from when its modules are loaded.
  globalThis.document = { documentElement: { lang: "en" }, getElementById: () => ({ textContent: "{}" }) };
  sentences = await import("../../static/judge/later/sentences.js");
});

const shown = (text, lang = "de", more = {}) => ({
  candidates: [{ text, lang, dir: "ltr" }],
  source: SOURCE,
  references: [],
  ...more,
});

describe("sentences beside each other", () => {
  test("one by one where they are as many", () => {
    const { count, lines, compared } = sentences.beside(shown("Offen. Zu. Alt."));
    assert.equal(count, 3);
    assert.deepEqual(lines, [["Offen. ", "Zu. ", "Alt."]]);
    assert.deepEqual(compared.lines, ["It is open. ", "It is closed. ", "It is old."]);
  });

  test("texts stay whole, however they are cut", () => {
    for (const text of ["Offen und zu. Alt.", "Ja! Nein! Doch! Oh! Ach!", "Ein Satz. 🙂 Noch einer."]) {
      const { lines, compared, count } = sentences.beside(shown(text));
      assert.equal(lines[0].join(""), text);
      assert.equal(compared.lines.join(""), SOURCE.text);
      assert.equal(compared.lines.length, count);
    }
  });

  test("those of the source go where they are as far into it", () => {
    const { lines, compared } = sentences.beside(shown("Offen und zu ist es. Alt geworden."));
    assert.equal(lines[0].length, 2);
    assert.deepEqual(compared.lines, ["It is open. It is closed. ", "It is old."]);
  });

  test("of one sentence there is nothing beside", () => {
    assert.equal(sentences.beside(shown("Nur einer.")), null);
  });

  test("a full stop after an abbreviation or an ordinal number ends no sentence", () => {
    const english = { ...SOURCE, text: "Mr. Smith saw the U.S. Army on p. 5 of vol. 2. He left. It was late." };
    const texts = {
      de: "Hr. Dr. Prof. Abb. Smith sah am 3. Oktober z. B. bzw. etc. Nr. 8 davon. Er ging. Es war spät.",
      cs: "Pan ing. Novák viděl str. 5 a č. 8 např. Brna dost dlouho. Odešel domů. Bylo velmi pozdě.",
    };
    for (const [lang, text] of Object.entries(texts)) {
      const { count, lines, compared } = sentences.beside(shown(text, lang, { source: english }));
      assert.equal(count, 3, lang);
      assert.equal(lines[0].join(""), text);
      assert.deepEqual(compared.lines, ["Mr. Smith saw the U.S. Army on p. 5 of vol. 2. ", "He left. ", "It was late."]);
    }
  });

  test("beside a text of one sentence nothing is divided", () => {
    const one = { ...SOURCE, text: "Sentence no. 8." };
    assert.equal(sentences.beside(shown("Satz! Nummer! Acht.", "de", { source: one })), null);
  });

  test("line breaks stay with the sentence before them, and indentation with the one after", () => {
    const source = { ...SOURCE, text: "It is open.\n\nIt is closed.\n  - It is old." };
    const { lines, compared } = sentences.beside(shown("Offen. Geschlossen. Alt.", "de", { source }));
    assert.equal(lines[0].length, 3);
    assert.deepEqual(compared.lines, ["It is open.\n\n", "It is closed.\n", "  - It is old."]);
  });

  test("phrases of Thai fill as many lines as the source has sentences", () => {
    const { count, lines } = sentences.beside(shown("เปิด แล้ว ปิด แล้ว เก่า มาก", "th"));
    assert.equal(count, 3);
    assert.equal(lines[0].length, 3);
    assert.equal(lines[0].join(""), "เปิด แล้ว ปิด แล้ว เก่า มาก");
    assert.ok(lines[0].every(Boolean));
  });

  test("the reference where no source is shown, and nothing where there is neither", () => {
    const reference = { ...SOURCE, text: "Offen. Geschlossen.", lang: "de" };
    const { compared } = sentences.beside(shown("Auf. Zu.", "de", { source: null, references: [reference] }));
    assert.equal(compared.text.text, reference.text);
    assert.equal(sentences.beside(shown("Auf. Zu.", "de", { source: null })).compared, null);
  });
});
