"""Choose the HIT a judge is lent next, and lock its row until the commit.

Whether an attention check or a repeat is due is drawn for the judge (`annotation.sampling.due`), and
the planner has a HIT of each kind ready. Whatever is due, as many queries are asked.
"""

from annotation.models.pool import HITQuerySet
from annotation.sampling.due import attention_due, intra_due
from annotation.selectors.pool import JudgeAsks, has_check_to_lend
from annotation.selectors.training import hits_training, training_round_due
from annotation.services.lending.claim import (
    ClaimedHIT,
    hit_claim_from_pool,
    hit_claim_repeat,
    hit_claim_reserved,
    hit_claim_standby,
)
from annotation.services.lending.context import OpenTestSet
from campaign.models import Judge


def hit_choose(*, test_set: OpenTestSet, judge: Judge, asks: JudgeAsks) -> ClaimedHIT | None:
    """Lock and return the HIT that comes next; None if none of the test set is available.

    Training comes first, then a repeat if one is due, HITs reserved for the judge, the pool, and what
    is on standby.
    """
    if test_set.has_training:
        round_ = training_round_due(
            judge=judge, test_set_id=test_set.id, hits_lent=test_set.hits_lent
        )
        if round_ is not None:
            # Nothing else before training is done; if it is not planned yet, the judge asks again.
            training = hits_training(judge=judge, test_set_id=test_set.id)
            return _claim_first(training.excluding_systems(asks["conflicts"]))
    holds_check = None if not test_set.attention_every else _with_check(test_set, judge, asks)
    claimed = None
    if test_set.has_repeat and _is_intra_due(test_set, judge):
        claimed = hit_claim_repeat(**asks)
    claimed = claimed or _claim(test_set, asks, holds_check=holds_check)
    if claimed is None and holds_check:
        # Lent to others at this very moment.
        claimed = _claim(test_set, asks, holds_check=False)
    if claimed is None and holds_check is not None and test_set.is_all_there_is:
        # Nothing else will be drawn for this judge, or the planner is away: better a check too many.
        claimed = _claim(test_set, asks, holds_check=None)
    return claimed


def _claim_first(hits: HITQuerySet) -> ClaimedHIT | None:
    # A HIT that is being lent to somebody else is skipped. Unlocked, it would be chosen twice: the
    # second judge would wait for the first one, to be refused its lease by the database.
    hit = hits.available().select_for_update(skip_locked=True, no_key=True).first()
    return hit and ClaimedHIT(hit)


def _claim(
    test_set: OpenTestSet, asks: JudgeAsks, *, holds_check: bool | None
) -> ClaimedHIT | None:
    claimed = None
    if test_set.has_reserved(holds_check=holds_check):
        claimed = hit_claim_reserved(holds_check=holds_check, **asks)
    far = test_set.is_planner_silent
    return (
        claimed
        or hit_claim_from_pool(holds_check=holds_check, far=far, **asks)
        or hit_claim_standby(holds_check=holds_check, far=far, **asks)
    )


def _with_check(test_set: OpenTestSet, judge: Judge, asks: JudgeAsks) -> bool:
    """Return whether the next HIT should hold an attention check: one is due, and available."""
    # Asked in any case, so that the answer takes as long whether one is due or not.
    is_available = has_check_to_lend(**asks)
    return (
        is_available
        and test_set.seed is not None
        and attention_due(
            seed=test_set.seed,
            judge=judge.pseudonym,
            every=test_set.attention_every,
            checks=test_set.checks_lent,
            hits_since=test_set.hits_since_check,
        )
    )


def _is_intra_due(test_set: OpenTestSet, judge: Judge) -> bool:
    return test_set.seed is not None and intra_due(
        seed=test_set.seed,
        judge=judge.pseudonym,
        share=test_set.intra_share,
        repeat_gap=test_set.repeat_gap,
        repeats=test_set.intra_lent,
        hits_since=test_set.hits_since_repeat,
    )
