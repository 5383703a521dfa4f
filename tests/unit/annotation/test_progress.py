"""How many minutes of work are left for a judge."""

import pytest

from annotation.selectors.progress import FEWEST_FOR_A_PACE, JudgeWork


@pytest.mark.parametrize(
    ("done", "wanted", "pace", "minutes"),
    [
        (4, 10, 60_000, 6),
        (4, 10, 30_000, 3),
        (12, 10, 60_000, 0),
        (4, None, 60_000, None),
    ],
    ids=["a minute each", "half a minute each", "more than wanted", "nothing wanted"],
)
def test_minutes_left_follow_the_pace(
    done: int,
    wanted: int | None,
    pace: int,
    minutes: int | None,
) -> None:
    work = JudgeWork(done=done, held=0, wanted=wanted, times=[pace] * FEWEST_FOR_A_PACE)
    assert work.progress.minutes_left == minutes


def test_one_fast_hit_is_no_pace() -> None:
    work = JudgeWork(done=3, held=0, wanted=45, times=[2_000] * (FEWEST_FOR_A_PACE - 1))
    assert work.progress.minutes_left is None


def test_slow_blocks_count_in_the_estimate_as_they_will_again() -> None:
    """Ten blocks left, every third of four minutes: twenty minutes, where the median says ten."""
    work = JudgeWork(done=6, held=0, wanted=16, times=[60_000, 60_000, 240_000] * 2)
    assert work.progress.minutes_left == 20
