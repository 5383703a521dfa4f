"""Plan HITs before judges need them, so that lending is only a lookup, and give up those that are not needed.

An active design draws as late as possible, to use more judgments, so its pool is small. HITs on
standby cover times when the planner is down. They are redrawn as judgments come in, and later draws
do not depend on them.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotation.models import (
    HIT,
    Assignment,
    Design,
    JudgeAccount,
    PlanningBatch,
    SamplingState,
)
from annotation.models.hit import UNTIL_THE_FIRST_IS_DONE, HITQuerySet
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.sampling.planning import (
    MissingHITs,
    RepeatSchedule,
    checks_among,
    hits_schedule,
)
from annotation.selectors.comparisons import hits_of_closed, sentences_of_a_judge
from annotation.selectors.designs import design_in_force
from annotation.selectors.drawing import TestSetTexts, texts_now
from annotation.selectors.hits import firsts_scheduled
from annotation.selectors.passes import has_passes
from annotation.selectors.progress import hits_an_hour
from annotation.selectors.training import training_round_due
from annotation.services.planning.batch import PlanningTransaction, missing_of_each_kind
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.for_judge import (
    intra_plan,
    judge_plan,
    judges_to_check,
    judges_to_repeat,
    reservations_lift,
    reservations_withdraw,
    samples_give_up,
)
from annotation.services.planning.passes import passes_fill, rounds_plan
from annotation.services.training import training_plan, training_plan_ahead
from campaign.models import Task

logger = logging.getLogger(__name__)

# An active design draws as late as possible, to use more judgments: its pool lasts until the
# planner's next run, and the rest of the hour is on standby.
_ACTIVE_POOL_MIN: Final = 30
_ACTIVE_POOL_MINUTES: Final = 1
# HITs planned per transaction, which bounds its duration and memory.
PLAN_AT_ONCE: Final = 2000
# Judges planned for per call; the remaining ones come first in the next call.
_JUDGES_AT_ONCE: Final = 100


def pool_fill(*, task_id: int, size: int | None = None) -> int:
    """Plan the HITs needed now and return their number.

    Fills the pool up to `size` available HITs, or until the task has all its blocks; plans HITs for
    judges who requested work, and repeats that come due; and closes a sort's comparisons that have
    their judgments, and plans the next ones. In a sort with samples per judge, all HITs are planned
    for judges who requested work. Uses a bounded number of short transactions.

    Without a `size`, the available HITs last an hour at the current pace; in an active design, most
    of them are on standby.
    """
    task = Task.objects.get(pk=task_id)
    design = design_ensure(task=task)
    if size is not None:
        standby = 0
    else:
        size, standby = _sizes(design)
    if has_passes(task):
        return passes_fill(task=task, size=size)
    reservations_withdraw(task_id=task_id)
    comparisons_settle(design=design)
    standby_settle(task_id=task_id)
    waiting_release(task=task)
    if sentences_of_a_judge(task):
        samples_give_up(task_id=task_id)
        standby = total = 0
    else:
        reservations_lift(task=task)
        total = _pool_fill(task_id, size, design.attention_every)
    requests = JudgeAccount.objects.filter(task=task_id, requested_at__isnull=False)
    judges = list(requests.order_by("requested_at").values_list("judge_id", flat=True))
    for judge_id in judges[:_JUDGES_AT_ONCE]:
        total += _plan_for(task_id, judge_id)
    training_plan_ahead(task=task)
    if design.attention_every:
        for judge_id in judges_to_check(task_id=task_id, design=design)[
            :_JUDGES_AT_ONCE
        ]:
            total += judge_plan(task_id=task_id, judge_id=judge_id)
    if design.intra_share:
        for judge_id in judges_to_repeat(task_id=task_id, design=design)[
            :_JUDGES_AT_ONCE
        ]:
            total += intra_plan(task_id=task_id, judge_id=judge_id)
    # Done last, because waiting judges need the HITs planned above.
    return total + standby_fill(task_id=task_id, size=standby)


def _sizes(design: Design) -> tuple[int, int]:
    """Return the target number of available HITs in the pool, and of those on standby."""
    an_hour = hits_an_hour(task_id=design.task_id)
    target = round(min(max(an_hour, settings.POOL_MIN_HITS), settings.POOL_MAX_HITS))
    if design.kind != Design.Kind.ACTIVE:
        return target, 0
    pool = min(
        max(_ACTIVE_POOL_MIN, round(an_hour * _ACTIVE_POOL_MINUTES / 60)),
        target,
    )
    return pool, target - pool


def _plan_for(task_id: int, judge_id: int) -> int:
    """Plan training if it is due for the judge, otherwise HITs; return the number planned."""
    account = JudgeAccount.objects.select_related("judge").get(
        task=task_id,
        judge=judge_id,
    )
    due = training_round_due(
        judge=account.judge,
        task_id=task_id,
        hits_lent=account.hits_lent,
    )
    if due is None:
        plan = judge_plan
    else:
        plan = training_plan
    return plan(task_id=task_id, judge_id=judge_id)


def _pool_fill(task_id: int, size: int, attention_every: int) -> int:
    """Fill the pool, dropping HITs on standby if no more may be planned."""
    total = _pool_fill_up(task_id, size, attention_every)
    _checks, others = _missing_in_pool(task_id, size, attention_every)
    if others and standby_give_up(task_id=task_id, count=others):
        total += _pool_fill_up(task_id, size, attention_every)
    return total


def _pool_fill_up(task_id: int, size: int, attention_every: int) -> int:
    total = 0
    while True:
        checks, others = _missing_in_pool(task_id, size, attention_every)
        count = checks + others
        planned = hits_plan(task_id=task_id, count=count, checks=checks)
        total += planned
        if planned < count or not count:
            return total


def _missing_in_pool(task_id: int, size: int, attention_every: int) -> tuple[int, int]:
    """Return the number of missing HITs with an attention check, if the design schedules checks, and of others."""
    pool = HIT.objects.filter(task_id=task_id).pooled().unreserved()
    available = pool.filter(available_at__lte=Now())
    return missing_of_each_kind(available, size=size, attention_every=attention_every)


def hits_plan(
    *,
    task_id: int,
    count: int,
    checks: int | None = None,
    texts: TestSetTexts | None = None,
) -> int:
    """Plan the next `count` HITs of the schedule, store them and return the number planned.

    `checks` is the number of HITs with an attention check, for designs that schedule checks; by
    default, as many as judges will be lent. In other designs, chance decides.

    Works in transactions of at most `PLAN_AT_ONCE` HITs, which lock the task's `HITSequence`, so
    that each number is drawn once. Plans fewer than `count` if `Task.blocks_wanted` is reached or
    nothing can be ranked: there are no texts, all outputs in each window are identical, or every
    segment has its `Task.blocks_per_segment`. Reads `texts` unless they are given.
    """
    task = Task.objects.get(pk=task_id)
    if has_passes(task):
        return rounds_plan(task_id=task_id, count=count)
    if sentences_of_a_judge(task):
        # Such HITs are drawn for judges on request.
        return 0
    if texts is None:
        texts = texts_now(task_id)
    total = 0
    if checks is None:
        design = design_in_force(task_id=task_id)
        checks = checks_among(count, design.attention_every if design else 0)
    while total < count:
        at_once = min(count - total, PLAN_AT_ONCE)
        checks_at_once = max(0, round(checks * at_once / count))
        planned = _batch_plan(task_id, at_once, checks_at_once, texts)
        total += planned
        if planned < at_once:
            break
    return total


@transaction.atomic
def _batch_plan(
    task_id: int,
    count: int,
    checks: int,
    texts: TestSetTexts,
    *,
    for_standby: bool = False,
) -> int:
    planning = PlanningTransaction.locked(task_id, texts=texts, for_standby=for_standby)
    missing = MissingHITs(planning, planning.sequence, count=count, checks=checks)
    hits_schedule(
        planning,
        missing,
        None if for_standby else _schedule(planning, count),
    )
    if not planning.planned:
        logger.debug("Task %s: no more HITs to plan.", task_id)
    planning.store()
    return len(planning.planned)


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
    target = checks + others
    missing = min(target, _PLANNED_IN_A_CALL)
    texts = texts_now(task_id)
    total = 0
    while total < missing:
        # Drops only as many as are planned, so that enough are left if the planner stops here.
        _give_up(task_id, stale, count=_AT_ONCE)
        count = min(_AT_ONCE, missing - total)
        planned = _batch_plan(
            task_id,
            count,
            round(checks * count / target),
            texts,
            for_standby=True,
        )
        total += planned
        if not planned:
            break
    if not missing:
        _give_up(task_id, stale, count=_PLANNED_IN_A_CALL)
    return total


def standby_give_up(*, task_id: int, count: int) -> int:
    """Drop at least `count` HITs on standby, so that others can be planned; return their number."""
    given_up = 0
    while given_up < count:
        batches = PlanningBatch.objects.filter(task=task_id).values("pk")
        hit_count = _give_up(task_id, batches, count=count - given_up)
        given_up += hit_count
        if not hit_count:
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
    recorded = SamplingState.objects.filter(task=task_id).first()
    is_stale = ~Q(design=design)
    if recorded is not None:
        is_stale |= Q(state__watermark__lt=int(recorded.watermark / _GROWTH))
    on_standby = list(
        _standby(task_id).order_by().values_list("batch", flat=True).distinct(),
    )
    return list(
        PlanningBatch.objects.filter(is_stale, pk__in=on_standby).values_list(
            "pk",
            flat=True,
        ),
    )


def _schedule(planning: PlanningTransaction, count: int) -> RepeatSchedule:
    """Return the schedule of the next `count` HITs, with the first HITs that they repeat."""
    firsts = firsts_scheduled(
        design=planning.design,
        sequence=planning.sequence,
        count=count,
    )
    planning.stored_ids.update((plan.number, pk) for pk, _family, plan in firsts)
    return RepeatSchedule(
        planning,
        planning.sequence,
        firsts={family: plan for _pk, family, plan in firsts},
    )


@transaction.atomic
def _give_up(
    task_id: int,
    batches: QuerySet[PlanningBatch, Any] | list[int],
    *,
    count: int,
) -> int:
    """Delete about `count` HITs on standby, the last ones of the oldest batch; return their number.

    No lent HIT depends on them: those come before the deleted ones.
    """
    oldest = _available(task_id).filter(batch__in=batches).aggregate(batch=Min("batch"))
    if oldest["batch"] is None:
        return 0
    planning = PlanningTransaction.locked(task_id)
    of_batch = HIT.objects.filter(batch=oldest["batch"])
    locked = (
        _available(task_id)
        .filter(batch=oldest["batch"])
        .select_for_update(skip_locked=True)
    )
    mine = set(locked.values_list("pk", flat=True))
    others = of_batch.exclude(pk__in=mine).aggregate(last=Max("number"))
    # Read again under the lock, because one may have been lent before.
    later = _available(task_id).filter(pk__in=mine, number__gt=others["last"] or 0)
    hits = _exclude_copies_of_others(
        list(later.order_by("-number")[: count + planning.parameters.redundancy - 1]),
    )
    planning.uncount(hits)
    planning.store()
    # Delete copies before their originals.
    HIT.objects.filter(pk__in=[hit.pk for hit in hits], repeats__isnull=False).delete()
    HIT.objects.filter(pk__in=[hit.pk for hit in hits], repeats__isnull=True).delete()
    return len(hits)


def _exclude_copies_of_others(hits: list[HIT]) -> list[HIT]:
    """Return the HITs without copies of any HIT not among them, so that no HIT loses only some of its copies."""
    mine = {hit.pk for hit in hits}
    with_copies = []
    for hit in hits:
        if hit.repeats_id is None or hit.repeats_id in mine:
            with_copies.append(hit)
    return with_copies


#: Minimum number of repeats before the last one is optional: fewer cannot disagree.
_BEFORE_THE_LAST: Final = 2


def waiting_release(*, task: Task) -> int:
    """Make HITs available once their first HIT is done; return their number. Withdraw those whose first is withdrawn.

    If the last repeat is not always needed, it waits for the earlier ones, and is withdrawn if
    unnecessary.
    """
    if answer_kind_of(task).has_stages:
        return _release(task)
    return 0


@transaction.atomic
def _release(task: Task) -> int:
    waiting = HIT.objects.filter(
        task=task,
        available_at=UNTIL_THE_FIRST_IS_DONE,
        repeats__completed_at__isnull=False,
    ).incomplete()
    of_withdrawn = set(
        waiting.filter(repeats__withdrawn_at__isnull=False).values_list(
            "pk",
            flat=True,
        ),
    )
    rows = waiting.exclude(pk__in=of_withdrawn).values_list("pk", "repeats")
    first_by_hit = {}
    for pk, first in rows:
        if first is not None:
            first_by_hit[pk] = first
    still_waiting, needless = _last_ones(task, first_by_hit)
    if of_withdrawn or needless:
        planning = PlanningTransaction.locked(task.pk)
        planning.withdraw(list(waiting.filter(pk__in=of_withdrawn | needless)))
        planning.store()
    return waiting.filter(pk__in=first_by_hit.keys() - still_waiting - needless).update(
        available_at=Now(),
    )


def _last_ones(task: Task, waiting: dict[int, int]) -> tuple[set[int], set[int]]:
    """Return the ids of HITs that wait for other repeats of the same HIT, and the ids of those not needed.

    `waiting` maps the id of a HIT to the id of the one it repeats.
    """
    last_repeats_needed = answer_kind_of(task).last_repeats_needed
    if not waiting or last_repeats_needed is None:
        return set(), set()
    last = _last_of_each(waiting.values())
    last_hits = set()
    for pk, first in waiting.items():
        if first in last and last[first][0] == pk:
            last_hits.add(pk)
    ready = set()
    for pk in last_hits:
        if last[waiting[pk]][1]:
            ready.add(pk)
    needed = last_repeats_needed([waiting[pk] for pk in ready])
    needless = set()
    for pk in ready:
        if waiting[pk] not in needed:
            needless.add(pk)
    return last_hits - ready, needless


def _last_of_each(firsts: Collection[int]) -> dict[int, tuple[int, bool]]:
    """Return the last repeat of each of these HITs, and whether all earlier repeats are done, if there are at least two."""
    rows: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    repeats = HIT.objects.filter(repeats__in=list(firsts), withdrawn_at__isnull=True)
    for pk, first, completed in repeats.order_by("number").values_list(
        "pk",
        "repeats",
        "completed_at",
    ):
        if first is not None:
            rows[first].append((pk, completed is not None))
    last_hits = {}
    for first, of in rows.items():
        if len(of) > _BEFORE_THE_LAST:
            last_hits[first] = (of[-1][0], all(is_done for _pk, is_done in of[:-1]))
    return last_hits


def comparisons_settle(*, design: Design) -> int:
    """Close complete comparisons, and return the number of HITs that are therefore no longer lent.

    HITs that were never lent are withdrawn. Those returned unfinished are marked done, and their
    judgments stay. Judges who hold one may finish it; their answers are late and do not change
    closed comparisons.
    """
    comparisons = answer_kind_of(design.task).comparisons
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
    closed = hits_of_closed(design=planning.design, hits=_available_now(task_id))
    # A HIT that is being lent at this moment is skipped.
    locked = _available_now(task_id).filter(pk__in=[hit.pk for hit in closed])
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
        watermark=watermark,
        systems=list(systems),
        wins=wins,
        ties=ties,
    )
