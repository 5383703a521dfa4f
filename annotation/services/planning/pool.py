"""Plan HITs before judges need them, so that lending is a look-up."""

import logging
from typing import Any, Final

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import HIT, Design, HITPurpose, JudgeAccount
from annotation.sampling.parameters import Checks, DesignParameters
from annotation.sampling.plans import HITPlan
from annotation.sampling.repeats import Purpose, Slot, repeated, slot
from annotation.selectors.corpus import TestSetTexts
from annotation.selectors.designs import design_in_force
from annotation.selectors.planned import plans_read
from annotation.selectors.training import training_round_due
from annotation.services.planning.batch import PlanningTransaction
from annotation.services.planning.blocks import hits_prepare
from annotation.services.planning.for_judge import (
    intra_plan,
    judge_plan,
    judges_to_check,
    judges_to_repeat,
    reservations_withdraw,
)
from annotation.services.training import training_plan, training_plan_ahead
from campaign.database.seeds import seed_draw
from campaign.models import TestSet
from campaign.texts.hash_draw import HashDraw

logger = logging.getLogger(__name__)

# Available HITs in the pool of a test set: minutes of work for two hundred judges, since each
# asks for one at a time and a worker refills in seconds.
POOL_SIZE: Final = 200
# An active design draws late, to know more of the judgments.
ACTIVE_POOL_SIZE: Final = 30
# HITs planned in one transaction: bounds its length and memory.
PLAN_AT_ONCE: Final = 2000
# Judges planned for in one call; the remaining ones are the first of the next call.
_JUDGES_AT_ONCE: Final = 100
# Consecutive empty draws after which the test set counts as having nothing left to rank.
_EMPTY_DRAWS_ALLOWED: Final = 200


def design_ensure(*, test_set: TestSet, seed: int | None = None) -> Design:
    """Return the design in force; create a uniform one with a random seed if there is none."""
    design = design_in_force(test_set_id=test_set.pk)
    if design is None:
        seed = seed_draw() if seed is None else seed
        design = Design.objects.create(test_set=test_set, seed=seed)
    return design


def pool_fill(*, test_set_id: int, size: int | None = None) -> int:
    """Plan what is needed now and return the number of HITs planned.

    Fills the pool up to `size` available HITs, or until the test set has all its blocks; plans HITs
    for judges who requested work, and repeats that come due; and writes the blocks of the HITs that
    will be lent first. A bounded number of short transactions.
    """
    test_set = TestSet.objects.get(pk=test_set_id)
    design = design_ensure(test_set=test_set)
    if size is None:
        size = ACTIVE_POOL_SIZE if design.kind == Design.Kind.ACTIVE else POOL_SIZE
    reservations_withdraw(test_set_id=test_set_id)
    made = _pool_fill(test_set_id, size, design.attention_every)
    requests = JudgeAccount.objects.filter(test_set=test_set_id, requested_at__isnull=False)
    judges = list(requests.order_by("requested_at").values_list("judge_id", flat=True))
    for judge_id in judges[:_JUDGES_AT_ONCE]:
        made += _plan_for(test_set_id, judge_id)
    training_plan_ahead(test_set=test_set)
    if design.attention_every:
        for judge_id in judges_to_check(test_set_id=test_set_id, design=design)[:_JUDGES_AT_ONCE]:
            made += judge_plan(test_set_id=test_set_id, judge_id=judge_id)
    if design.intra_share:
        for judge_id in judges_to_repeat(test_set_id=test_set_id, design=design)[:_JUDGES_AT_ONCE]:
            made += intra_plan(test_set_id=test_set_id, judge_id=judge_id)
    hits_prepare(test_set_id=test_set_id, count=POOL_SIZE)
    return made


def _plan_for(test_set_id: int, judge_id: int) -> int:
    """Plan training if it is due for the judge, otherwise HITs; return the number planned."""
    account = JudgeAccount.objects.select_related("judge").get(test_set=test_set_id, judge=judge_id)
    due = training_round_due(
        judge=account.judge, test_set_id=test_set_id, hits_lent=account.hits_lent
    )
    plan = judge_plan if due is None else training_plan
    return plan(test_set_id=test_set_id, judge_id=judge_id)


def _pool_fill(test_set_id: int, size: int, attention_every: int) -> int:
    made = 0
    while True:
        pool = HIT.objects.filter(test_set_id=test_set_id).pooled().unreserved()
        available = pool.filter(available_at__lte=Now())
        checks = 0
        if attention_every:
            # As many of either kind as judges will be lent, so that both last equally long.
            wanted = _checks_among(size, attention_every)
            checks = max(0, wanted - available.filter(holds_check=True).count())
            count = checks + max(0, size - wanted - available.filter(holds_check=False).count())
        else:
            count = max(0, size - available.count())
        planned = hits_plan(test_set_id=test_set_id, count=count, checks=checks)
        made += planned
        if planned < count or not count:
            return made


def _checks_among(hits: int, attention_every: int) -> int:
    """Return how many of so many HITs hold an attention check, where the design says which do."""
    return -(-hits // attention_every) if attention_every else 0


def hits_plan(
    *,
    test_set_id: int,
    count: int,
    checks: int | None = None,
    texts: TestSetTexts | None = None,
) -> int:
    """Plan the next `count` HITs of the schedule, store them and return the number planned.

    `checks`: how many of them hold an attention check, where the design says how often a judge gets
    one; without it, as many as judges will be lent. Otherwise chance alone decides.

    Works in transactions of at most `PLAN_AT_ONCE` HITs, which hold the lock of
    the test set's `HITSequence`, so that each number is drawn once. Plans fewer
    than `count` if `TestSet.blocks_wanted` is reached or nothing can be ranked:
    no texts, every window's outputs are identical, or every segment has its
    `TestSet.blocks_per_segment`. Reads `texts` if none are given.
    """
    if texts is None:
        test_set: Any = TestSet.objects.annotate(now=Now()).get(pk=test_set_id)
        texts = TestSetTexts(test_set, at=test_set.now)
    made = 0
    if checks is None:
        design = design_in_force(test_set_id=test_set_id)
        checks = _checks_among(count, design.attention_every if design else 0)
    while made < count:
        at_once = min(count - made, PLAN_AT_ONCE)
        checks_at_once = max(0, round(checks * at_once / count))
        planned = _batch_plan(test_set_id, at_once, checks_at_once, texts)
        made += planned
        if planned < at_once:
            break
    return made


@transaction.atomic
def _batch_plan(test_set_id: int, count: int, checks: int, texts: TestSetTexts) -> int:
    planning = PlanningTransaction.locked(test_set_id, texts=texts)
    schedule = RepeatSchedule(planning, count)
    missing = MissingHITs(planning, count=count, checks=checks)
    empty_draws = 0
    while missing.is_any and not planning.is_all_planned:
        wanted = schedule.next_slot()
        if wanted.purpose is not Purpose.FIRST:
            schedule.repeat(wanted)
            continue
        kind = missing.next_kind()
        plan = planning.draw(kind)
        if plan is not None and plan.blocks:
            planning.add(plan, Purpose.FIRST, family=wanted.family)
            schedule.done(wanted, plan)
            empty_draws = 0
            continue
        empty_draws += 1
        if plan is None or empty_draws >= _EMPTY_DRAWS_ALLOWED:
            missing.give_up(kind)
            empty_draws = 0
    if not planning.planned:
        logger.debug("Test set %s: nothing (more) to plan.", test_set_id)
    planning.store()
    return len(planning.planned)


class MissingHITs:
    """How many HITs a batch is to have yet, with an attention check and without.

    In a design that does not say which judge gets one, chance brings them, and only their sum counts.
    """

    def __init__(self, planning: PlanningTransaction, *, count: int, checks: int) -> None:
        self._planning = planning
        self._count, self._checks = count, checks
        self._seen = self._with_check = 0

    @property
    def is_any(self) -> bool:
        with_check, without = self._left()
        return with_check + without > 0

    def next_kind(self) -> Checks:
        """Return of which kind the next HIT is to be: those with a check are spread over the batch."""
        if not self._planning.parameters.attention_every:
            return Checks.CHANCE
        with_check, without = self._left()
        draw = HashDraw(
            seed=self._planning.parameters.seed, number=self._planning.sequence.last_number + 1
        )
        is_with = draw.below(with_check + without, "with check") < with_check
        return Checks.SOME if is_with else Checks.NONE

    def give_up(self, kind: Checks) -> None:
        """Plan no more HITs of this kind: none can be drawn."""
        with_check, without = self._left()
        if kind is Checks.SOME:
            self._count, self._checks = self._count - with_check, self._checks - with_check
        else:
            self._count -= without

    def _left(self) -> tuple[int, int]:
        planned = len(self._planning.planned)
        if not self._planning.parameters.attention_every:
            return 0, max(0, self._count - planned)
        self._with_check += sum(
            hit.plan.holds_check for hit in self._planning.planned[self._seen :]
        )
        self._seen = planned
        return (
            max(0, self._checks - self._with_check),
            max(0, self._count - self._checks - (planned - self._with_check)),
        )


class RepeatSchedule:
    """The next HITs of the design's schedule, and the first HITs that they repeat."""

    def __init__(self, planning: PlanningTransaction, count: int) -> None:
        self._planning = planning
        self._firsts = self._stored_firsts(planning.parameters, count)

    def next_slot(self) -> Slot:
        sequence = self._planning.sequence
        return slot(
            parameters=self._planning.parameters,
            step=sequence.scheduled + 1,
            inter=sequence.inter_scheduled,
        )

    def done(self, wanted: Slot, plan: HITPlan) -> None:
        self._planning.sequence.scheduled += 1
        self._firsts[wanted.family] = plan

    def repeat(self, wanted: Slot) -> None:
        """Plan a repeat, or skip its place in the schedule.

        It is skipped if a segment has its quota already, or the first HIT was withdrawn.
        """
        self._planning.sequence.scheduled += 1
        self._planning.sequence.inter_scheduled += wanted.purpose is Purpose.INTER
        first = self._firsts.get(wanted.family)
        if first is None or not self._planning.quota.allows(first):
            return
        plan = repeated(
            first,
            seed=self._planning.parameters.seed,
            number=self._planning.number_next(),
            purpose=wanted.purpose,
        )
        self._planning.add(plan, wanted.purpose, family=wanted.family, repeats=first.number)

    def _stored_firsts(self, parameters: DesignParameters, count: int) -> dict[int, HITPlan]:
        """Return stored first HITs that the next steps repeat, by family. One read."""
        if not parameters.inter_share and parameters.redundancy == 1:
            return {}
        # Skipped steps come on top; their first HITs are read in the next call.
        families, inter = set(), self._planning.sequence.inter_scheduled
        for step in range(1, 2 * count + 1):
            wanted = slot(
                parameters=parameters,
                step=self._planning.sequence.scheduled + step,
                inter=inter,
            )
            families.add(wanted.family)
            inter += wanted.purpose is Purpose.INTER
        rows = dict(
            HIT.objects.filter(
                design=self._planning.design,
                family__in=families,
                purpose=HITPurpose.FIRST,
                # Nobody judged a withdrawn HIT: there is nothing to compare a repeat with.
                withdrawn_at__isnull=True,
            ).values_list("pk", "family")
        )
        plans = plans_read(rows)
        self._planning.stored_ids.update((plan.number, pk) for pk, plan in plans.items())
        return {rows[pk]: plan for pk, plan in plans.items()}
