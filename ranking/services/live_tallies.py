"""Tallies of the next ranking: its method, updates with each judgment, or a count of all of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.selectors.corrections import corrections_recorded
from annotation.selectors.judges import excluded_judges
from annotation.services.numbers import ranking_request
from campaign.models import SystemKind
from ranking.code_version import code_version
from ranking.core.agreement.report import JudgeChance
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.core.live.moments import DamagedStateError
from ranking.core.live.state import LiveDefinition, LiveTallies
from ranking.core.methods.registry import METHODS
from ranking.models import RankingRun, RankingSettings, RankingUpkeep, StoredTallies
from ranking.notification import tallies_build_enqueue
from ranking.range_choices import RangeChoice
from ranking.selectors.live_judgments import NamesSeen, changed_judgments, names_seen
from ranking.selectors.runs import RankingBasis, judges_outside, ranking_basis, system_kinds
from ranking.selectors.settings import ranking_settings_in_force
from ranking.services.run_results import run_definition

logger = logging.getLogger(__name__)

#: Maximum number of judgments counted within a ranking; more are counted in the background.
COUNTED_IN_PLACE = 5_000
#: Tallies in memory are stored after this many judgments, or after this many seconds and fewer
#: judgments: a starting worker counts the judgments since.
STORED_AFTER_JUDGMENTS = 300
STORED_AFTER_SECONDS = 30
_FEWER_JUDGMENTS = 30


class TalliesMissingError(Exception):
    """There are no tallies to start from, and too many judgments to count them all now."""


def live_definition(run: RankingRun, kinds: Mapping[str, str]) -> LiveDefinition:
    """Return the definition of the live tallies for a run; `kinds` are of the systems by name."""
    # A test set has one reference of each kind; the first by name, if it has more.
    names = {kinds[name]: name for name in sorted(kinds, reverse=True)}
    return LiveDefinition(
        ranking=run_definition(run.parameters, method=run.method, seed=run.seed),
        systems=tuple(sorted(kinds)),
        reference=names.get(SystemKind.REFERENCE),
        bad_reference=names.get(SystemKind.BAD_REFERENCE),
        # Corrections whose judgments are left out change the counts of blocks.
        version=" ".join([code_version(), *map(str, run.parameters.get("corrections", ()))]),
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
        If more than `COUNTED_IN_PLACE` judgments would have to be counted, and `is_awaited` is false.
    """
    definition = live_definition(run, kinds)
    task_id = run.task_id
    row = StoredTallies.objects.filter(pk=task_id).defer("packed").first()
    held = CACHE.pop(task_id, None)
    if row is None or bytes(row.definition) != definition.digest:
        held = None
    elif held is None or held.build != row.build or held.watermark < row.watermark:
        held = _read(row, definition)
    names, holds = names_seen(task_id=task_id, before=held.names if held else {})
    if not holds:
        held = None
    if held is not None and held.watermark > run.watermark:
        # The run is of an earlier moment. The held tallies stay unchanged.
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
        logger.exception("Recounting the tallies of test set %s.", row.pk)
        return None
    return HeldTallies(tallies, row.watermark, row.build, row.names, row.watermark, monotonic())


def _advanced(held: HeldTallies, run: RankingRun) -> HeldTallies | None:
    """Return the tallies with the judgments up to the run's watermark; None if they do not fit."""
    if held.watermark == run.watermark:
        return held
    try:
        _apply(held.tallies, run.task_id, start=held.watermark, stop=run.watermark)
    except ValueError:
        logger.exception("Recounting the tallies of test set %s.", run.task_id)
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
    def put() -> None:
        CACHE[task_id] = held
        if len(CACHE) > MOST_HELD:
            CACHE.pop(next(iter(CACHE)), None)

    transaction.on_commit(put)


#: Test sets whose tallies are held at the same time: those that were ranked last.
MOST_HELD = 8


@dataclass
class HeldTallies:
    """Tallies at a watermark, and the state of the row they were last stored in."""

    tallies: LiveTallies
    watermark: int
    build: UUID
    names: NamesSeen
    #: The watermark of the row, and when it was stored by the monotonic clock of this process.
    stored_watermark: int
    stored_at: float


#: The tallies that were used last, by test set, in this process. Those that a ranking takes and does not put back are
#: forgotten, so that those of a transaction that failed are never used again.
CACHE: Final[dict[int, HeldTallies]] = {}


SEED = 0
_RESAMPLES = 1000
_AGREEMENT_CONFIDENCE = 0.95


def planned_run(basis: RankingBasis, kinds: Mapping[str, str]) -> RankingRun:
    """Return a run of all judgments, without its result; `kinds` are of the systems by name."""
    settings = ranking_settings_in_force(task_id=basis.task_id)
    choice = settings.choice
    method = _method(basis, settings)
    return RankingRun(
        task_id=basis.task_id,
        method=method,
        parameters=_parameters(basis, kinds, method, choice)
        | _of_group(basis, settings)
        | ({"stopping_rule": basis.rule} if basis.rule else {}),
        seed=SEED,
        watermark=basis.last_number,
        code_version=code_version(),
        started_at=basis.now,
    )


def _of_group(basis: RankingBasis, settings: RankingSettings) -> dict[str, Any]:
    """Return whose judgments alone count; nothing where all do."""
    group = settings.judge_group
    if group is None:
        return {}
    # By pseudonym: the judges outside the group at this time, even if they join it later.
    others = judges_outside(task_id=basis.task_id, group_id=group.pk)
    return {"judge_group": {"name": group.name, "others": others}}


def _method(basis: RankingBasis, settings: RankingSettings) -> str:
    """Return the chosen method, or the default for the designs used so far.

    That is Expected Wins; Bradley–Terry if a design has ever chosen pairs by their judgments: an active
    design stops showing pairs that are already separated, and Expected Wins gives their few comparisons as
    much weight as the many of others (`docs/sampling.md`). Anytime ranges are of Expected Wins for any
    design: they do not separate systems with different opponents.

    `ranking.selectors.runs` says the same to the database.
    """
    if settings.method != RankingSettings.Method.BY_DESIGN:
        return settings.method
    if settings.ranges == "anytime":
        return "expected_wins"
    return "bradley_terry" if basis.has_active_design else "expected_wins"


def _parameters(
    basis: RankingBasis, kinds: Mapping[str, str], method: str, choice: RangeChoice
) -> dict[str, Any]:
    return {
        **choice.recorded,
        "method_parameters": METHODS[method].defaults,
        "resamples": _RESAMPLES,
        "content_key_version": CONTENT_KEY_VERSION,
        "reference": "exclude",
        # By name, because systems may later be marked as references, or no longer.
        "systems": [name for name, kind in kinds.items() if kind == SystemKind.SYSTEM],
        "left_out": [name for name, kind in kinds.items() if kind != SystemKind.SYSTEM],
        # By pseudonym, for the same reason: all excluded judges, even if they have not judged here.
        "excluded_judges": excluded_judges(campaign_id=basis.campaign_id),
        **corrections_recorded(basis.task_id),
        "agreement": {
            "chance": Chance.SCOTT.value,
            "chance_of_judges": JudgeChance.OWN.value,
            "resample": "two_way",
            "confidence": _AGREEMENT_CONFIDENCE,
        },
    }


#: If nothing is heard for so long, the worker was killed or the message was lost: it is sent again.
SILENT_SECONDS = 60


@transaction.atomic
def tallies_build_request(*, task_id: int) -> None:
    """Have a worker count all judgments, unless one does already or is about to."""
    RankingUpkeep.objects.bulk_create([RankingUpkeep(task_id=task_id)], ignore_conflicts=True)
    silent = Q(counting_at=None) | Q(counting_at__lt=Now() - timedelta(seconds=SILENT_SECONDS))
    if RankingUpkeep.objects.filter(silent, pk=task_id).update(counting_at=Now()):
        transaction.on_commit(partial(tallies_build_enqueue, task_id))


def tallies_build(*, task_id: int) -> bool:
    """Count all judgments of a test set, piece by piece, and store the tallies; return if they were.

    No lock is held meanwhile: judgments with a number never change. Later judgments are added by
    the next ranking, which is requested. If names changed meanwhile, nothing is stored, and that
    ranking asks again. Running it twice costs time only.
    """
    basis = ranking_basis(task_id=task_id)
    kinds = system_kinds(task_id=task_id)
    run = planned_run(basis, kinds)
    definition = live_definition(run, kinds)
    names, _holds = names_seen(task_id=task_id, before={})
    is_built = False
    if not _is_stored(task_id, definition):
        tallies = _counted_in_pieces(task_id, definition, run.watermark)
        _names, is_built = names_seen(task_id=task_id, before=names)
        if is_built:
            held = HeldTallies(tallies, run.watermark, uuid4(), names, -1, monotonic())
            tallies_store(held, task_id)
    RankingUpkeep.objects.filter(pk=task_id).update(counting_at=None)
    ranking_request(task_id=task_id)
    return is_built


def _is_stored(task_id: int, definition: LiveDefinition) -> bool:
    stored = StoredTallies.objects.filter(pk=task_id).values_list("definition", flat=True)
    return any(bytes(digest) == definition.digest for digest in stored)


def _counted_in_pieces(task_id: int, definition: LiveDefinition, watermark: int) -> LiveTallies:
    """Count the judgments 1…watermark, saying after each piece that a worker is at it."""
    tallies = LiveTallies(definition)
    for changed in changed_judgments(
        task_id=task_id, start=0, stop=watermark, systems=definition.systems
    ):
        tallies.apply(changed)
        RankingUpkeep.objects.filter(pk=task_id).update(counting_at=Now())
    return tallies
