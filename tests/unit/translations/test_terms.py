"""The glossary: one word for one thing, in the docs as in the check."""

import pytest

from translations.__main__ import ROOT
from translations.checking import form_problems
from translations.extraction import Key, messages_of
from translations.files import locales
from translations.terms import glossary_read

GLOSSARY = glossary_read()


def problems(english: str, *forms: str, locale: str = "de", plural: str = "") -> list[str]:
    return list(GLOSSARY.problems(Key(english, plural), forms, locale))


def test_the_check_and_fill_ask_the_glossary() -> None:
    (problem,) = form_problems(Key("Skip this sentence"), ("Phrase überspringen",), "de")
    assert problem == "“sentence” is “Satz” (docs/translating.md, Glossary)"


def test_each_term_has_a_word_in_every_language_and_a_name_of_its_own() -> None:
    assert all(sorted(term.words) == locales(ROOT) for term in GLOSSARY.terms)
    forms = [form for term in GLOSSARY.terms for form in term.forms]
    assert len(forms) == len(set(forms))


@pytest.mark.thorough
def test_every_term_is_in_some_text() -> None:
    texts = messages_of(ROOT)
    used = {term.english for key in texts for term in GLOSSARY.terms_of(key)}
    assert [term.english for term in GLOSSARY.terms if term.english not in used] == []


@pytest.mark.thorough
def test_every_exempt_text_is_in_the_code_and_holds_the_terms() -> None:
    texts = {key.singular: key for key in messages_of(ROOT)}
    for each in GLOSSARY.exemptions:
        assert each.text in texts, f"exempt in terms.toml, and no longer in the code: {each.text}"
        held = {term.english for term in GLOSSARY.terms_of(texts[each.text])}
        assert {*each.terms} <= held, each.text
        assert each.reason
