"""Choose the next HIT to lend to a judge, and lock its row until the commit.

Each claim is one query of the same form, because the response time must not reveal the kind of HIT.

Chance decides for each judge if an attention check or a repeat is due
(`annotation.sampling.rates`), and the planner keeps a HIT of each kind ready. The number of queries
is the same in all cases.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, Unpack

from django.db.models import QuerySet

from annotation.models import HIT, HITPurpose
from annotation.models.hit import HITQuerySet
from annotation.sampling.rates import attention_due, intra_due
from annotation.selectors.comparisons import blocks_of, sentences_taken
from annotation.selectors.passes import is_full, passes_so_far
from annotation.selectors.pool import (
    ASKED_FIELDS,
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
from campaign.database.prepared_query import PreparedQuery, field_names
from campaign.models import Judge


def _locked(
    hits: Callable[..., HITQuerySet], *, holds_check: bool | None, **asked: Any
) -> QuerySet[HIT, Any]:
    available = hits(**asked).available().holding_check(holds_check)
    locked = available.select_for_update(skip_locked=True, no_key=True, of=("self",))
    return locked.values_list(*field_names(HIT))[:1]


# One query per value of `holds_check`, because a query parameter would rule out the partial
# indexes.
_CLAIMS: Final = {
    (source, holds_check): PreparedQuery(
        f"hit_claim_{source}_{kind}", partial(_locked, hits, holds_check=holds_check), ASKED_FIELDS
    )
    for source, hits in {
        "pool": hits_near,
        "whole_pool": hits_for_judge,
        "standby": hits_standby_near,
        "whole_standby": hits_standby,
        "reserved": hits_reserved,
        "repeats": hits_intra,
    }.items()
    for holds_check, kind in {None: "any", True: "check", False: "plain"}.items()
}


def hit_claim(
    source: str, *, holds_check: bool | None = None, **asks: Unpack[JudgeAsks]
) -> HIT | None:
    """Lock and return the first available HIT of a source that this judge may be lent; None if there is none.

    `holds_check` restricts this to HITs with, or without, an attention check.
    """
    row = _CLAIMS[source, holds_check].row(**asks)
    return None if row is None else instance_from(HIT, row)


def hit_choose(*, task: OpenTask, judge: Judge, asks: JudgeAsks) -> HIT | None:
    """Lock and return the HIT that comes next; None if none of the task is available.

    Training comes first, then a repeat if one is due, HITs reserved for the judge, the pool, and
    HITs on standby.
    """
    if task.has_passes:
        return _choose_of_pass(task, asks)
    if task.has_training:
        round_ = training_round_due(judge=judge, task_id=task.id, hits_lent=task.hits_lent)
        if round_ is not None:
            # Nothing else is lent before training is done; if it is not planned yet, the judge asks
            # again.
            training = hits_training(judge=judge, task_id=task.id)
            suitable = training.excluding_systems(asks["conflicts"]).available()
            return suitable.select_for_update(skip_locked=True, no_key=True).first()
    holds_check = None if not task.attention_every else _with_check(task, judge, asks)
    hit = None
    if task.has_repeat and _is_intra_due(task, judge):
        hit = hit_claim("repeats", **asks)
    hit = hit or _claim_next(task, asks, holds_check=holds_check)
    if hit is None and holds_check:
        # The HITs with a check are being lent to others at this moment.
        hit = _claim_next(task, asks, holds_check=False)
    if hit is None and holds_check is not None and task.is_all_there_is:
        # No other HIT will be drawn for this judge, or the planner is down: one check too many is
        # better than no work.
        hit = _claim_next(task, asks, holds_check=None)
    return hit


def _choose_of_pass(task: OpenTask, asks: JudgeAsks) -> HIT | None:
    """Lock and return the HIT that comes next in a task with passes.

    Once the second pass is planned for a judge, they are lent nothing more of the first, even if
    others return HITs, and nothing of the second while they hold a HIT of the first.
    """
    if task.has_second_pass or task.limits_texts:
        so_far = passes_so_far(judge_id=asks["judge_id"], task_id=task.id)
        if so_far.has_second:
            return None if so_far.has_first_in_hand else hit_claim("repeats", **asks)
        if task.limits_texts and is_full(task_id=task.id, texts=so_far.texts):
            return None
    # Unlimited distance: HITs that cannot be lent must not hide the rounds after them.
    return hit_claim("whole_pool", **asks)


def _choose_of_sample(asks: JudgeAsks, *, most: int, holds_check: bool | None) -> HIT | None:
    """Lock and return the first HIT of the judge's samples within their limit per comparison; None if there is none.

    No comparison gets more than `most` of the judge's sentences, including judged and held ones,
    regardless of how often they ask. The judge's row is locked, so that nothing else is lent to
    them meanwhile.
    """
    hits = hits_reserved(**asks).available().filter(purpose=HITPurpose.FIRST)
    taken = None
    # A HIT that is being dropped at this moment is skipped.
    for hit in hits.select_for_update(skip_locked=True, no_key=True, of=("self",)):
        if holds_check not in (None, hit.holds_check):
            continue
        if taken is None:
            taken = sentences_taken(
                judge_id=asks["judge_id"], task_id=asks["task_id"], planned=False
            )
        if all(taken[pair] + asked <= most for pair, asked in blocks_of(hit).items()):
            return hit
    return None


def _claim_next(task: OpenTask, asks: JudgeAsks, *, holds_check: bool | None) -> HIT | None:
    if task.sentences_of_a_judge:
        return _choose_of_sample(asks, most=task.sentences_of_a_judge, holds_check=holds_check)
    whole = "whole_" if task.is_planner_silent else ""
    sources = [f"{whole}pool", f"{whole}standby"]
    if task.has_reserved(holds_check=holds_check):
        sources.insert(0, "reserved")
    claimed = (hit_claim(source, holds_check=holds_check, **asks) for source in sources)
    return next(filter(None, claimed), None)


def _with_check(task: OpenTask, judge: Judge, asks: JudgeAsks) -> bool:
    """Return whether the next HIT should hold an attention check, because one is due and available."""
    # Always looked up, so that the response time does not reveal whether one is due.
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
