"""The glossary: one word for one thing, in the docs as in the check."""

from pathlib import Path

import pytest

from translations.__main__ import ROOT
from translations.checking import form_problems
from translations.extraction import Key, messages_of
from translations.files import locales
from translations.terms import glossary_read, glossary_table

GLOSSARY = glossary_read()
SMALL = """
[[term]]
english = "rank range"
meaning = "the ranks a system may have"
words.de = "Rangbereich"

[[term]]
english = "rank"
meaning = "a place"
words.de = "Rang"

[[term]]
english = "judge"
forms = ["judges", "a judge"]
meaning = "a person"
words = { de = "Person, die bewertet", cs = "hodnotitel", ar = "مُقيِّم" }
stems.de = []
never.de = ["Juror"]

[[exempt]]
text = "by rank"
terms = ["rank"]
locales = ["de"]
reason = "a narrow column"
"""


def problems(english: str, *forms: str, locale: str = "de", plural: str = "") -> list[str]:
    return list(GLOSSARY.problems(Key(english, plural), forms, locale))


@pytest.fixture
def small(tmp_path: Path) -> list[tuple[str, str, str]]:
    """Return what a glossary of three terms says: text, translation, problem."""
    path = tmp_path / "terms.toml"
    path.write_text(SMALL, encoding="utf-8")
    glossary = glossary_read(path)
    texts = [
        ("A rank range", "Ein Rangbereich"),
        ("A rank range", "Ein Rang"),
        ("Its ranks", "Ihr Platz"),
        ("by rank", "nach Platz"),
        ("What judges read", "Was man liest"),
        ("What judges read", "Was Juroren lesen"),
        ("Judge this sentence", "Bewerten Sie diesen Satz, Juror"),
    ]
    return [
        (english, translation, " ".join(glossary.problems(Key(english), [translation], "de")))
        for english, translation in texts
    ]


def test_the_longer_term_is_meant_where_one_is_part_of_another(
    small: list[tuple[str, str, str]],
) -> None:
    assert "Rangbereich" in small[1][2]
    assert "“rank”" in small[2][2]


def test_an_exempt_text_a_language_without_stems_and_a_verb_are_let_through(
    small: list[tuple[str, str, str]],
) -> None:
    assert [problem for _, _, problem in (small[0], small[3], small[4], small[6])] == [""] * 4


def test_a_word_that_is_never_to_be_used_is_named(small: list[tuple[str, str, str]]) -> None:
    assert "“judge” is “Person, die bewertet”" in small[5][2]


@pytest.mark.parametrize(
    ("english", "translation", "locale"),
    [
        ("Skip this sentence", "Satz überspringen", "de"),
        ("Skip this sentence", "Přeskočit tuto větu", "cs"),
        ("Two outputs are tied", "Dos salidas empatan", "es"),
        ("Judges rank outputs", "评判员给输出排序", "zh_Hans"),
        ("The judge’s judgments", "أحكام المقيّمين", "ar"),
        ("{judges} of %(blocks)s", "{judges} von %(blocks)s", "de"),
        ("give --systems <a class='link'>", "geben Sie --systems <a class='link'>", "de"),
    ],
)
def test_inflected_words_are_found_and_names_of_placeholders_are_no_words(
    english: str, translation: str, locale: str
) -> None:
    assert problems(english, translation, locale=locale) == []


def test_each_plural_form_holds_the_word_but_one_for_0_alone() -> None:
    forms = ["لا شيء", "جملة", "جملتان", "{n} جمل", "{n} جملة", "{n} جملة"]
    assert problems("{n} sentence", *forms, locale="ar", plural="{n} sentences") == []
    forms[4] = "{n} عبارة"
    assert problems("{n} sentence", *forms, locale="ar", plural="{n} sentences")
    assert problems("{n} sentence", "{n} Zeile", "{n} Sätze", plural="{n} sentences")


def test_the_check_and_fill_ask_the_glossary() -> None:
    (problem,) = form_problems(Key("Skip this sentence"), ("Phrase überspringen",), "de")
    assert problem == "“sentence” is “Satz” (docs/translating.md, Glossary)"


def test_each_term_has_a_word_in_every_language_and_a_name_of_its_own() -> None:
    assert all(sorted(term.words) == locales(ROOT) for term in GLOSSARY.terms)
    forms = [form for term in GLOSSARY.terms for form in term.forms]
    assert len(forms) == len(set(forms))


def test_every_term_is_in_some_text() -> None:
    texts = messages_of(ROOT)
    used = {term.english for key in texts for term in GLOSSARY.terms_of(key)}
    assert [term.english for term in GLOSSARY.terms if term.english not in used] == []


def test_every_exempt_text_is_in_the_code_and_holds_the_terms() -> None:
    texts = {key.singular: key for key in messages_of(ROOT)}
    for each in GLOSSARY.exemptions:
        assert each.text in texts, f"exempt in terms.toml, and no longer in the code: {each.text}"
        held = {term.english for term in GLOSSARY.terms_of(texts[each.text])}
        assert {*each.terms} <= held, each.text
        assert each.reason


def test_the_table_of_the_docs_is_the_glossary() -> None:
    page = (ROOT / "docs" / "translating.md").read_text(encoding="utf-8")
    assert page.partition("## Glossary")[2].endswith("\n\n" + glossary_table(GLOSSARY))
