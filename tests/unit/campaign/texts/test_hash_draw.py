"""Hash draws never change: what was drawn with them must be drawn the same again."""

from campaign.texts.damage import damage_draw
from campaign.texts.hash_draw import HashDraw


def test_draws_of_hits_are_those_of_the_first_release() -> None:
    draw = HashDraw(seed=7, number=3)
    assert draw.integer("rate") == 13875373629504492903
    assert draw.shuffled("abcde", str, "order") == ["a", "c", "e", "d", "b"]


def test_draws_of_damages_are_those_of_the_first_release() -> None:
    draw = damage_draw(seed=7, segment=3, attempt=1)
    assert draw.below(1000, "at", 0) == 197
    assert draw.shuffled(range(6), str, "drop", 0) == [0, 1, 5, 3, 2, 4]


def test_an_attempt_draws_by_itself() -> None:
    first, again = (HashDraw(seed=7, number=3, attempt=attempt) for attempt in (1, 2))
    assert (
        first.integer("at")
        != again.integer("at")
        != HashDraw(seed=7, number=3).integer("at")
    )
