"""How many minutes of work are left for a judge."""

import pytest

from annotation.selectors.progress import FEWEST_FOR_A_PACE, JudgeWork


@pytest.mark.parametrize(
    ("blocks_done", "quota", "pace", "minutes"),
    [
        (4, 10, 60_000, 6),
        (4, 10, 30_000, 3),
        (12, 10, 60_000, 0),
        (4, None, 60_000, None),
    ],
    ids=["a minute each", "half a minute each", "above the quota", "no quota"],
)
def test_minutes_left_follow_the_pace(
    blocks_done: int,
    quota: int | None,
    pace: int,
    minutes: int | None,
) -> None:
    work = JudgeWork(
        blocks_done=blocks_done,
        blocks_held=0,
        quota=quota,
        times=[pace] * FEWEST_FOR_A_PACE,
    )
    assert work.progress.minutes_left == minutes


def test_one_fast_hit_is_no_pace() -> None:
    work = JudgeWork(
        blocks_done=3,
        blocks_held=0,
        quota=45,
        times=[2_000] * (FEWEST_FOR_A_PACE - 1),
    )
    assert work.progress.minutes_left is None


def test_slow_blocks_count_in_the_estimate_as_they_will_again() -> None:
    """Ten blocks left, every third of four minutes: twenty minutes, where the median says ten."""
    work = JudgeWork(
        blocks_done=6,
        blocks_held=0,
        quota=16,
        times=[60_000, 60_000, 240_000] * 2,
    )
    assert work.progress.minutes_left == 20
