"""Rankings by Lopez that take long are announced, on standard error, before they begin."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.rankings.rank import rank
from ranking.management import lopez_announcement as announcing
from ranking.management.commands import rank_judgments
from ranking.range_choices import RangeChoice, completed_choice
from tests.unit.ranking.management.conftest import HEADER

BLOCKS = blocks_from_rows([BlockRow("j", 1, ["A", "B"], [1, 2])], ["A", "B"])


def announced(choice: RangeChoice | None = None, *, jobs: int = 1) -> str | None:
    return announcing.lopez_announcement(
        BLOCKS, choice or RangeChoice(), resamples=1000, seed=0, jobs=jobs, time_limit=60.0
    )


@pytest.fixture
def takes(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let the estimate be so many seconds on one thread."""

    def estimate(seconds: float) -> None:
        def of_resamples(blocks: Blocks, **_arguments: Any) -> float:
            return seconds

        monkeypatch.setattr(announcing, "seconds_of_resamples", of_resamples)
        monkeypatch.setattr("os.cpu_count", lambda: 4)

    return estimate


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (10.1, "about 10 seconds"),
        (44, "about 40 seconds"),
        (89, "about 90 seconds"),
        (95, "about 2 minutes"),
        (3600, "about 60 minutes"),
        (6000, "about 2 hours"),
        (100_000_000, "about 27,778 hours"),
    ],
)
def test_the_time_is_said_in_round_numbers(
    takes: Callable[[float], None], seconds: float, said: str
) -> None:
    takes(seconds)
    sentence = f"Lopez with 2 systems: 1,000 resamples take {said}. Ask for fewer with --resamples."
    assert announced() == sentence


def test_ten_seconds_are_not_announced_and_threads_share_the_time(
    takes: Callable[[float], None],
) -> None:
    takes(10)
    assert announced() is None
    takes(80)
    assert "about 40 seconds" in str(announced(jobs=2))
    # More threads than processors are no faster.
    assert "about 20 seconds" in str(announced(jobs=8))


def test_only_ranges_that_resample_are_announced(takes: Callable[[float], None]) -> None:
    takes(1000)
    assert announced(completed_choice({"ranges": "confidence_set"})) is not None
    assert announced(completed_choice({"ranges": "sign_test"})) is None
    assert announced(completed_choice({"ranges": "anytime"})) is None


@pytest.fixture
def twenty_systems(tmp_path: Path) -> str:
    """Two hundred blocks of three of twenty systems, ranked at random."""
    random = np.random.default_rng(0)
    rows = [
        f"Czech,English,{segment},d,{segment},j{segment % 7},"
        + ",".join(f"s{index:02}" for index in random.permutation(20)[:3])
        + ",1,2,3\n"
        for segment in range(1, 201)
    ]
    path = tmp_path / "twenty.csv"
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return str(path)


def ranked(path: str, *arguments: str, stderr: io.StringIO) -> Any:
    out = io.StringIO()
    asked = ("--method", "lopez", "--resamples", "30", "--format", "json", *arguments)
    call_command("rank_judgments", path, *asked, stdout=out, stderr=stderr)
    return json.loads(out.getvalue())


def test_the_command_announces_before_it_ranks_and_the_result_is_the_same(
    twenty_systems: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stderr = io.StringIO()
    unannounced = ranked(twenty_systems, stderr=stderr)
    assert stderr.getvalue() == ""

    said_before: list[str] = []

    def rank_later(*arguments: Any, **named: Any) -> Any:
        said_before.append(stderr.getvalue())
        return rank(*arguments, **named)

    monkeypatch.setattr(announcing, "LONG", 0.0)
    monkeypatch.setattr(rank_judgments, "rank", rank_later)
    assert ranked(twenty_systems, stderr=stderr) == unannounced
    (said,) = said_before
    assert said.startswith("Lopez with 20 systems: 30 resamples take about 10 seconds.")
    assert said.count("\n") == 1
    quiet = io.StringIO()
    assert ranked(twenty_systems, "--verbosity", "0", stderr=quiet) == unannounced
    assert quiet.getvalue() == ""
