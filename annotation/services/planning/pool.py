"""Plan HITs before judges need them, so that lending is only a lookup."""

import logging
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from annotation.models import HIT, Design, JudgeAccount
from annotation.sampling.planning import (
    MissingHITs,
    RepeatSchedule,
    checks_among,
    hits_schedule,
)
from annotation.selectors.comparisons import sentences_of_a_judge
from annotation.selectors.designs import design_in_force
from annotation.selectors.drawing import TestSetTexts, texts_now
from annotation.selectors.hits import firsts_scheduled
from annotation.selectors.passes import has_passes
from annotation.selectors.progress import hits_an_hour
from annotation.selectors.training import training_round_due
from annotation.services.planning.batch import (
    PlanningTransaction,
    hits_prepare,
    missing_of_each_kind,
)
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
from annotation.services.planning.standby import (
    comparisons_settle,
    standby_fill,
    standby_give_up,
    standby_settle,
    waiting_release,
)
from annotation.services.training import training_plan, training_plan_ahead
from campaign.models import Task

logger = logging.getLogger(__name__)

# An active design draws as late as possible, to use more judgments: its pool lasts until the
# planner's next run, and the rest of the hour is on standby.
_ACTIVE_POOL_MIN: Final = 30
_ACTIVE_POOL_MINUTES: Final = 1
# Number of HITs whose blocks are written ahead, enough for two hundred judges until the planner's
# next run.
_PREPARED: Final = 200
# HITs planned per transaction, which bounds its duration and memory.
PLAN_AT_ONCE: Final = 2000
# Judges planned for per call; the remaining ones come first in the next call.
_JUDGES_AT_ONCE: Final = 100


def pool_fill(*, task_id: int, size: int | None = None) -> int:
    """Plan the HITs needed now and return their number.

    Fills the pool up to `size` available HITs, or until the task has all its blocks; plans HITs for
    judges who requested work, and repeats that come due; closes a sort's comparisons that have
    their judgments, and plans the next ones; and writes the blocks of the HITs that will be lent
    first. In a sort with samples per judge, all HITs are planned for judges who requested work.
    Uses a bounded number of short transactions.

    Without a `size`, the available HITs last an hour at the current pace; in an active design, most
    of them are on standby.
    """
    task = Task.objects.get(pk=task_id)
    design = design_ensure(task=task)
    size, standby = (size, 0) if size is not None else _sizes(design)
    if has_passes(task):
        return passes_fill(task=task, size=size)
    reservations_withdraw(task_id=task_id)
    comparisons_settle(design=design)
    standby_settle(task_id=task_id)
    waiting_release(task=task)
    if sentences_of_a_judge(task):
        samples_give_up(task_id=task_id)
        standby = made = 0
    else:
        reservations_lift(task=task)
        made = _pool_fill(task_id, size, design.attention_every)
    requests = JudgeAccount.objects.filter(task=task_id, requested_at__isnull=False)
    judges = list(requests.order_by("requested_at").values_list("judge_id", flat=True))
    for judge_id in judges[:_JUDGES_AT_ONCE]:
        made += _plan_for(task_id, judge_id)
    training_plan_ahead(task=task)
    if design.attention_every:
        for judge_id in judges_to_check(task_id=task_id, design=design)[:_JUDGES_AT_ONCE]:
            made += judge_plan(task_id=task_id, judge_id=judge_id)
    if design.intra_share:
        for judge_id in judges_to_repeat(task_id=task_id, design=design)[:_JUDGES_AT_ONCE]:
            made += intra_plan(task_id=task_id, judge_id=judge_id)
    hits_prepare(task_id=task_id, count=_PREPARED)
    # Done last, because waiting judges need the HITs planned above.
    return made + standby_fill(task_id=task_id, size=standby)


def _sizes(design: Design) -> tuple[int, int]:
    """Return the target number of available HITs in the pool, and of those on standby."""
    an_hour = hits_an_hour(task_id=design.task_id)
    wanted = round(min(max(an_hour, settings.POOL_MIN_HITS), settings.POOL_MAX_HITS))
    if design.kind != Design.Kind.ACTIVE:
        return wanted, 0
    pool = min(max(_ACTIVE_POOL_MIN, round(an_hour * _ACTIVE_POOL_MINUTES / 60)), wanted)
    return pool, wanted - pool


def _plan_for(task_id: int, judge_id: int) -> int:
    """Plan training if it is due for the judge, otherwise HITs; return the number planned."""
    account = JudgeAccount.objects.select_related("judge").get(task=task_id, judge=judge_id)
    due = training_round_due(judge=account.judge, task_id=task_id, hits_lent=account.hits_lent)
    plan = judge_plan if due is None else training_plan
    return plan(task_id=task_id, judge_id=judge_id)


def _pool_fill(task_id: int, size: int, attention_every: int) -> int:
    """Fill the pool, dropping HITs on standby if no more may be planned."""
    made = _pool_fill_up(task_id, size, attention_every)
    _checks, others = _missing_in_pool(task_id, size, attention_every)
    if others and standby_give_up(task_id=task_id, count=others):
        made += _pool_fill_up(task_id, size, attention_every)
    return made


def _pool_fill_up(task_id: int, size: int, attention_every: int) -> int:
    made = 0
    while True:
        checks, others = _missing_in_pool(task_id, size, attention_every)
        count = checks + others
        planned = hits_plan(task_id=task_id, count=count, checks=checks)
        made += planned
        if planned < count or not count:
            return made


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
    made = 0
    if checks is None:
        design = design_in_force(task_id=task_id)
        checks = checks_among(count, design.attention_every if design else 0)
    while made < count:
        at_once = min(count - made, PLAN_AT_ONCE)
        checks_at_once = max(0, round(checks * at_once / count))
        planned = _batch_plan(task_id, at_once, checks_at_once, texts)
        made += planned
        if planned < at_once:
            break
    return made


@transaction.atomic
def _batch_plan(task_id: int, count: int, checks: int, texts: TestSetTexts) -> int:
    planning = PlanningTransaction.locked(task_id, texts=texts)
    firsts = firsts_scheduled(design=planning.design, sequence=planning.sequence, count=count)
    planning.stored_ids.update((plan.number, pk) for pk, _family, plan in firsts)
    schedule = RepeatSchedule(
        planning, planning.sequence, firsts={family: plan for _pk, family, plan in firsts}
    )
    missing = MissingHITs(planning, planning.sequence, count=count, checks=checks)
    hits_schedule(planning, missing, schedule)
    if not planning.planned:
        logger.debug("Task %s: nothing (more) to plan.", task_id)
    planning.store()
    return len(planning.planned)
