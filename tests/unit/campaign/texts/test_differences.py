"""Where two texts differ, by words or by characters."""

import time

import pytest

from campaign.texts import differences as module
from campaign.texts.differences import Run, differences


def marked(runs: list[Run]) -> str:
    return "".join(f"[{run.text}]" if run.differs else run.text for run in runs)


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("Um sechs nahm sie ab.", "Um sechs nahm sie ab.", ("Um sechs nahm sie ab.",) * 2),
        # Neighbours are one run, with the space between them.
        ("Um sieben Uhr ging er.", "Um sechs ging er.", ("Um [sieben Uhr] ging er.", "Um [sechs] ging er.")),
        ("Ja, gut.", "Ja gut.", ("Ja[,] gut.", "Ja gut.")),
        ("他们五点关门。", "他们六点关门。", ("他们[五]点关门。", "他们[六]点关门。")),
        ("ผมกินข้าว", "ผมกินปลา", ("ผมกิน[ข้]า[ว]", "ผมกิน[ปล]า")),
        ("ذهب الولد إلى البيت", "ذهبت البنت إلى البيت", ("[ذهب الولد] إلى البيت", "[ذهبت البنت] إلى البيت")),
        # é as one character and as two; a soft hyphen.
        ("caf\u00e9 Donau\u00addampf", "cafe\u0301 Donaudampf", ("caf\u00e9 Donau\u00addampf", "cafe\u0301 Donaudampf")),
        ("", "neu", ("", "[neu]")),
    ],
)  # fmt: skip
def test_words_that_the_other_does_not_have_there(
    one: str,
    other: str,
    shown: tuple[str, str],
) -> None:
    first, second = differences(one, other)
    assert (marked(first), marked(second)) == shown
    assert (
        "".join(run.text for run in first),
        "".join(run.text for run in second),
    ) == (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a " * 2_000, "b a " * 1_000), ("a b " * 1_000, "a b a " * 660)],
)
def test_texts_that_repeat_a_few_words_take_no_time(one: str, other: str) -> None:
    began = time.process_time()
    first, second = differences(one, other)
    assert time.process_time() - began < 2
    assert (
        "".join(run.text for run in first),
        "".join(run.text for run in second),
    ) == (one, other)


def test_ends_of_long_texts_are_compared() -> None:
    first, _second = differences("x " + "a " * 1_500 + "y", "x " + "b a " * 750 + "y")
    assert (first[0], first[-1]) == (
        Run("x ", differs=False),
        Run(" a y", differs=False),
    )


def test_texts_that_would_take_too_long_are_shown_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_TOKENS", 3)
    first, _second = differences("a b c d", "e f")
    assert first == [Run("a b c d", differs=False)]
