"""Plan the HITs of tasks that allot texts to judges in passes: `annotation.protocols.answer_kinds.Passes`.

The first pass is planned in rounds (`annotation.sampling.rounds`), for all judges. Each later one is
planned for each judge when they have nothing left of the one before: the blocks they judged in it, HIT
by HIT, in a new order. If each pass is by other judges, all are planned in rounds.
"""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import HIT, JudgeAccount, Judgment
from annotation.sampling.plans import HITPlan, Purpose
from annotation.sampling.rounds import Rounds
from annotation.selectors.hits import plans_read
from annotation.selectors.passes import (
    hits_to_show_again,
    is_full,
    passes_of,
    passes_so_far,
    rounds_of,
)
from annotation.selectors.pool import (
    HITRequest,
    hit_request,
    hits_for_judge,
    hits_intra,
)
from annotation.services.planning.batch import OneJudge, PlanningTransaction
from campaign.models import Judge, Task
from campaign.texts.hash_draw import HashDraw

# Only useful to this judge, so they stay reserved.
_KEPT_FOR: Final = timedelta(days=36_500)
# Its draws are named in words, so that stored HITs can be redrawn.
_SECOND: Final = 2
_JUDGES_AT_ONCE: Final = 100


def passes_fill(*, task: Task, size: int) -> int:
    """Plan the HITs needed now and return their number; like `pool_fill`, but for tasks with passes."""
    total = 0
    available = HIT.objects.filter(task=task).pooled().available()
    while (missing := size - available.count()) > 0:
        planned = rounds_plan(task_id=task.pk, count=missing)
        total += planned
        if not planned:
            break
    requests = JudgeAccount.objects.filter(task=task, requested_at__isnull=False)
    judges = list(requests.order_by("requested_at").values_list("judge_id", flat=True))
    for judge_id in judges[:_JUDGES_AT_ONCE]:
        total += pass_plan(task_id=task.pk, judge_id=judge_id)
    return total


@transaction.atomic
def rounds_plan(*, task_id: int, count: int) -> int:
    """Plan whole rounds until at least `count` HITs are added; return their number. 0 after the last round.

    Holds the lock of the task's `HITSequence`, so that each round is planned once.
    """
    planning = PlanningTransaction.locked(task_id)
    rounds = rounds_of(task=planning.task, design=planning.design)
    while len(planning.planned) < count and not planning.is_all_planned:
        if not _round_add(planning, rounds):
            break
    planning.store()
    return len(planning.planned)


def _round_add(planning: PlanningTransaction, rounds: Rounds) -> bool:
    """Plan the next round; return whether there was one."""
    number = planning.sequence.turns + 1
    passes = passes_of(planning.task)
    planned_together = 1
    if passes.are_by_others:
        planned_together = passes.count
    is_added = rounds.add(
        planning,
        number,
        texts=planning.texts,
        raters=passes.raters,
        passes=planned_together,
    )
    if is_added:
        planning.sequence.turns = number
    return is_added


@transaction.atomic
def pass_plan(*, task_id: int, judge_id: int) -> int:
    """Plan another round, or the next pass, for a judge who requested work; return the number of HITs.

    Sets `JudgeAccount.none_left_at` if nothing can be planned for them now. Locks the judge's row.
    """
    # Prevents HITs of the first pass from being lent to the judge meanwhile.
    judge = Judge.objects.select_for_update(no_key=True).get(pk=judge_id)
    planning = PlanningTransaction.locked(task_id, judge=OneJudge(judge_id=judge_id))
    account = JudgeAccount.objects.filter(task=task_id, judge=judge_id)
    so_far = passes_so_far(judge_id=judge_id, task_id=task_id)
    request = hit_request(judge, task=planning.task)
    passes = passes_of(planning.task)
    if so_far.is_past_first:
        has_more = hits_intra(request).available().exists()
    else:
        has_more = _has_first(planning, so_far.texts, request)
    is_last = passes.are_seen_once or so_far.planned == passes.count
    if not has_more:
        if not is_last and not so_far.is_holding:
            _next_add(planning, judge_id, part=so_far.planned + 1)
        has_more = bool(planning.planned)
    is_none_left = not has_more
    planning.store()
    account.update(requested_at=None, none_left_at=Now() if is_none_left else None)
    return len(planning.planned)


def _has_first(planning: PlanningTransaction, texts: int, request: HITRequest) -> bool:
    """Return whether a HIT of the first pass is available for a judge, planning rounds until one is."""
    if is_full(task_id=planning.task.pk, texts=texts):
        return False
    if hits_for_judge(request).available().exists():
        return True
    rounds = rounds_of(task=planning.task, design=planning.design)
    # No judge has seen the segments of a new round, so more than one is needed only if there is a
    # conflict of interest with all of its HITs.
    while not planning.is_all_planned and _round_add(planning, rounds):
        for hit in planning.planned:
            if set(request.conflicts).isdisjoint(_systems_of(hit.plan, planning)):
                return True
    return False


def _systems_of(plan: HITPlan, planning: PlanningTransaction) -> set[int]:
    """Return the ids of the systems of a planned HIT."""
    systems: set[int] = set()
    for block in plan.blocks:
        for names in block.systems:
            systems.update(planning.systems[name] for name in names)
    return systems


def _next_add(planning: PlanningTransaction, judge_id: int, *, part: int) -> None:
    """Plan pass `part` of a judge, who has finished the one before."""
    task_id = planning.task.pk
    before = hits_to_show_again(judge_id, task_id, part - 1)
    hits = {hit.pk: hit for hit in before.select_related("repeats")}
    plans = plans_read(hits)
    judged = set(
        Judgment.objects.filter(block__hit__in=hits, judge=judge_id).values_list(
            "block__hit",
            "block__segment__number",
        ),
    )
    draw = HashDraw(seed=planning.parameters.seed, number=0)
    rounds = rounds_of(task=planning.task, design=planning.design)
    if part == _SECOND:
        name = "second pass"
    else:
        name = f"pass {part}"
    for pk in draw.shuffled(hits, lambda pk: hits[pk].number, name, judge_id):
        blocks = []
        for block in plans[pk].blocks:
            if (pk, block.segment) in judged:
                blocks.append(block)
        first_plan = HITPlan(
            number=hits[pk].number,
            blocks=tuple(blocks),
            why={},
        )
        again = rounds.again(
            first_plan,
            hit=planning.number_next(),
            purpose=Purpose.INTRA,
        )
        first = hits[pk].repeats or hits[pk]
        planning.stored_ids[first.number] = first.pk
        planning.add(
            again,
            Purpose.INTRA,
            repeats=first.number,
            reserved_for=judge_id,
            reserved_until=planning.now + _KEPT_FOR,
            part=part,
        )
