"""Compute, store, keep and reproduce rankings, from tallies that are updated with each judgment or recounted.

Rankings that are not kept can be recomputed bit for bit from watermark and parameters.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, cast
from uuid import UUID, uuid4

import numpy as np
from django.db import transaction
from django.db.models.functions import Now, TruncDay

from annotation.models import Design
from annotation.selectors.designs import design_in_force
from annotation.selectors.judges import excluded_judges
from annotation.selectors.systems import left_out_recorded
from annotation.services.numbers import judgments_number
from annotation.services.planning.pool import sampling_state_record
from campaign.database.many_rows import named_lock, named_lock_try
from campaign.models import SystemKind, Task, WebhookEvent
from campaign.services.webhooks import webhook_event_record
from ranking.core.agreement.report import JudgeChance
from ranking.core.agreement.statistics import Chance
from ranking.core.agreement.tallies import AgreementTallies
from ranking.core.counting.counts import Tallies, tally
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.core.judges.tallies import JudgeTallies
from ranking.core.live.moments import DamagedStateError
from ranking.core.live.state import LiveDefinition, LiveTallies
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.records import RankedRow, RunResult
from ranking.models import KeptFor, LatestRanking, RankingRun, StoredTallies
from ranking.models.ranking_run import Ranking
from ranking.selectors.judged_columns import changed_judgments, judged_blocks
from ranking.selectors.runs import (
    judges_outside,
    live_method,
    ranking_basis,
    ranking_settings_in_force,
    stopping_rule_in_force,
    system_kinds,
)
from ranking.services.quality import judge_tallies
from ranking.services.run_results import (
    run_definition,
    run_result,
    run_result_of,
    run_tallies,
    with_documents,
)
from version import code_version

_STANDINGS = (
    "system",
    "rank",
    "last_rank",
    "rank_low",
    "rank_high",
    "cluster",
    "score",
    "group",
    "shortage",
)


def latest_ranking_replace(
    *,
    run: RankingRun,
    latest: LatestRanking | None,
    is_asked: bool = False,
) -> None:
    """Store a new ranking as the latest of its task, and keep milestones.

    The previous ranking is kept if it was the last of its day, and the new one if `kept_for` gives a
    reason, in which case `run` is saved. Call it in the transaction that read `latest`, under the lock of
    the test set's ranking.
    """
    last = None
    met = None
    if latest is not None:
        last = _kept_of_day(latest, now=run.started_at)
        if latest.rule == run.parameters.get("stopping_rule", {}):
            met = latest.rule_met
    criteria = []
    if met is None:
        criteria = run.result.get("stopping", {}).get("criteria", [])
    reason = kept_for(
        run, last=last, is_asked=is_asked, is_first_of_rule=bool(criteria)
    )
    if reason is not None:
        last = _keep(run, reason)
    else:
        run.finished_at = Task.objects.values_list(Now(), flat=True).get(pk=run.task_id)
    if criteria:
        # The first ranking that meets the rule is always kept, so it has a number.
        met = {
            "run": run.pk,
            "judgments": run.result["input"]["blocks"],
            "at": run.started_at.isoformat().replace("+00:00", "Z"),
            "criteria": criteria,
        }
    run.rule_met = met
    replacement = LatestRanking(
        task_id=run.task_id,
        rule_met=met,
        last_kept=last,
        is_kept=reason is not None,
    )
    for local_field in Ranking._meta.local_fields:
        setattr(replacement, local_field.name, getattr(run, local_field.name))
    is_new = latest is None
    replacement.save(force_insert=is_new, force_update=not is_new)


def _kept_of_day(latest: LatestRanking, *, now: datetime) -> RankingRun | None:
    """Keep the latest ranking until now if it is the last of its day; return the newest kept one."""
    if latest.is_kept or not is_last_of_its_day(latest.finished_at, now=now):
        return latest.last_kept
    return _keep(latest.as_run(), KeptFor.DAY)


@transaction.atomic
def latest_ranking_keep(*, task_id: int) -> RankingRun | None:
    """Keep the current ranking of a task permanently at a user's request; return it.

    A ranking that is kept already stays unchanged. Waits for a running ranking, and then keeps its result,
    not the previous one. Returns None if there is no ranking yet.
    """
    named_lock(_lock_name(task_id))
    rankings = LatestRanking.objects.select_related("last_kept")
    latest = rankings.filter(pk=task_id).first()
    if latest is None:
        return None
    if not latest.is_kept:
        _keep_latest(latest, KeptFor.ASKED)
    return latest.last_kept


def rankings_of_days_keep() -> int:
    """Keep the last ranking of each past day; return the number of rankings newly kept.

    This is for closed and idle tasks: a new ranking keeps the last one of the previous day
    automatically.
    """
    today = TruncDay(Now(), tzinfo=UTC)
    resting = LatestRanking.objects.filter(is_kept=False, finished_at__lt=today)
    return sum(map(_keep_for_its_day, list(resting.values_list("pk", flat=True))))


@transaction.atomic
def _keep_for_its_day(task_id: int) -> bool:
    if not ranking_lock_try(task_id=task_id):
        return False
    latest = LatestRanking.objects.get(pk=task_id)
    if latest.is_kept:
        return False
    _keep_latest(latest, KeptFor.DAY)
    return True


def ranking_lock_try(*, task_id: int) -> bool:
    """Take the lock on rankings of a test set until the transaction ends; return False if it is taken."""
    return named_lock_try(_lock_name(task_id))


def _lock_name(task_id: int) -> str:
    return f"ranking run of test set {task_id}"


def _keep_latest(latest: LatestRanking, reason: KeptFor) -> None:
    latest.last_kept = _keep(latest.as_run(), reason)
    latest.is_kept = True
    latest.save(update_fields=["last_kept", "is_kept"])


def _keep(run: RankingRun, reason: KeptFor) -> RankingRun:
    run.kept_for = reason
    run.comparisons = run.result["input"]["comparisons"]
    run.standings = [_standing(row) for row in run.result["systems"]]
    run.save(force_insert=True)
    test_set = run.task.test_set
    webhook_event_record(
        campaign_id=test_set.campaign_id,
        event=WebhookEvent.RANKING,
        data={
            "task": run.task_id,
            "test_set": test_set.name,
            "ranking": run.pk,
            "watermark": run.watermark,
            "kept_for": str(reason),
        },
    )
    return run


def _standing(row: RankedRow) -> RankedRow:
    """Return a row without counts."""
    standing = {name: value for name, value in row.items() if name in _STANDINGS}
    return cast("RankedRow", standing)


def kept_for(
    run: RankingRun,
    *,
    last: RankingRun | None,
    is_asked: bool = False,
    is_first_of_rule: bool = False,
) -> KeptFor | None:
    """Return why a new ranking is kept, or None; `last` is the newest one kept.

    `is_first_of_rule` tells whether it is the first ranking that meets the stopping rule.

    With N judgments, growth keeps at most 50 + ln(N / 50) / ln(1.02) rankings: 550 for a million.
    """
    if last is None:
        return KeptFor.FIRST
    if run.recipe != last.recipe:
        return KeptFor.PARAMETERS
    if is_first_of_rule:
        return KeptFor.RULE
    if is_asked:
        return KeptFor.ASKED
    if 100 * run.watermark >= 102 * last.watermark:
        return KeptFor.GROWTH
    return None


def is_last_of_its_day(finished_at: datetime, *, now: datetime) -> bool:
    """Return whether a ranking that was the latest until now is the last of its day (UTC)."""
    return finished_at.astimezone(UTC).date() < now.astimezone(UTC).date()


logger = logging.getLogger(__name__)

#: Tallies in memory are stored after this many judgments. A worker that starts counts the later ones.
STORED_AFTER_JUDGMENTS = 300


def live_definition(run: RankingRun, kinds: Mapping[str, str]) -> LiveDefinition:
    """Return the definition of the live tallies for a run; `kinds` are the kinds of systems by name."""
    # If a test set has several references of one kind, the first by name is used.
    name_of_kind = {kinds[name]: name for name in sorted(kinds, reverse=True)}
    # Corrections that leave out judgments change the counts of blocks.
    corrections = map(str, run.parameters.get("corrections", ()))
    return LiveDefinition(
        ranking=run_definition(run.parameters, method=run.method, seed=run.seed),
        systems=tuple(sorted(kinds)),
        reference=name_of_kind.get(SystemKind.REFERENCE),
        bad_reference=name_of_kind.get(SystemKind.BAD_REFERENCE),
        version=" ".join([code_version(), *corrections]),
    )


def live_tallies(run: RankingRun, *, kinds: Mapping[str, str]) -> LiveTallies:
    """Return the tallies of the judgments 1…watermark for a run; `kinds` are the kinds of systems by name.

    Tallies in memory or in the test set's row are updated; all judgments are recounted if these
    have another definition, are damaged, or include later judgments. Tallies in memory are only
    reused once the transaction has been committed. Call it under the lock of the test set's ranking.
    """
    definition = live_definition(run, kinds)
    task_id = run.task_id
    held = CACHE.pop(task_id, None)
    stored = StoredTallies.objects.filter(pk=task_id)
    if held is not None:
        stored = stored.defer("packed")
    row = stored.first()
    if row is None or bytes(row.definition) != definition.digest:
        held = None
    elif held is None or held.build != row.build or held.watermark < row.watermark:
        held = _read(row, definition)
    if held is not None and held.watermark > run.watermark:
        # The run has an earlier watermark; leave the tallies in memory unchanged.
        _put_after_commit(task_id, held)
        return _counted(run, definition)
    if held is not None:
        held = _advanced(held, run)
    if held is None:
        held = HeldTallies(_counted(run, definition), run.watermark)
    if held.is_to_store:
        _store(held, task_id)
    _put_after_commit(task_id, held)
    return held.tallies


def _read(row: StoredTallies, definition: LiveDefinition) -> HeldTallies | None:
    try:
        tallies = LiveTallies.unpacked(row.packed, definition)
    except DamagedStateError:
        logger.exception("Recounting the tallies of task %s.", row.pk)
        return None
    return HeldTallies(tallies, row.watermark, row.build, row.watermark)


def _advanced(held: HeldTallies, run: RankingRun) -> HeldTallies | None:
    """Return the tallies updated to the run's watermark; None if they do not fit."""
    if held.watermark == run.watermark:
        return held
    try:
        _apply(held.tallies, run.task_id, start=held.watermark, stop=run.watermark)
    except ValueError:
        logger.exception("Recounting the tallies of task %s.", run.task_id)
        return None
    held.watermark = run.watermark
    return held


def _counted(run: RankingRun, definition: LiveDefinition) -> LiveTallies:
    tallies = LiveTallies(definition)
    _apply(tallies, run.task_id, start=0, stop=run.watermark)
    return tallies


def _apply(tallies: LiveTallies, task_id: int, *, start: int, stop: int) -> None:
    systems = tallies.definition.systems
    for changed in changed_judgments(
        task_id=task_id, start=start, stop=stop, systems=systems
    ):
        tallies.apply(changed)


def _store(held: HeldTallies, task_id: int) -> None:
    """Replace the tallies in the row of their test set."""
    row = StoredTallies(
        task_id=task_id,
        build=held.build,
        watermark=held.watermark,
        definition=held.tallies.definition.digest,
        packed=held.tallies.packed(),
        stored_at=Now(),
    )
    fields = ["build", "watermark", "definition", "packed", "stored_at"]
    StoredTallies.objects.bulk_create(
        [row], update_conflicts=True, update_fields=fields, unique_fields=["task"]
    )
    held.stored_watermark = held.watermark


def _put_after_commit(task_id: int, held: HeldTallies) -> None:
    def put() -> None:
        CACHE[task_id] = held
        if len(CACHE) > MOST_HELD:
            CACHE.pop(next(iter(CACHE)), None)

    transaction.on_commit(put)


#: Number of test sets whose tallies are held in memory, those ranked most recently.
MOST_HELD = 8


@dataclass
class HeldTallies:
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
CACHE: Final[dict[int, HeldTallies]] = {}


SEED = 0
_RESAMPLES = 1000
_AGREEMENT_CONFIDENCE = 0.95


def planned_run(basis: Any, kinds: Mapping[str, str]) -> RankingRun:
    """Return a run of all judgments without its result; `kinds` are the kinds of systems by name."""
    settings = ranking_settings_in_force(task_id=basis.pk)
    method = live_method(settings, has_active_design=basis.has_active_design)
    ranked = [name for name, kind in kinds.items() if kind == SystemKind.SYSTEM]
    parameters = {
        **settings.choice.recorded,
        "method_parameters": METHODS[method].complete(settings.method_options),
        "resamples": _RESAMPLES,
        "content_key_version": CONTENT_KEY_VERSION,
        "reference": "exclude",
        # Record names, because the kind of a system may change later.
        "systems": ranked,
        "left_out": [name for name in kinds if name not in ranked],
        # Record all excluded judges by pseudonym, even if they have not judged this task.
        "excluded_judges": excluded_judges(campaign_id=basis.test_set.campaign_id),
        **left_out_recorded(basis.pk),
        "agreement": {
            "chance": Chance.CONGER.value,
            "chance_of_judges": JudgeChance.OWN.value,
            "resample": "two_way",
            "confidence": _AGREEMENT_CONFIDENCE,
        },
    }
    if group := settings.judge_group:
        # Record the judges outside the group now; joining it later does not change the run.
        others = judges_outside(task_id=basis.pk, group_id=group.pk)
        parameters["judge_group"] = {"name": group.name, "others": others}
    if rule := stopping_rule_in_force(task_id=basis.pk):
        parameters["stopping_rule"] = rule.recorded
    return RankingRun(
        task=basis,
        method=method,
        parameters=parameters,
        seed=SEED,
        watermark=basis.last_number,
        code_version=code_version(),
        started_at=basis.now,
    )


class ComputedRun(NamedTuple):
    """A new ranking, and the tallies for the measures of its judges.

    `judges` are the tallies of all judges; `agreement` leaves excluded judges and references out.
    """

    run: RankingRun
    judges: JudgeTallies
    agreement: AgreementTallies


def ranking_run_compute(
    *, task_id: int, watermark: int | None = None
) -> RankingRun | None:
    """Rank a test set now, as `ranking_compute` does; return only the run."""
    computed = ranking_compute(task_id=task_id, watermark=watermark)
    if computed is None:
        return None
    return computed.run


def ranking_compute(
    *,
    task_id: int,
    watermark: int | None = None,
    again: bool = False,
) -> ComputedRun | None:
    """Rank a task now and store the ranking as the latest, unless it is unchanged.

    With `watermark`, rank the judgments up to this number and keep the run: see
    `ranking_history_compute`. Other runs are kept if they are milestones (see `kept_for`), and only
    then have a primary key.

    Submissions are never blocked. First, judgments without a number get one; then the watermark and the
    judgments 1…watermark are read. Numbers are committed in order and without gaps, and judgments
    never change, so the two agree exactly even if more judgments arrive in between.

    Two workers never rank a test set at the same time: the second one gets None immediately. A
    worker that has ranked a test set checks again afterwards (`ranking.tasks`).

    With `again`, it is ranked even if the latest ranking is up to date.

    Returns the run and its tallies, or None if there are no judgments, if the latest ranking is
    up to date, or if another worker is ranking.
    """
    # Assign numbers before the transaction, which would block others from assigning them until it ends.
    judgments_number(task_id=task_id)
    return _compute(task_id, watermark, again=again)


@transaction.atomic
def _compute(task_id: int, watermark: int | None, *, again: bool) -> ComputedRun | None:
    if not ranking_lock_try(task_id=task_id):
        return None
    basis = ranking_basis(task_id=task_id)
    if basis.last_number == 0:
        return None
    kinds = system_kinds(task_id=task_id)
    run = planned_run(basis, kinds)
    if watermark is not None:
        run.watermark = min(watermark, basis.last_number)
    rows = LatestRanking.objects.filter(pk=task_id).select_related("last_kept")
    latest = rows.defer("result", "last_kept__result", "last_kept__standings").first()
    if latest is not None and not again:
        is_same_recipe = latest.recipe == run.recipe
        if is_same_recipe and latest.watermark == run.watermark:
            return None
    live = live_tallies(run, kinds=kinds)
    tallies = live.ranking.tallies()
    run.result = run_result_of(tallies, run.parameters, seed=run.seed)
    latest_ranking_replace(run=run, latest=latest, is_asked=watermark is not None)
    if basis.has_active_design:
        _sampling_state_update(run, live.pairs, kinds)
    return ComputedRun(run, live.judges, tallies.agreement)


def _sampling_state_update(
    run: RankingRun, pairs: Tallies, kinds: Mapping[str, str]
) -> None:
    """Store each pair's wins and ties for active designs; other designs need none.

    `pairs` do not include excluded judges; this function leaves out damaged references.
    """
    design = design_in_force(task_id=run.task_id)
    if design is None or design.kind != Design.Kind.ACTIVE:
        return
    damaged = {name for name, kind in kinds.items() if kind == SystemKind.BAD_REFERENCE}
    tallies = pairs.without(damaged)
    sampling_state_record(
        task_id=run.task_id,
        watermark=run.watermark,
        systems=tallies.systems,
        wins=tallies.wins.tolist(),
        ties=tallies.ties.tolist(),
    )


def ranking_history_compute(*, task_id: int, steps: int = 24) -> list[RankingRun]:
    """Rank a test set as if its judgments had arrived over time; return the runs.

    This is for judgments that were imported or simulated all at once. It computes and keeps `steps`
    runs, evenly spread after the latest ranking; the last one covers all judgments. No run has fewer
    judgments than the latest ranking, so that the last run has the most judgments.
    """
    latest = LatestRanking.objects.filter(pk=task_id)
    start = latest.values_list("watermark", flat=True).first() or 0
    new = judgments_number(task_id=task_id) - start
    stops = set()
    for step in range(1, steps + 1):
        stops.add(start + _divided_up(new * step, steps))
    stops.discard(start)
    runs = []
    for stop in sorted(stops):
        run = ranking_run_compute(task_id=task_id, watermark=stop)
        if run is not None:
            runs.append(run)
    return runs


def _divided_up(number: int, divisor: int) -> int:
    """Return a quotient, rounded up."""
    return -(-number // divisor)


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
            f"Rankings by {run.method!r} cannot be reproduced by this version of Quintet."
        )
    version = run.parameters["content_key_version"]
    if version != CONTENT_KEY_VERSION:
        raise ValueError(
            f"The run resampled by content keys of version {version}; "
            f"this code has version {CONTENT_KEY_VERSION}."
        )
    recorded = {}
    for key in ("corrections", "withdrawn"):
        if key in run.parameters:
            recorded[key] = run.parameters[key]
    if left_out_recorded(run.task_id) != recorded:
        raise ValueError(
            "This run cannot be reproduced: judgments of corrected outputs were excluded or included again after it, or imported answers were withdrawn."
        )
    with transaction.atomic():
        result = run_result(run)
    columns: set[str] = set()
    columns.update(*run.result["systems"])
    rows = []
    for row in result["systems"]:
        recorded_row = {name: value for name, value in row.items() if name in columns}
        rows.append(cast("RankedRow", recorded_row))
    result["systems"] = rows
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
    kept = RankingRun.objects.filter(task=task_id).order_by("pk")
    yield from kept.iterator(chunk_size=20)
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
    judged = judged_blocks(task_id=run.task_id, watermark=row.watermark)
    counted = run_tallies(run, with_documents(run.task_id, judged)).arrays()
    held = stored.ranking.tallies().arrays()
    for name in sorted(counted.keys() | held.keys()):
        if not np.array_equal(counted.get(name, np.nan), held.get(name, np.nan)):
            yield name
    pairs = tally(judged.without_judges(definition.ranking.excluded))
    has_same_wins = np.array_equal(pairs.wins, stored.pairs.wins)
    if not has_same_wins or not np.array_equal(pairs.ties, stored.pairs.ties):
        yield "pairs"
    if judge_tallies(run, judged) != stored.judges:
        yield "judges"
