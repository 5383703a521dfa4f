"""The tallies of a ranking: kept up to date with each judgment, or counted from all of them."""

import logging
from collections.abc import Mapping
from time import monotonic
from uuid import uuid4

from django.db import transaction
from django.db.models.functions import Now

from campaign.models import SystemKind
from ranking.code_version import code_version
from ranking.core.live.packing import DamagedStateError
from ranking.core.live.state import LiveDefinition, LiveTallies
from ranking.models import RankingRun, StoredTallies
from ranking.selectors.live_judgments import changed_judgments
from ranking.selectors.names_seen import names_seen
from ranking.services.live_cache import CACHE, HeldTallies
from ranking.services.run_results import run_definition

logger = logging.getLogger(__name__)

#: Up to so many judgments are counted at once by whoever ranks, more of them in the background.
COUNTED_IN_PLACE = 5_000
#: Tallies in memory are stored after so many judgments, or after so many seconds and fewer judgments:
#: a worker that begins counts what came since.
STORED_AFTER_JUDGMENTS = 300
STORED_AFTER_SECONDS = 30
_FEWER_JUDGMENTS = 30


class TalliesMissingError(Exception):
    """There are no tallies to begin from, and too many judgments to count them all meanwhile."""


def live_definition(run: RankingRun, kinds: Mapping[str, str]) -> LiveDefinition:
    """Return what the live tallies for a run are of; `kinds` are of the systems by name."""
    # A test set has one reference of each kind; the first by name, if it has more.
    names = {kinds[name]: name for name in sorted(kinds, reverse=True)}
    return LiveDefinition(
        ranking=run_definition(run.parameters, method=run.method, seed=run.seed),
        systems=tuple(sorted(kinds)),
        reference=names.get(SystemKind.REFERENCE),
        bad_reference=names.get(SystemKind.BAD_REFERENCE),
        version=code_version(),
    )


def live_tallies(
    run: RankingRun, *, kinds: Mapping[str, str], is_awaited: bool = True
) -> LiveTallies:
    """Return the tallies of the judgments 1…watermark for a run; `kinds` are of the systems by name.

    They are those in memory or in the test set's row, with what changed since; counted from all
    judgments if these are of something else, damaged, or of later judgments. Tallies in memory are used
    again only after the transaction was committed. Call it under the lock of the test set's ranking.

    Raises
    ------
    TalliesMissingError
        If more than `COUNTED_IN_PLACE` judgments would have to be counted, and nobody waits for that.
    """
    definition = live_definition(run, kinds)
    task_id = run.task_id
    row = StoredTallies.objects.filter(pk=task_id).defer("packed").first()
    held = CACHE.take(task_id)
    if row is None or bytes(row.definition) != definition.digest:
        held = None
    elif held is None or held.build != row.build or held.watermark < row.watermark:
        held = _read(row, definition)
    names, holds = names_seen(task_id=task_id, before=held.names if held else {})
    if not holds:
        held = None
    if held is not None and held.watermark > run.watermark:
        # Of an earlier moment. What is held stays as it is.
        _put_after_commit(task_id, held)
        return _counted(run, definition)
    if held is not None:
        held = _advanced(held, run)
    if held is None and not is_awaited and run.watermark > COUNTED_IN_PLACE:
        raise TalliesMissingError
    if held is None:
        held = HeldTallies(
            _counted(run, definition), run.watermark, uuid4(), names, -1, monotonic()
        )
    held.names = names
    if _is_to_be_stored(held):
        tallies_store(held, task_id)
    _put_after_commit(task_id, held)
    return held.tallies


def _read(row: StoredTallies, definition: LiveDefinition) -> HeldTallies | None:
    try:
        tallies = LiveTallies.unpacked(row.packed, definition)
    except DamagedStateError:
        logger.exception("The tallies of test set %s are counted anew.", row.pk)
        return None
    return HeldTallies(tallies, row.watermark, row.build, row.names, row.watermark, monotonic())


def _advanced(held: HeldTallies, run: RankingRun) -> HeldTallies | None:
    """Return the tallies with the judgments up to the run's watermark; None if they do not fit."""
    if held.watermark == run.watermark:
        return held
    try:
        _apply(held.tallies, run.task_id, start=held.watermark, stop=run.watermark)
    except ValueError:
        logger.exception("The tallies of test set %s are counted anew.", run.task_id)
        return None
    held.watermark = run.watermark
    return held


def _counted(run: RankingRun, definition: LiveDefinition) -> LiveTallies:
    tallies = LiveTallies(definition)
    _apply(tallies, run.task_id, start=0, stop=run.watermark)
    return tallies


def _apply(tallies: LiveTallies, task_id: int, *, start: int, stop: int) -> None:
    systems = tallies.definition.systems
    for changed in changed_judgments(task_id=task_id, start=start, stop=stop, systems=systems):
        tallies.apply(changed)


def _is_to_be_stored(held: HeldTallies) -> bool:
    more = held.watermark - held.stored_watermark
    is_old = monotonic() - held.stored_at >= STORED_AFTER_SECONDS
    return (
        held.stored_watermark < 0
        or more >= STORED_AFTER_JUDGMENTS
        or (is_old and more >= _FEWER_JUDGMENTS)
    )


def tallies_store(held: HeldTallies, task_id: int) -> None:
    """Store tallies in the row of their test set, in place of those before."""
    row = StoredTallies(
        task_id=task_id,
        build=held.build,
        watermark=held.watermark,
        definition=held.tallies.definition.digest,
        names=held.names,
        packed=held.tallies.packed(),
        stored_at=Now(),
    )
    fields = ["build", "watermark", "definition", "names", "packed", "stored_at"]
    StoredTallies.objects.bulk_create(
        [row], update_conflicts=True, update_fields=fields, unique_fields=["task"]
    )
    held.stored_watermark, held.stored_at = held.watermark, monotonic()


def _put_after_commit(task_id: int, held: HeldTallies) -> None:
    transaction.on_commit(lambda: CACHE.put(task_id, held))
