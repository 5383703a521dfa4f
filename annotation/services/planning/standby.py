"""Manage HITs not lent yet: on standby, waiting for the HIT they repeat, or dropped with a closed comparison.

An active design draws as late as possible, to use more judgments, so its pool is small. HITs on
standby cover times when the planner is down. They are redrawn as judgments come in, and later draws
do not depend on them.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotation.models import HIT, Assignment, Design, PlanningBatch, SamplingState
from annotation.models.hit import UNTIL_THE_FIRST_IS_DONE, HITQuerySet
from annotation.protocols import answer_kind
from annotation.sampling.planning import MissingHITs, hits_schedule
from annotation.selectors.comparisons import hits_of_closed
from annotation.selectors.designs import design_in_force
from annotation.selectors.drawing import TestSetTexts, texts_now
from annotation.services.planning.batch import PlanningTransaction, missing_of_each_kind
from campaign.models import Task

# Number of HITs planned or dropped per transaction, during which no others are planned.
_AT_ONCE: Final = 500
# Number of HITs planned for standby per call, so that judges who request work wait at most a
# second.
_PLANNED_IN_A_CALL: Final = 1000
# HITs are redrawn once the known judgments exceed those they were drawn from by this factor.
_GROWTH: Final = 1.25


def standby_settle(*, task_id: int) -> None:
    """Let later draws depend on the HITs that were lent from standby.

    Earlier HITs of the same batch join the pool, because they are needed to redraw the lent ones.
    """
    batches = (
        _standby(task_id)
        .filter(_was_lent())
        .values_list("batch", flat=True)
        .annotate(last=Max("number"))
    )
    for batch_id, last in list(batches.values_list("batch", "last")):
        _settle(task_id, batch_id, last)


@transaction.atomic
def _settle(task_id: int, batch_id: int, last: int) -> None:
    planning = PlanningTransaction.locked(task_id)
    hits = _standby(task_id).filter(batch=batch_id, number__lte=last).order_by("number")
    # Checked under the lock, because another worker may have settled them.
    planning.lent_from_standby(hits.select_for_update(no_key=True))
    planning.store()


def standby_fill(*, task_id: int, size: int) -> int:
    """Keep `size` HITs on standby, drawn from recent comparisons; return the number planned.

    Draws a limited number at a time; later calls draw the others.
    """
    stale = _stale_batches(task_id)
    design = design_in_force(task_id=task_id)
    checks, others = missing_of_each_kind(
        _available(task_id).exclude(batch__in=stale),
        size=size,
        attention_every=design.attention_every if design else 0,
    )
    wanted = checks + others
    missing = min(wanted, _PLANNED_IN_A_CALL)
    texts = texts_now(task_id)
    made = 0
    while made < missing:
        # Drops only as many as are planned, so that enough are left if the planner stops here.
        _give_up(task_id, stale, count=_AT_ONCE)
        count = min(_AT_ONCE, missing - made)
        planned = _batch_plan(task_id, count, round(checks * count / wanted), texts)
        made += planned
        if not planned:
            break
    if not missing:
        _give_up(task_id, stale, count=_PLANNED_IN_A_CALL)
    return made


def standby_give_up(*, task_id: int, count: int) -> int:
    """Drop at least `count` HITs on standby, so that others can be planned; return their number."""
    given_up = 0
    while given_up < count:
        batches = PlanningBatch.objects.filter(task=task_id).values("pk")
        done = _give_up(task_id, batches, count=count - given_up)
        given_up += done
        if not done:
            break
    return given_up


def _standby(task_id: int) -> QuerySet[HIT]:
    """Return the HITs on standby, including those lent since the planner's last run."""
    return HIT.objects.filter(task=task_id, is_standby=True)


def _was_lent() -> Exists:
    return Exists(Assignment.objects.filter(hit=OuterRef("pk")))


def _available(task_id: int) -> HITQuerySet:
    """Return the HITs on standby that were never lent."""
    return HIT.objects.filter(task=task_id).standby().filter(~_was_lent())


def _stale_batches(task_id: int) -> list[int]:
    """Return the ids of standby batches drawn with another design, or from far fewer judgments than are known now.

    Returns ids rather than a queryset, whose condition PostgreSQL may evaluate for each HIT.
    """
    design = Design.objects.filter(task=task_id).not_imported().latest()
    known = SamplingState.objects.filter(task=task_id).first()
    is_stale = ~Q(design=design)
    if known is not None:
        is_stale |= Q(state__watermark__lt=int(known.watermark / _GROWTH))
    on_standby = list(_standby(task_id).order_by().values_list("batch", flat=True).distinct())
    return list(
        PlanningBatch.objects.filter(is_stale, pk__in=on_standby).values_list("pk", flat=True)
    )


@transaction.atomic
def _batch_plan(task_id: int, count: int, checks: int, texts: TestSetTexts) -> int:
    planning = PlanningTransaction.locked(task_id, texts=texts, for_standby=True)
    hits_schedule(planning, MissingHITs(planning, planning.sequence, count=count, checks=checks))
    planning.store()
    return len(planning.planned)


@transaction.atomic
def _give_up(task_id: int, batches: QuerySet[PlanningBatch, Any] | list[int], *, count: int) -> int:
    """Delete about `count` HITs on standby, the last ones of the oldest batch; return their number.

    No lent HIT depends on them: those come before the deleted ones.
    """
    oldest = _available(task_id).filter(batch__in=batches).aggregate(batch=Min("batch"))
    if oldest["batch"] is None:
        return 0
    planning = PlanningTransaction.locked(task_id)
    of_batch = HIT.objects.filter(batch=oldest["batch"])
    locked = _available(task_id).filter(batch=oldest["batch"]).select_for_update(skip_locked=True)
    mine = set(locked.values_list("pk", flat=True))
    others = of_batch.exclude(pk__in=mine).aggregate(last=Max("number"))
    # Read again under the lock, because one may have been lent before.
    later = _available(task_id).filter(pk__in=mine, number__gt=others["last"] or 0)
    hits = _with_all_copies(
        list(later.order_by("-number")[: count + planning.parameters.redundancy - 1])
    )
    planning.uncount(hits)
    planning.store()
    # Delete copies before their originals.
    HIT.objects.filter(pk__in=[hit.pk for hit in hits], repeats__isnull=False).delete()
    HIT.objects.filter(pk__in=[hit.pk for hit in hits], repeats__isnull=True).delete()
    return len(hits)


def _with_all_copies(hits: list[HIT]) -> list[HIT]:
    """Return the HITs without copies of any HIT not among them, so that no HIT loses only some of its copies."""
    mine = {hit.pk for hit in hits}
    return [hit for hit in hits if hit.repeats_id is None or hit.repeats_id in mine]


#: Minimum number of repeats before the last one is optional: fewer cannot disagree.
_BEFORE_THE_LAST: Final = 2


def waiting_release(*, task: Task) -> int:
    """Make HITs available once their first HIT is done; return their number. Withdraw those whose first is withdrawn.

    If the last repeat is not always needed, it waits for the earlier ones, and is withdrawn if
    unnecessary.
    """
    return _release(task) if answer_kind(task.protocol).has_stages else 0


@transaction.atomic
def _release(task: Task) -> int:
    waiting = HIT.objects.filter(
        task=task, available_at=UNTIL_THE_FIRST_IS_DONE, repeats__completed_at__isnull=False
    ).incomplete()
    of_withdrawn = set(
        waiting.filter(repeats__withdrawn_at__isnull=False).values_list("pk", flat=True)
    )
    rows = waiting.exclude(pk__in=of_withdrawn).values_list("pk", "repeats")
    found = {pk: first for pk, first in rows if first is not None}
    held, needless = _last_ones(task, found)
    if of_withdrawn or needless:
        planning = PlanningTransaction.locked(task.pk)
        planning.withdraw(list(waiting.filter(pk__in=of_withdrawn | needless)))
        planning.store()
    return waiting.filter(pk__in=found.keys() - held - needless).update(available_at=Now())


def _last_ones(task: Task, waiting: dict[int, int]) -> tuple[set[int], set[int]]:
    """Return the ids of HITs that wait for other repeats of the same HIT, and the ids of those not needed.

    `waiting` maps the id of a HIT to the id of the one it repeats.
    """
    is_needed = answer_kind(task.protocol).last_is_needed
    if is_needed is None or not waiting or is_needed(task.rules, []) is None:
        return set(), set()
    last = _last_of_each(waiting.values())
    held = {pk for pk, first in waiting.items() if first in last and last[first][0] == pk}
    ready = {pk for pk in held if last[waiting[pk]][1]}
    needed = is_needed(task.rules, [waiting[pk] for pk in ready]) or set()
    needless = {pk for pk in ready if waiting[pk] not in needed}
    return held - ready, needless


def _last_of_each(firsts: Collection[int]) -> dict[int, tuple[int, bool]]:
    """Return the last repeat of each of these HITs, and whether all earlier repeats are done, if there are at least two."""
    rows: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    repeats = HIT.objects.filter(repeats__in=list(firsts), withdrawn_at__isnull=True)
    for pk, first, completed in repeats.order_by("number").values_list(
        "pk", "repeats", "completed_at"
    ):
        if first is not None:
            rows[first].append((pk, completed is not None))
    return {
        first: (of[-1][0], all(is_done for _pk, is_done in of[:-1]))
        for first, of in rows.items()
        if len(of) > _BEFORE_THE_LAST
    }


def comparisons_settle(*, design: Design) -> int:
    """Close complete comparisons, and return the number of HITs that are therefore no longer lent.

    HITs that were never lent are withdrawn. Those returned unfinished are marked done, and their
    judgments stay. Judges who hold one may finish it; their answers are late and do not change
    closed comparisons.
    """
    comparisons = answer_kind(design.task.protocol).comparisons
    if comparisons is None:
        return 0
    comparisons.close(design)
    if not hits_of_closed(design=design, hits=_available_now(design.task_id)):
        return 0
    return _closed_give_up(design.task_id)


def _available_now(task_id: int) -> HITQuerySet:
    return HIT.objects.filter(task=task_id).available()


@transaction.atomic
def _closed_give_up(task_id: int) -> int:
    planning = PlanningTransaction.locked(task_id)
    found = hits_of_closed(design=planning.design, hits=_available_now(task_id))
    # A HIT that is being lent at this moment is skipped.
    locked = _available_now(task_id).filter(pk__in=[hit.pk for hit in found])
    mine = list(locked.select_for_update(skip_locked=True))
    planning.give_up(mine)
    return len(mine)


@transaction.atomic
def sampling_state_record(
    *,
    task_id: int,
    watermark: int,
    systems: Sequence[str],
    wins: Sequence[Sequence[float]],
    ties: Sequence[Sequence[float]],
) -> None:
    """Store the comparisons from which active designs draw, unless later ones are stored.

    `wins[a][b]` counts comparisons that `systems[a]` won against `systems[b]`; `ties` is symmetric.
    They cover all judgments up to `watermark`.
    """
    SamplingState.objects.bulk_create(
        [SamplingState(task_id=task_id, watermark=0, systems=[], wins=[], ties=[])],
        ignore_conflicts=True,
    )
    SamplingState.objects.filter(task=task_id, watermark__lte=watermark).update(
        watermark=watermark, systems=list(systems), wins=wins, ties=ties
    )
