"""Choose the HIT a judge is lent next, and lock its row until the commit."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from annotation.models.pool import HITQuerySet
from annotation.sampling.repeats import intra_due, intra_offset
from annotation.selectors import (
    attention_due,
    damaged_systems,
    has_available_hit,
    hits_for_judge,
    hits_intra,
    hits_reserved,
)
from annotation.selectors.pool import JudgeAsks
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.lending.claim import (
    ClaimedHIT,
    hit_claim_from_pool,
    hit_claim_reserved,
    hit_claim_standby,
)
from annotation.services.lending.context import OpenTestSet
from campaign.models import Judge


def hit_choose(*, test_set: OpenTestSet, judge: Judge, asks: JudgeAsks) -> ClaimedHIT | None:
    """Lock and return the HIT that comes next; None if none of the test set is available.

    Training comes first, then what the design's schedule asks for now, HITs reserved for the
    judge, the pool, and what is on standby.
    """
    if test_set.has_training:
        round_ = training_round_due(
            judge=judge, test_set_id=test_set.id, hits_lent=test_set.hits_lent
        )
        if round_ is not None:
            # Nothing else before training is done; if it is not planned yet, the judge asks again.
            training = hits_training(judge=judge, test_set_id=test_set.id)
            return _claim_first(training.excluding_systems(asks["conflicts"]))
    claimed = _claim_scheduled(test_set, judge, asks)
    if claimed is None and test_set.has_reserved:
        claimed = hit_claim_reserved(**asks)
    far = test_set.is_planner_silent
    return claimed or hit_claim_from_pool(far=far, **asks) or hit_claim_standby(far=far, **asks)


def _claim_first(hits: HITQuerySet) -> ClaimedHIT | None:
    # A HIT that is being lent to somebody else is skipped. Unlocked, it would be chosen twice: the
    # second judge would wait for the first one, to be refused its lease by the database.
    hit = hits.available().select_for_update(skip_locked=True, no_key=True).first()
    return hit and ClaimedHIT(hit)


def _claim_scheduled(test_set: OpenTestSet, judge: Judge, asks: JudgeAsks) -> ClaimedHIT | None:
    """Lock and return the HIT the design's schedule asks for now; None if it asks for none."""
    scheduled = _scheduled(test_set, judge, asks)
    if _is_intra_due(test_set, judge):
        first = next(scheduled, None)
        is_last: bool | None = None
        # Asked in any case, so that the answer takes as long as for other HITs: otherwise its time
        # would give a repeat away.
        if first is None:
            is_last = not has_available_hit(**asks)
        else:
            first.available().exists()
        repeat = _claim_first(hits_intra(**asks))
        if repeat is not None:
            return replace(repeat, is_last=is_last)
        scheduled = chain([] if first is None else [first], scheduled)
    return next(filter(None, map(_claim_first, scheduled)), None)


def _is_intra_due(test_set: OpenTestSet, judge: Judge) -> bool:
    if not test_set.intra_share or test_set.seed is None or not test_set.has_reserved:
        return False
    return intra_due(
        judge_hits=test_set.hits_lent,
        intra_hits=test_set.intra_lent,
        share=test_set.intra_share,
        offset=intra_offset(seed=test_set.seed, judge=judge.pseudonym),
    )


def _scheduled(test_set: OpenTestSet, judge: Judge, asks: JudgeAsks) -> Iterator[HITQuerySet]:
    """Yield HITs with an attention check if one is due, otherwise those without; none if unscheduled."""
    every = test_set.attention_every
    if not every:
        return
    reserved, pool = hits_reserved(**asks), hits_for_judge(**asks)
    damaged = damaged_systems(test_set.id)
    if attention_due(judge=judge, test_set_id=test_set.id, every=every, damaged=damaged):
        yield reserved.with_systems(damaged)
        yield pool.with_systems(damaged)
    else:
        yield reserved.excluding_systems(damaged)
        yield pool.excluding_systems(damaged)
