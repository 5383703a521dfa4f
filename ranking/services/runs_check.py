"""Recompute rankings and tallies, compare them bit for bit with the stored ones, and correct errors."""

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from ranking.core.counting.counts import tally
from ranking.core.live.moments import DamagedStateError
from ranking.core.live.state import LiveTallies
from ranking.models import LatestRanking, RankingRun, StoredTallies
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.runs import system_kinds
from ranking.services.quality import judge_tallies
from ranking.services.run_results import run_tallies, with_documents
from ranking.services.runs import live_definition, ranking_compute, ranking_run_reproduce


@dataclass(kw_only=True)
class RunsChecked:
    """Result of recomputing a task's rankings.

    Attributes
    ----------
    same : int
        Rankings reproduced bit for bit.
    differing : list[int]
        Watermarks of rankings with another result.
    refused : list[str]
        Reasons why this version cannot recompute some rankings.
    """

    same: int = 0
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
        else:
            checked.differing.append(run.watermark)
    return checked


def _runs(task_id: int) -> Iterator[RankingRun]:
    yield from RankingRun.objects.filter(task=task_id).order_by("pk").iterator(chunk_size=20)
    latest = LatestRanking.objects.filter(pk=task_id).first()
    if latest is not None:
        yield latest.as_run()


def tallies_check(*, task_id: int, corrects: bool = True) -> list[str]:
    """Return the names of differences between a task's stored numbers and its judgments.

    All judgments are read and recounted, as when a run is reproduced, instead of only the changed
    segments. Tallies that were checked and have not changed since are not recounted. With
    `corrects`, wrong tallies are discarded, also in the memory of workers, and the ranking is
    recomputed.
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
    elif corrects:
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
    judged = judged_blocks(task_id=run.task_id, watermark=row.watermark)
    counted = run_tallies(run, with_documents(run.task_id, judged)).arrays()
    held = stored.ranking.tallies().arrays()
    for name in sorted(counted.keys() | held.keys()):
        if not np.array_equal(counted.get(name, np.nan), held.get(name, np.nan)):
            yield name
    pairs = tally(judged.without_judges(definition.ranking.excluded))
    if not (
        np.array_equal(pairs.wins, stored.pairs.wins)
        and np.array_equal(pairs.ties, stored.pairs.ties)
    ):
        yield "pairs"
    if judge_tallies(run, judged) != stored.judges:
        yield "judges"
