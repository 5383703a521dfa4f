"""What the check lets through and what it does not."""

from collections.abc import Sequence

import pytest
from babel import Locale
from babel.messages import Catalog

from translations.catalogues import Key, form_problems, problems_of

WORDS = Key("{n} sentence", "{n} sentences")


def catalogue(english: str, translation: str, flags: Sequence[str] = ()) -> Catalog:
    made = Catalog(locale=Locale.parse("cs"))
    made.add(english, translation, flags=flags)
    return made


def texts(*places: tuple[str, str, str | None]) -> Catalog:
    """Return texts of the code by text, file and context."""
    found = Catalog()
    for text, file, context in places:
        found.add(text, locations=[(file, 7)], context=context)
    return found


def problems(english: str, translation: str) -> list[str]:
    return list(form_problems(Key(english), (translation,), "de"))


@pytest.mark.parametrize(
    ("english", "translation"),
    [
        ("Submit", "Absenden"),
        ("%(count)d of %(name)s", "%(name)s: %(count)d"),
        ("{letter}: {rank}.", "{rank} für {letter}."),
        ("100 % sure of %(name)s", "%(name)s: ganz sicher"),
        ("Read <code>x</code>", "<code>x</code> lesen"),
        ("50 % fewer", "50 % weniger"),
        ("As in §2.2.2, for 1,4-7", "Wie in §2.2.2, für 1,4-7"),
    ],
)
def test_a_faithful_translation_has_no_fault(english: str, translation: str) -> None:
    assert problems(english, translation) == []


@pytest.mark.parametrize(
    ("english", "translation", "problem"),
    [
        ("Submit", "", "is not translated"),
        ("%(count)d done", "%(number)d fertig", "placeholders differ"),
        ("%(count)d done", "%(count)s fertig", "placeholders differ"),
        ("%(count)d done", "fertig", "placeholders differ"),
        ("%s and %s", "%s", "placeholders differ"),
        ("{done} of {wanted}", "{done} von {gewollt}", "placeholders differ"),
        ("{done} done", "{done} und {done}", "placeholders differ"),
        ("%(share)s%% of all", "%(share)s % von allen", "lone %"),
        ("<b>Now</b>", "<b>Jetzt", "HTML tags differ"),
        ('<a href="/">Start</a>', '<a href="/x">Start</a>', "HTML tags differ"),
        ("done ", "fertig", "white space"),
        ("done", "fertig\n", "white space"),
        ("p is at most 0.05", "p ist höchstens 0,05", "decimals"),
        ("1,000 sentences", "1.000 Sätze", "decimals"),
    ],
)
def test_lost_part_of_a_translation_is_named(
    english: str,
    translation: str,
    problem: str,
) -> None:
    assert [problem in found for found in problems(english, translation)] == [True]


@pytest.mark.parametrize(
    ("locale", "forms"),
    [
        ("zh_Hans", ["{n} 句"]),
        ("de", ["{n} Satz", "{n} Sätze"]),
        ("de", ["Ein Satz", "{n} Sätze"]),
        ("cs", ["{n} věta", "{n} věty", "{n} vět"]),
        ("ar", ["لا جمل", "جملة", "جملتان", "{n} جمل", "{n} جملة", "{n} جملة"]),
    ],
)
def test_locales_have_their_plural_forms(locale: str, forms: list[str]) -> None:
    assert list(form_problems(WORDS, forms, locale)) == []
    assert list(form_problems(WORDS, [*forms[:-1], ""], locale))
    assert list(form_problems(WORDS, [*forms, forms[-1]], locale))


def test_a_number_that_stands_by_its_place_cannot_be_left_out() -> None:
    key = Key("%d sentence", "%d sentences")
    assert list(form_problems(key, ["Ein Satz", "%d Sätze"], "de"))
    assert not list(form_problems(key, ["%d Satz", "%d Sätze"], "de"))


def test_text_that_is_not_in_the_catalogue_is_named_with_its_file() -> None:
    found = texts(("Skip", "templates/judge/judge.html", None))
    (problem,) = problems_of(Catalog(locale=Locale.parse("cs")), found, "cs")
    assert str(problem) == (
        "cs: templates/judge/judge.html: is missing from the catalogue; run `make messages`: Skip"
    )


def test_a_fuzzy_translation_is_none() -> None:
    found = texts(("Skip", "a.py", None))
    (problem,) = problems_of(catalogue("Skip", "Přeskočit", ["fuzzy"]), found, "cs")
    assert "fuzzy" in str(problem)


def test_the_same_word_in_two_contexts_is_two_texts() -> None:
    found = texts(("May", "a.py", None), ("May", "a.py", "month"))
    (problem,) = problems_of(catalogue("May", "Smět"), found, "cs")
    assert problem.key.context == "month"


SHARE = Key(
    "%(size)s of %(judgments)s judgments decides first place",
    "%(size)s of %(judgments)s judgments decide first place",
)


@pytest.mark.parametrize(
    ("one", "counter", "is_refused"),
    [
        ("Ein Urteil von %(judgments)s entscheidet", "size", False),
        ("Ein Urteil von %(judgments)s entscheidet", None, True),
        ("%(size)s von einem Urteil entscheidet", "size", True),
        ("Es entscheidet", "size", True),
    ],
)
def test_a_form_for_one_number_keeps_all_placeholders_but_that_number(
    one: str,
    counter: str | None,
    is_refused: bool,
) -> None:
    forms = [one, "%(size)s von %(judgments)s Urteilen entscheiden"]
    assert (
        any(
            "placeholders differ" in each
            for each in form_problems(SHARE, forms, "de", counter=counter)
        )
        == is_refused
    )
