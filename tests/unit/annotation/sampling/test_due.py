"""When a check or a repeat is due: as often as asked for, and not to be foreseen."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.rates import LONGEST, attention_due, intra_due
from tests.some_now import some_now

SEED = 0x5EED_0F_128_B175_0000_0000_0000_0001


GOLDEN = [2, 7, 10, 7, 7, 8, 2, 2, 1, 2, 3, 16]


def gaps(
    *,
    every: int,
    count: int,
    judge: str = "judge07",
    seed: int = SEED,
) -> list[int]:
    """Return the first gaps of a judge."""
    found = []
    for checks in range(count):
        since = 0
        while not attention_due(
            seed=seed,
            judge=judge,
            every=every,
            checks=checks,
            hits_since=since,
        ):
            since += 1
        found.append(since + 1)
    return found


@pytest.mark.parametrize("every", some_now([1, 2, 5, 10, 40], most=2))
def test_gaps_have_the_mean_asked_for_and_are_never_longer_than_the_bound(
    every: int,
) -> None:
    found = gaps(every=every, count=3000)
    assert max(found) <= LONGEST * every
    # The standard deviation of a geometric gap is below its mean.
    assert abs(sum(found) / 3000 - every) < 3 * every / 3000**0.5
    assert set(gaps(every=1, count=20)) == {1}


@pytest.mark.parametrize("every", [2, 5, 10])
def test_the_chance_of_a_check_does_not_depend_on_the_hits_since_the_last(
    every: int,
) -> None:
    found = gaps(every=every, count=6000)
    ended = going_on = 0
    for place in range(1, 3 * every):
        at_risk = sum(gap >= place for gap in found)
        ended_here = sum(gap == place for gap in found)
        chance = ended_here / at_risk
        error = (1 / every * (1 - 1 / every) / at_risk) ** 0.5
        assert abs(chance - 1 / every) < 4 * error
        ended, going_on = ended + ended_here, going_on + at_risk
    assert abs(ended / going_on - 1 / every) < 0.01


def test_judges_seeds_and_turns_have_gaps_of_their_own() -> None:
    own = gaps(every=10, count=40)
    assert gaps(every=10, count=40) == own
    assert gaps(every=10, count=40, judge="judge08") != own
    assert gaps(every=10, count=40, seed=SEED + 2**100) != own


def test_these_gaps_stay_the_same_in_all_versions() -> None:
    """A judge's next check must not move while a campaign is under way."""
    assert gaps(every=10, count=12, seed=7) == GOLDEN


@given(share=st.floats(0, 0.9), since=st.integers(0, 50), gap=st.integers(0, 60))
def test_no_repeat_is_due_before_there_is_something_to_repeat(
    share: float,
    since: int,
    gap: int,
) -> None:
    due = intra_due(
        seed=SEED,
        judge="j",
        share=share,
        repeat_gap=gap,
        repeats=0,
        hits_since=since,
    )
    assert not (due and since <= gap)
    millionths = round(share * 1_000_000)
    if millionths and since - gap >= ceil(LONGEST * Fraction(1_000_000, millionths)):
        assert due
