"""How many minutes of work are left for a judge."""

import pytest

from annotation.selectors.progress import JudgeWork


@pytest.mark.parametrize(
    ("done", "wanted", "pace", "minutes"),
    [(4, 10, 60_000, 6), (4, 10, 30_000, 3), (12, 10, 60_000, 0), (4, None, 60_000, None)],
    ids=["a minute each", "half a minute each", "more than wanted", "nothing wanted"],
)
def test_what_is_left_takes_its_pace(
    done: int, wanted: int | None, pace: int, minutes: int | None
) -> None:
    work = JudgeWork(done=done, held=0, wanted=wanted, times=[pace])
    assert work.progress.minutes_left == minutes
