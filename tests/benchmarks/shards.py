"""Rank systems from Parquet files, with 1,000 resamples of blocks, on the engines there are.

    python -m tests.benchmarks.shards [--comparisons 10000000 20000000] [--jobs 2] [--engine process]
        [--resample blocks] [--folder F]

What `rank_judgments FILES --resample blocks` does: shards of whole segments are read, keyed and counted in all
resamples; the counts are added, and systems are scored and ranged by Expected Wins from the sum. A file holds
2,500,000 comparisons: 250,000 five-way blocks of 15 systems by 40 judges on 3,003 segments of its own, about
1.3 MB. The files are drawn before, by another process, and kept in the folder where one is given. Processor
seconds are those of all processes of this one, and memory is that of the largest; workers of Celery and of a
scheduler started by hand count for themselves. The slope between the two largest sizes says what 1,000,000,000
comparisons take.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ranking.core.judged.blocks import Blocks
from ranking.core.methods.registry import counts_method_named
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank_shards import rank_added
from ranking.core.rankings.ranking import Ranking
from ranking.core.rankings.shard_counts import CountsWanted
from ranking.core.sharding.shards import Engine, map_shards
from ranking.core.sharding.this_machine import ThisMachine
from ranking.files import JudgmentSelection
from ranking.files.counting import FilesWanted, count_files
from ranking.files.parquet_writing import in_order_of_segments, write_parquet
from ranking.files.vocabulary import Columns, Vocabulary
from ranking.management.engine_arguments import ENGINES, chosen_engine
from tests.benchmarks import say
from tests.benchmarks.drawn_campaign import drawn_campaign

A_FILE = 2_500_000
SEGMENTS = 3003
RESAMPLES = 1000
ASKED = 1_000_000_000
LIMIT_SECONDS = 300
METHOD = counts_method_named("expected_wins")


@dataclass(frozen=True)
class Cost:
    """What ranking so many comparisons took."""

    comparisons: int
    seconds: float
    processor_seconds: float


def columns_of(blocks: Blocks) -> tuple[Columns, Vocabulary]:
    """Return blocks of single systems as the columns of files."""
    places = blocks.positions
    shown = np.where(blocks.candidates < 0, places, blocks.candidates)
    candidate = np.argsort(shown, axis=1, kind="stable")[:, :places].astype(np.int32)
    unknown = np.full(len(blocks), -1)
    return (
        Columns(
            language=np.zeros(len(blocks), dtype=np.int32),
            judge=blocks.judge,
            segment=blocks.segment,
            candidate=candidate,
            label=np.take_along_axis(blocks.labels, candidate, axis=1),
            duration_ms=unknown.astype(np.int64),
            document=unknown.astype(np.int32),
        ),
        Vocabulary(
            languages={("English", "German"): 0},
            judges={name: number for number, name in enumerate(blocks.judges)},
            candidates={(name,): number for number, name in enumerate(blocks.systems)},
        ),
    )


def drawn_files(folder: str, numbers: Sequence[int]) -> None:
    """Write files of one drawn campaign, each with segments of its own, where they are missing."""
    columns, vocabulary = columns_of(drawn_campaign(A_FILE))
    columns = in_order_of_segments(columns)
    for number in numbers:
        path = Path(folder) / f"{number:04}.parquet"
        if not path.exists():
            segment = columns.segment + np.int32(SEGMENTS * number)
            write_parquet(str(path), replace(columns, segment=segment), vocabulary)


def processor_seconds() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def largest_megabytes() -> float:
    """Return the most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def ranking_of(files: Sequence[str], options: RangeOptions, engine: Engine) -> Ranking:
    counts = CountsWanted(((False, False),), options.keeps, RESAMPLES, 0)
    found = count_files(files, FilesWanted(JudgmentSelection(), "_ref", counts), engine=engine)
    return rank_added(found.counts, METHOD, {}, options, engine=engine)


def ranked(files: Sequence[str], options: RangeOptions, engine: Engine) -> Cost:
    """Rank the systems by the comparisons of files, and say what it took."""
    start, used = time.perf_counter(), processor_seconds()
    ranking = ranking_of(files, options, engine)
    comparisons = len(files) * A_FILE
    cost = Cost(comparisons, time.perf_counter() - start, processor_seconds() - used)
    widest = max(row.rank_high - row.rank_low + 1 for row in ranking.systems)
    say(
        f"{comparisons:13,} comparisons: {cost.processor_seconds:7.1f} processor seconds, "
        f"{cost.seconds:7.1f} by the clock, this process {largest_megabytes():4.0f} MB, "
        f"widest range {widest}"
    )
    return cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--comparisons", type=int, nargs="+", default=[10_000_000, 20_000_000])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--engine", dest="engine_name", choices=ENGINES, default="process")
    parser.add_argument("--scheduler")
    parser.add_argument("--resample", default="blocks")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    options = RangeOptions(resample=given.resample, resamples=RESAMPLES)
    numbers = range(max(given.comparisons) // A_FILE)
    with ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(TemporaryDirectory()))
        folder.mkdir(exist_ok=True)
        # By two processes of their own, whose memory does not count here.
        both = [numbers[start::2] for start in range(2)]
        map_shards(partial(drawn_files, str(folder)), both, engine=ThisMachine(2))
        files = [str(folder / f"{number:04}.parquet") for number in numbers]
        engine = stack.enter_context(chosen_engine(vars(given), say=say))
        ranking_of(
            files[:2], options, engine
        )  # warm: kernels loaded, and compiled where they were not
        sizes = sorted(given.comparisons)
        *_, before, last = [ranked(files[: size // A_FILE], options, engine) for size in sizes]
    slope = (last.processor_seconds - before.processor_seconds) / (
        last.comparisons - before.comparisons
    )
    total = last.processor_seconds + slope * (ASKED - last.comparisons)
    say(
        f"slope {slope * 1e6:.3f} processor seconds a million comparisons; {ASKED:,} by the slope: "
        f"{total:.0f} processor seconds, {total / given.jobs:.0f} s on {given.jobs} cores "
        f"(wanted: below {LIMIT_SECONDS})"
    )


if __name__ == "__main__":
    main()
