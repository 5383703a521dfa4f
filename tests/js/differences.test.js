import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { common, differences } from "../../static/judge/differences.js";
import { letterOfKey } from "../../static/judge/keys.js";
import { stillnessAllowed } from "../../static/judge/clock.js";

function marked(lang, ...texts) {
  const runs = differences(texts.map((text) => ({ text, lang })));
  assert.deepEqual(
    runs.map((each) => each.map((run) => run.text).join("")),
    texts,
  );
  return runs.map((each) => each.filter((run) => run.differs).map((run) => run.text));
}

describe("differences", () => {
  test("of two are what each has alone", () => {
    const texts = ["The lift stopped between the second and third floor.", "The lift halted between the second and the third floor."];
    assert.deepEqual(marked("en", ...texts), [["stopped"], ["halted", "the"]]);
    assert.deepEqual(marked("de", "Es regnet.", "Es regnet."), [[], []]);
  });

  test("are not what most others share", () => {
    const texts = ["a red door", "a red door", "a red gate", "a blue gate", "one red door"];
    assert.deepEqual(marked("en", ...texts), [[], [], ["gate"], ["blue gate"], ["one"]]);
  });

  test("are none between two spellings of one character, or in a mark of direction", () => {
    assert.deepEqual(marked("fr", "Le café est fermé.", "Le cafe\u0301 est\u200f ouvert."), [["fermé"], ["ouvert"]]);
  });

  for (const [lang, first, second, ...differing] of [
    ["ja", "美術館は十時に開きます。", "美術館は九時に開きます。", "十時", "九時"],
    ["th", "พิพิธภัณฑ์เปิดวันนี้", "พิพิธภัณฑ์ปิดวันนี้", "เปิด", "ปิด"],
    ["ar", "يفتح المتحف اليوم", "يغلق المتحف اليوم", "يفتح", "يغلق"],
    ["de", "Die Tür ist offen!", "Die Tür ist zu!", "offen", "zu"],
  ]) {
    test(`are of words, which those of ${lang} are`, () => {
      assert.deepEqual(
        marked(lang, first, second),
        differing.map((each) => [each]),
      );
    });
  }

  test("are of characters where a browser knows no words and there are no spaces", (t) => {
    const { Segmenter } = Intl;
    t.after(() => (Intl.Segmenter = Segmenter));
    Intl.Segmenter = undefined;
    assert.deepEqual(marked("zh", "博物馆十点开门。", "博物馆九点开门。"), [["十"], ["九"]]);
    assert.deepEqual(marked("en", "a red door", "a blue door"), [["red"], ["blue"]]);
  });

  test("are not marked if most words differ", () => {
    const texts = ["one two three four five six", "seven eight nine ten eleven six"].map((text) => ({ text, lang: "en" }));
    assert.equal(differences(texts), null);
  });

  test("of texts that would take minutes to compare are not marked", () => {
    const long = (word, times) => ({ text: `${word} x y `.repeat(times), lang: "en" });
    assert.equal(differences([long("one", 1_500), long("two", 1_500)]), null);
    assert.notEqual(differences([long("one", 1_500), long("one", 1_500)]), null);
    assert.equal(differences([long("one", 100_000), long("one", 100_000)]), null);
  });

  test("leave the longest common subsequence", () => {
    const places = (first, second) => common([...first], [...second]).map(([place]) => place);
    assert.deepEqual(places("abcxdef", "abcydef"), [0, 1, 2, 4, 5, 6]);
    assert.deepEqual(places("aab", "ab"), [0, 2]);
    assert.equal(places("ab", "ba").length, 1);
    assert.deepEqual(places("", "abc"), []);
    assert.equal(places("aaaa", "aa").length, 2);
  });
});

test("letters are told by what they type", () => {
  const letters = { d: ["d", "KeyH"], ي: ["d", "KeyD"], "?": ["?", "Minus"], ß: [null, "Minus"], ś: [null, "KeyS"], ı: [null, "KeyR"], Dead: [null, "KeyD"] };
  for (const [key, [letter, code]] of Object.entries(letters)) assert.equal(letterOfKey({ key, code }), letter);
});

test("stillness is allowed as long as reading takes: 70 words or 125 Chinese characters a minute, five minutes at most", () => {
  const allowed = (...texts) => {
    const [source, ...candidates] = texts.map(([text, lang]) => ({ text, lang, dir: "ltr" }));
    return stillnessAllowed({ source, references: [], candidates });
  };
  assert.equal(allowed(["word ".repeat(70), "en"], ["Ein Wort, noch ".repeat(7), "de"]), 108_000);
  assert.equal(allowed(["字".repeat(125), "zh"], ["。".repeat(40), "zh"]), 90_000);
  assert.equal(allowed(["博物馆 opens at ten", "zh"], ["", "en"]), 34_011);
  assert.equal(allowed(["word ".repeat(2000), "en"]), 300_000);
});
