"""Damaged references: always another text, always the same for the same seed."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.texts.damage import USUAL_DAMAGES, Damage, bad_text, damage_draw
from campaign.texts.hash_draw import HashDraw
from campaign.texts.normalisation import normalise_text

WORDS = st.text(min_size=1, max_size=40).filter(str.strip)
SENTENCE = "The museum opens at 9 and closes by 17 on every day but Monday ."
OTHER = "A small bird built its nest behind the green clock of the station ."


def draw(segment: int = 1, attempt: int = 1) -> HashDraw:
    return damage_draw(seed=7, segment=segment, attempt=attempt)


@given(
    reference=WORDS,
    others=st.lists(WORDS, max_size=4),
    forbidden=st.lists(WORDS, max_size=4),
    damages=st.permutations(list(Damage)).map(lambda order: order[:3]),
    segment=st.integers(1, 10**6),
)
@example("a", ["a"], ["a a"], [Damage.SWAPPED], 1)
@example("1", [], ["2", "3", "4"], [Damage.NUMBERS], 1)
def test_a_damaged_text_is_never_the_reference_nor_an_output_and_never_blank(
    reference: str,
    others: list[str],
    forbidden: list[str],
    damages: list[Damage],
    segment: int,
) -> None:
    made = bad_text(
        reference,
        others=others,
        forbidden=forbidden,
        draw=draw(segment),
        damages=damages,
    )
    assert made.text.strip()
    assert normalise_text(made.text) not in {
        normalise_text(text) for text in (reference, *forbidden)
    }
    again = bad_text(
        reference,
        others=others,
        forbidden=forbidden,
        draw=draw(segment),
        damages=damages,
    )
    assert made == again


def test_damages_do_what_their_names_say() -> None:
    def made(damage: Damage) -> list[str]:
        text = bad_text(
            SENTENCE,
            others=[OTHER],
            forbidden=(),
            draw=draw(),
            damages=[damage],
        ).text
        return text.split()

    words = SENTENCE.split()
    dropped = made(Damage.DROPPED)
    assert len(dropped) == len(words) - 5  # a third of fifteen
    assert [word for word in words if word in dropped] == dropped
    assert sorted(made(Damage.REORDERED)) == sorted(words)
    assert made(Damage.SWAPPED) == OTHER.split()
    replaced = made(Damage.REPLACED)
    assert len(replaced) == len(words)
    # Fifteen words: a stretch of four (Findings of WMT16).
    assert sum(new != old for new, old in zip(replaced, words, strict=True)) <= 4
    assert set(replaced) - set(words) <= set(OTHER.split())
    numbers = made(Damage.NUMBERS)
    changed = [
        i for i, (new, old) in enumerate(zip(numbers, words, strict=True)) if new != old
    ]
    assert changed == [4, 8]
    assert made(Damage.REPEATED) == words * 2


def test_digits_stay_in_their_script() -> None:
    made = bad_text(
        "المتحف يفتح ٩ صباحا",
        others=[],
        forbidden=(),
        draw=draw(),
        damages=[Damage.NUMBERS],
    )
    digit = next(character for character in made.text if character.isdecimal())
    assert digit in "٠١٢٣٤٥٦٧٨"


def test_a_script_without_spaces_is_damaged_by_characters_with_their_marks() -> None:
    reference = "พิพิธภัณฑ์เปิดทุกวัน"
    made = bad_text(
        reference,
        others=[],
        forbidden=(),
        draw=draw(),
        damages=[Damage.REORDERED],
    ).text
    assert " " not in made
    assert sorted(made) == sorted(reference)
    # No mark has lost the letter it belongs to.
    assert not made.startswith(("ิ", "์", "ั"))


def test_another_attempt_draws_another_text() -> None:
    texts = {
        bad_text(
            SENTENCE,
            others=[OTHER],
            forbidden=(),
            draw=draw(attempt=attempt),
        ).text
        for attempt in range(1, 9)
    }
    assert len(texts) > 4


def test_the_usual_damages_are_all_drawn() -> None:
    drawn = {
        bad_text(SENTENCE, others=[OTHER], forbidden=(), draw=draw(segment)).damage
        for segment in range(1, 60)
    }
    assert drawn == set(USUAL_DAMAGES)


def test_a_blank_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="blank"):
        bad_text("  ", others=[OTHER], forbidden=(), draw=draw())
