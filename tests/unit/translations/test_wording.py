"""The check of wording finds what reads like a translation."""

import pytest

from translations.wording import wording_problems


@pytest.mark.parametrize(
    "text",
    [
        "Nobody chose it",
        "390 blocks judged (22% of those wanted)",
        "22 % of target",
        "A judge ranks so many outputs",
        "There is no such panel.",
        "Whether a reference is shown.",
        "Anonymize systems",
        "These are not modeled.",
        "A judge's pace",
        "Leave blank for no limit.",
        "You rank up to five translations.",
    ],
)
def test_translated_english_is_found(text: str) -> None:
    assert list(wording_problems(text))


@pytest.mark.parametrize(
    "text",
    [
        "What should judges do?",
        "22% of target",
        "Closes automatically on",
        "Offline",
        "Translations",
        "Anonymise systems of this size",
        "W. E. Smith (1956), Various Optimizers for Single-Stage Production",
    ],
)
def test_plain_english_passes(text: str) -> None:
    assert not list(wording_problems(text))
