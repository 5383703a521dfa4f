"""Choose the HIT a judge is lent next, and lock its row until the commit.

Each is one query of the same form: a judge must not learn from the time of an answer what they
were lent.

Whether an attention check or a repeat is due is drawn for the judge (`annotation.sampling.rates`),
and the planner has a HIT of each kind ready. The number of queries is the same in all cases.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Unpack

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import HIT, HITPurpose
from annotation.models.hit import HITQuerySet
from annotation.sampling.rates import attention_due, intra_due
from annotation.selectors.comparisons import blocks_of, sentences_taken
from annotation.selectors.passes import is_full, passes_so_far, second_pass
from annotation.selectors.pool import (
    ASKED_FIELDS,
    SCHEDULED_FIELDS,
    JudgeAsks,
    has_check_to_lend,
    hits_for_judge,
    hits_intra,
    hits_near,
    hits_reserved,
    hits_standby,
    hits_standby_near,
)
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.lending.context import OpenTask
from campaign.database.prepared import instance_from
from campaign.database.prepared_query import Parameter, PreparedQuery, field_names
from campaign.models import Judge


@dataclass(frozen=True, slots=True)
class ClaimedHIT:
    """A HIT for a judge, locked until the commit.

    `is_last` says that no further HIT will be available for them after it; None where that was not
    looked up.
    """

    hit: HIT
    is_last: bool | None = None


def hit_claim_from_pool(
    *, holds_check: bool | None = None, far: bool = False, **asks: Unpack[JudgeAsks]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT of the pool; for a judge without reserved HITs.

    `holds_check`: only one with an attention check, or one without. Then `is_last` says that there is
    no further one without. Looks at the first thousand or so, unless `far`.
    """
    return _claim(_FROM_POOL[holds_check, far].row(**asks))


def hit_claim_reserved(
    *, holds_check: bool | None = None, **asks: Unpack[JudgeAsks]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT that is reserved for this judge."""
    if holds_check is None:
        return _claim(_RESERVED.row(**asks))
    return _claim(_SCHEDULED_RESERVED.row(holds_check=holds_check, **asks))


def hit_claim_repeat(**asks: Unpack[JudgeAsks]) -> ClaimedHIT | None:
    """Lock and return the repeat that is planned of a HIT of this judge."""
    return _claim(_REPEAT.row(**asks))


def hit_claim_standby(
    *, holds_check: bool | None = None, far: bool = False, **asks: Unpack[JudgeAsks]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT on standby; for a judge for whom the pool has none."""
    return _claim(_STANDBY[holds_check, far].row(**asks))


def _claim(found: tuple[Any, ...] | None) -> ClaimedHIT | None:
    if found is None:
        return None
    has_next, *row = found
    return ClaimedHIT(instance_from(HIT, row), is_last=not has_next)


def _pool(**asked: Any) -> HITQuerySet:
    return hits_near(**asked).available()


def _from_pool(*, holds_check: bool | None, **asked: Any) -> QuerySet[HIT, Any]:
    pool = _pool(**asked)
    if holds_check is None:
        return _first_of(pool, has_next=Exists(_later(pool)))
    without = pool.holding_check(holds_check=False)
    return _first_of(pool.holding_check(holds_check), has_next=Exists(_of_other_segments(without)))


def _from_whole_pool(*, holds_check: bool | None, **asked: Any) -> QuerySet[HIT, Any]:
    # Not worth a second walk to see if others follow: the planner has been notified.
    pool = hits_for_judge(**asked).available()
    return _first_of(pool.holding_check(holds_check), has_next=_NOTHING)


def _standby(*, holds_check: bool | None, **asked: Any) -> QuerySet[HIT, Any]:
    # The pool has nothing more for this judge, whatever else is on standby.
    standby = hits_standby_near(**asked).available()
    return _first_of(standby.holding_check(holds_check), has_next=_NOTHING)


def _whole_standby(*, holds_check: bool | None, **asked: Any) -> QuerySet[HIT, Any]:
    standby = hits_standby(**asked).available()
    return _first_of(standby.holding_check(holds_check), has_next=_NOTHING)


def _reserved(**asked: Any) -> QuerySet[HIT, Any]:
    pool, reserved = _pool(**asked), hits_reserved(**asked).available()
    return _first_of(reserved, has_next=Exists(_later(reserved)) | Exists(_of_other_segments(pool)))


def _scheduled_reserved(*, holds_check: bool | Parameter, **asked: Any) -> QuerySet[HIT, Any]:
    pool, reserved = _pool(**asked), hits_reserved(**asked).available()
    without = [hits.holding_check(holds_check=False) for hits in (reserved, pool)]
    has_next = Exists(_of_other_segments(without[0])) | Exists(_of_other_segments(without[1]))
    return _first_of(reserved.holding_check(holds_check), has_next=has_next)


def _repeat(**asked: Any) -> QuerySet[HIT, Any]:
    pool, repeats = _pool(**asked), hits_intra(**asked).available()
    return _first_of(repeats, has_next=Exists(_of_other_segments(pool)))


def _first_of(hits: HITQuerySet, *, has_next: Exists | Q) -> QuerySet[HIT, Any]:
    """Return a query of the first unlocked HIT: `has_next`, then all its columns. It locks the row."""
    locked = hits.select_for_update(skip_locked=True, no_key=True, of=("self",))
    found: QuerySet[HIT, Any] = locked.annotate(has_next=has_next).values_list(
        "has_next", *field_names(HIT)
    )
    return found[:1]


def _later(hits: HITQuerySet) -> HITQuerySet:
    """Return those after the HIT of the outer query.

    HITs with a lower number are not for this judge, or are being lent to others right now.
    """
    return _of_other_segments(hits).filter(number__gt=OuterRef("number"))


def _of_other_segments(hits: HITQuerySet) -> HITQuerySet:
    """Return the HITs that show no segment of the HIT of the outer query."""
    return hits.exclude(segment_ids__overlap=OuterRef("segment_ids"))


def _of_each_kind(
    name: str, near: Callable[..., QuerySet[HIT, Any]], far: Callable[..., QuerySet[HIT, Any]]
) -> dict[tuple[bool | None, bool], PreparedQuery]:
    """Return a query for each `holds_check` and `far`: one with parameters would use no index made for it."""
    kinds = {None: "any", True: "check", False: "plain"}
    return {
        (holds_check, is_far): PreparedQuery(
            f"hit_claim_{kind}_{'far' if is_far else 'near'}_{name}",
            partial(build, holds_check=holds_check),
            ASKED_FIELDS,
        )
        for holds_check, kind in kinds.items()
        for is_far, build in ((False, near), (True, far))
    }


_NOTHING: Final = Q(pk__in=[])
_FROM_POOL: Final = _of_each_kind("pool", _from_pool, _from_whole_pool)
_STANDBY: Final = _of_each_kind("standby", _standby, _whole_standby)
_RESERVED: Final = PreparedQuery("hit_claim_reserved", _reserved, ASKED_FIELDS)
_REPEAT: Final = PreparedQuery("hit_claim_repeat", _repeat, ASKED_FIELDS)
_SCHEDULED_RESERVED: Final = PreparedQuery(
    "hit_claim_scheduled_reserved", _scheduled_reserved, SCHEDULED_FIELDS
)


def hit_choose_of_pass(*, task: OpenTask, asks: JudgeAsks) -> ClaimedHIT | None:
    """Lock and return the HIT that comes next; None if none is available.

    From when the second pass is planned for a judge, they are lent nothing more of the first, whatever others give
    back; and nothing of the second while they hold a HIT of the first.
    """
    judge_id = asks["judge_id"]
    if task.has_second_pass:
        second = second_pass(judge_id=judge_id, task_id=task.id)
        if second.is_planned:
            found = None if second.has_first_in_hand else hit_claim_repeat(**asks)
            # All of it is planned.
            return found and ClaimedHIT(found.hit, is_last=False)
    if task.limits_texts:
        so_far = passes_so_far(judge_id=judge_id, task_id=task.id)
        if is_full(task_id=task.id, texts=so_far.texts):
            return None
    if not task.has_second_pass and not task.limits_texts:
        # The planner is notified only if there is no next one.
        found = hit_claim_from_pool(**asks)
        if found is not None:
            return found
    # No limit to the distance: a HIT that cannot be lent must not hide the rounds after it.
    return hit_claim_from_pool(far=True, **asks)


def hit_choose_of_sample(
    *, asks: JudgeAsks, most: int, holds_check: bool | None
) -> ClaimedHIT | None:
    """Lock and return the first HIT of the judge's samples that asks for no more than they are to give; None if there is none.

    Including judged and held blocks, no comparison gets more than `most` of their sentences,
    however often they ask. The judge's row is locked, so that nothing else is lent to them
    meanwhile.
    """
    hits = hits_reserved(**asks).available().filter(purpose=HITPurpose.FIRST)
    # A HIT that is being dropped at this moment is skipped.
    locked = hits.select_for_update(skip_locked=True, no_key=True, of=("self",))
    fitting = []
    taken = None
    for hit in locked:
        if taken is None:
            taken = sentences_taken(
                judge_id=asks["judge_id"], task_id=asks["task_id"], planned=False
            )
        if all(taken[pair] + asked <= most for pair, asked in blocks_of(hit).items()):
            fitting.append(hit)
    chosen = next((hit for hit in fitting if holds_check in (None, hit.holds_check)), None)
    if chosen is None:
        return None
    others = [hit for hit in fitting if hit is not chosen and not hit.holds_check]
    return ClaimedHIT(chosen, is_last=not others)


def hit_choose(*, task: OpenTask, judge: Judge, asks: JudgeAsks) -> ClaimedHIT | None:
    """Lock and return the HIT that comes next; None if none of the test set is available.

    Training comes first, then a repeat if one is due, HITs reserved for the judge, the pool, and what
    is on standby.
    """
    if task.has_passes:
        return hit_choose_of_pass(task=task, asks=asks)
    if task.has_training:
        round_ = training_round_due(judge=judge, task_id=task.id, hits_lent=task.hits_lent)
        if round_ is not None:
            # Nothing else before training is done; if it is not planned yet, the judge asks again.
            training = hits_training(judge=judge, task_id=task.id)
            return _claim_first(training.excluding_systems(asks["conflicts"]))
    holds_check = None if not task.attention_every else _with_check(task, judge, asks)
    claimed = None
    if task.has_repeat and _is_intra_due(task, judge):
        claimed = hit_claim_repeat(**asks)
    claimed = claimed or _claim_next(task, asks, holds_check=holds_check)
    if claimed is None and holds_check:
        # Lent to others at this very moment.
        claimed = _claim_next(task, asks, holds_check=False)
    if claimed is None and holds_check is not None and task.is_all_there_is:
        # Nothing else will be drawn for this judge, or the planner is away: better a check too many.
        claimed = _claim_next(task, asks, holds_check=None)
    return claimed


def _claim_first(hits: HITQuerySet) -> ClaimedHIT | None:
    # Skips a HIT that is being lent to another judge. Without the lock it would be chosen twice:
    # the second judge would wait for the first one, and then the database would refuse the lease.
    hit = hits.available().select_for_update(skip_locked=True, no_key=True).first()
    return None if hit is None else ClaimedHIT(hit)


def _claim_next(task: OpenTask, asks: JudgeAsks, *, holds_check: bool | None) -> ClaimedHIT | None:
    if task.sentences_of_a_judge:
        return hit_choose_of_sample(
            asks=asks, most=task.sentences_of_a_judge, holds_check=holds_check
        )
    claimed = None
    if task.has_reserved(holds_check=holds_check):
        claimed = hit_claim_reserved(holds_check=holds_check, **asks)
    far = task.is_planner_silent
    return (
        claimed
        or hit_claim_from_pool(holds_check=holds_check, far=far, **asks)
        or hit_claim_standby(holds_check=holds_check, far=far, **asks)
    )


def _with_check(task: OpenTask, judge: Judge, asks: JudgeAsks) -> bool:
    """Return whether the next HIT should hold an attention check: one is due, and available."""
    # Asked in any case, so that the answer takes as long whether one is due or not.
    is_available = has_check_to_lend(**asks)
    return (
        is_available
        and task.seed is not None
        and attention_due(
            seed=task.seed,
            judge=judge.pseudonym,
            every=task.attention_every,
            checks=task.checks_lent,
            hits_since=task.hits_since_check,
        )
    )


def _is_intra_due(task: OpenTask, judge: Judge) -> bool:
    return task.seed is not None and intra_due(
        seed=task.seed,
        judge=judge.pseudonym,
        share=task.intra_share,
        repeat_gap=task.repeat_gap,
        repeats=task.intra_lent,
        hits_since=task.hits_since_repeat,
    )
