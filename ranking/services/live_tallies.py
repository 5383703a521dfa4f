"""Update the tallies of a task with new judgments, or recount them; workers hold some in memory and store them at intervals."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Now

from campaign.models import SystemKind, Task
from ranking.core.live.moments import DamagedStateError
from ranking.core.live.state import LiveDefinition, LiveTallies
from ranking.models import RankingRun, StoredTallies
from ranking.selectors.judged_columns import changed_judgments
from ranking.selectors.runs import system_of_kind
from ranking.services.run_results import run_definition
from version import code_version

logger = logging.getLogger(__name__)
#: Tallies in memory are stored after this many judgments. A worker that starts counts the later ones.
STORED_AFTER_JUDGMENTS = 300


def live_definition(run: RankingRun, kinds: Mapping[str, str]) -> LiveDefinition:
    """Return the definition of the live tallies for a run; `kinds` are the kinds of systems by name."""
    # Corrections that leave out judgments, and withdrawn blocks, change the counts of blocks.
    left_out = [str(key) for key in run.parameters.get("corrections", ())]
    left_out.append(run.parameters.get("withdrawn_digest", ""))
    return LiveDefinition(
        ranking=run_definition(run.parameters, method=run.method, seed=run.seed),
        systems=tuple(sorted(kinds)),
        reference=system_of_kind(kinds, SystemKind.REFERENCE),
        bad_reference=system_of_kind(kinds, SystemKind.BAD_REFERENCE),
        version=" ".join([code_version(), *filter(None, left_out)]),
    )


def live_tallies(run: RankingRun, *, kinds: Mapping[str, str]) -> LiveTallies:
    """Return the tallies of the judgments 1…watermark for a run; `kinds` are the kinds of systems by name.

    Tallies in memory or in the test set's row are updated; all judgments are recounted if these
    have another definition, are damaged, or include later judgments. Tallies in memory are only
    reused once the transaction has been committed. Call it under the lock of the test set's ranking.
    """
    definition = live_definition(run, kinds)
    task_id = run.task_id
    cached = CACHE.pop(task_id, None)
    stored = StoredTallies.objects.filter(pk=task_id)
    if cached is not None:
        stored = stored.defer("packed")
    row = stored.first()
    if row is None or bytes(row.definition) != definition.digest:
        cached = None
    elif (
        cached is None or cached.build != row.build or cached.watermark < row.watermark
    ):
        cached = _read(row, definition)
    if cached is not None and cached.watermark > run.watermark:
        # The run has an earlier watermark; leave the tallies in memory unchanged.
        _put_after_commit(task_id, cached)
        return _count_tallies(run, definition)
    if cached is not None:
        cached = _advance_tallies(cached, run)
    if cached is None:
        cached = CachedTallies(_count_tallies(run, definition), run.watermark)
    if cached.is_to_store:
        _store(cached, task_id)
    _put_after_commit(task_id, cached)
    return cached.tallies


def _read(row: StoredTallies, definition: LiveDefinition) -> CachedTallies | None:
    try:
        tallies = LiveTallies.unpacked(row.packed, definition)
    except DamagedStateError:
        logger.exception("Recounting the tallies of task %s.", row.pk)
        return None
    return CachedTallies(tallies, row.watermark, row.build, row.watermark)


def _advance_tallies(cached: CachedTallies, run: RankingRun) -> CachedTallies | None:
    """Return the tallies updated to the run's watermark; None if they do not fit."""
    if cached.watermark == run.watermark:
        return cached
    try:
        _apply(cached.tallies, run.task, start=cached.watermark, stop=run.watermark)
    except ValueError:
        logger.exception("Recounting the tallies of task %s.", run.task_id)
        return None
    cached.watermark = run.watermark
    return cached


def _count_tallies(run: RankingRun, definition: LiveDefinition) -> LiveTallies:
    tallies = LiveTallies(definition)
    _apply(tallies, run.task, start=0, stop=run.watermark)
    return tallies


def _apply(tallies: LiveTallies, task: Task, *, start: int, stop: int) -> None:
    systems = tallies.definition.systems
    for changed in changed_judgments(
        task=task,
        start=start,
        stop=stop,
        systems=systems,
    ):
        tallies.apply(changed)


def _store(cached: CachedTallies, task_id: int) -> None:
    """Replace the tallies in the row of their test set."""
    row = StoredTallies(
        task_id=task_id,
        build=cached.build,
        watermark=cached.watermark,
        definition=cached.tallies.definition.digest,
        packed=cached.tallies.packed(),
        stored_at=Now(),
    )
    fields = ["build", "watermark", "definition", "packed", "stored_at"]
    StoredTallies.objects.bulk_create(
        [row],
        update_conflicts=True,
        update_fields=fields,
        unique_fields=["task"],
    )
    cached.stored_watermark = cached.watermark


def _put_after_commit(task_id: int, cached: CachedTallies) -> None:
    def put() -> None:
        CACHE[task_id] = cached
        if len(CACHE) > MOST_CACHED:
            CACHE.pop(next(iter(CACHE)), None)

    transaction.on_commit(put)


#: Number of test sets whose tallies are held in memory, those ranked most recently.
MOST_CACHED = 8


@dataclass
class CachedTallies:
    """Tallies at a watermark, and the state of their stored row."""

    tallies: LiveTallies
    watermark: int
    build: UUID = field(default_factory=uuid4)
    #: The watermark of the row; -1 if there is none.
    stored_watermark: int = -1

    @property
    def is_to_store(self) -> bool:
        """True if there is no row, or if it lacks many judgments."""
        lacking = self.watermark - self.stored_watermark
        return self.stored_watermark < 0 or lacking >= STORED_AFTER_JUDGMENTS


#: The tallies last used by this process, by test set. A ranking removes them and puts them back after its commit,
#: so that tallies of a failed transaction are never reused.
CACHE: Final[dict[int, CachedTallies]] = {}
