"""Recompute stored rankings and tallies from their records, and compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from django.db import transaction

from annotation.selectors.systems import left_out_recorded
from ranking.core.counting.counts import tally
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.core.live.moments import DamagedStateError
from ranking.core.live.state import LiveTallies
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.records import RunResult, part_of_row
from ranking.models import LatestRanking, RankingRun, StoredTallies
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.runs import system_kinds
from ranking.services.live_tallies import live_definition
from ranking.services.quality import judge_tallies
from ranking.services.run_results import run_result, run_tallies, with_documents
from ranking.services.runs import ranking_compute
from version import code_version


def ranking_run_reproduce(run: RankingRun) -> RunResult:
    """Return the result of a run, kept or not, recomputed only from its record.

    It equals `run.result` bit for bit, even after later judgments, revisions and changes: judgments
    and revisions after the watermark do not count, and later systems are left out, as are
    columns of the ranking table added after the run. (Resampling uses the names of systems
    and judges, so renaming one changes the result.)

    Raises
    ------
    ValueError
        If this version no longer computes such runs, or if judgments of wrong outputs have been excluded or included again
        since.
    """
    if run.method not in METHODS:
        raise ValueError(
            f"Rankings by {run.method!r} cannot be reproduced by this version of Quintet.",
        )
    version = run.parameters["content_key_version"]
    if version != CONTENT_KEY_VERSION:
        raise ValueError(
            f"The run resampled by content keys of version {version}; "
            f"this code has version {CONTENT_KEY_VERSION}.",
        )
    recorded = {}
    for key in ("corrections", "withdrawn", "withdrawn_digest"):
        if key in run.parameters:
            recorded[key] = run.parameters[key]
    left_out = left_out_recorded(run.task_id)
    if "withdrawn_digest" not in recorded and "withdrawn" in recorded:
        # Runs of older versions have the number only.
        left_out.pop("withdrawn_digest", None)
    if left_out != recorded:
        raise ValueError(
            "This run cannot be reproduced: judgments of corrected outputs were excluded or included again after it, or answers were withdrawn or taken back.",
        )
    with transaction.atomic():
        result = run_result(run)
    columns: set[str] = set()
    columns.update(*run.result["systems"])
    result["systems"] = [part_of_row(row, columns) for row in result["systems"]]
    return result


@dataclass(kw_only=True)
class RunsChecked:
    """Result of recomputing a task's rankings.

    Attributes
    ----------
    same : int
        Rankings reproduced bit for bit.
    computed_otherwise : int
        Rankings of another version with the same scores and order, bit for bit, for which this version computes other
        ranges, p-values or agreement.
    differing : list[int]
        Watermarks of rankings with another result.
    refused : list[str]
        Reasons why this version cannot recompute some rankings.
    """

    same: int = 0
    computed_otherwise: int = 0
    differing: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def runs_check(*, task_id: int) -> RunsChecked:
    """Recompute each ranking of a task from its record; nothing is changed."""
    checked = RunsChecked()
    for run in _runs(task_id):
        try:
            again = ranking_run_reproduce(run)
        except ValueError as reason:
            checked.refused.append(str(reason))
            continue
        if again == run.result:
            checked.same += 1
        elif run.code_version != code_version() and _order(again) == _order(run.result):
            checked.computed_otherwise += 1
        else:
            checked.differing.append(run.watermark)
    return checked


def _order(result: RunResult) -> list[tuple[str, float | None, int]]:
    return [(row["system"], row["score"], row["rank"]) for row in result["systems"]]


def _runs(task_id: int) -> Iterator[RankingRun]:
    runs = RankingRun.objects.filter(task=task_id).order_by("pk")
    yield from runs.iterator(chunk_size=20)
    latest = LatestRanking.objects.filter(pk=task_id).first()
    if latest is not None:
        yield latest.as_run()


def tallies_check(*, task_id: int) -> list[str]:
    """Return the names of differences between a task's stored numbers and its judgments.

    All judgments are read and recounted, as when a run is reproduced, instead of only the changed
    segments. Tallies that were checked and have not changed since are not recounted. Wrong tallies
    are discarded, also in the memory of workers, and the ranking is recomputed.
    """
    row = StoredTallies.objects.filter(pk=task_id).first()
    latest = LatestRanking.objects.filter(pk=task_id).first()
    if row is None or latest is None or row.checked_watermark == latest.watermark:
        return []
    run = latest.as_run()
    wrong = list(_differing(row, run))
    if not wrong:
        rows = StoredTallies.objects.filter(pk=task_id, build=row.build)
        rows.update(checked_watermark=run.watermark)
    else:
        # Workers with a copy in memory notice that the row is gone.
        StoredTallies.objects.filter(pk=task_id).delete()
        ranking_compute(task_id=task_id, again=True)
    return wrong


def _differing(row: StoredTallies, run: RankingRun) -> Iterable[str]:
    """Yield the names of differences; none for tallies with another definition, which are replaced anyway."""
    kinds = system_kinds(task_id=run.task_id)
    definition = live_definition(run, kinds)
    if bytes(row.definition) != definition.digest:
        return
    if ranking_run_reproduce(run) != run.result:
        yield "result"
    try:
        stored = LiveTallies.unpacked(row.packed, definition)
    except DamagedStateError:
        yield "packed"
        return
    run = copy(run)
    run.watermark = row.watermark
    judged = judged_blocks(task=run.task, watermark=row.watermark)
    counted = run_tallies(run, with_documents(run.task_id, judged)).arrays()
    stored_arrays = stored.ranking.tallies().arrays()
    for name in sorted(counted.keys() | stored_arrays.keys()):
        if not np.array_equal(
            counted.get(name, np.nan),
            stored_arrays.get(name, np.nan),
        ):
            yield name
    pairs = tally(judged.without_judges(definition.ranking.excluded))
    has_same_wins = np.array_equal(pairs.wins, stored.pairs.wins)
    if not has_same_wins or not np.array_equal(pairs.ties, stored.pairs.ties):
        yield "pairs"
    if judge_tallies(run, judged) != stored.judges:
        yield "judges"
