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
from annotation.services.lending.context import OpenTask
from annotation.services.lending.passes import hit_choose_of_pass
from annotation.services.lending.samples import hit_choose_of_sample
from campaign.models import Judge


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
    claimed = claimed or _claim(task, asks, holds_check=holds_check)
    if claimed is None and holds_check:
        # Lent to others at this very moment.
        claimed = _claim(task, asks, holds_check=False)
    if claimed is None and holds_check is not None and task.is_all_there_is:
        # Nothing else will be drawn for this judge, or the planner is away: better a check too many.
        claimed = _claim(task, asks, holds_check=None)
    return claimed


def _claim_first(hits: HITQuerySet) -> ClaimedHIT | None:
    # A HIT that is being lent to somebody else is skipped. Unlocked, it would be chosen twice: the
    # second judge would wait for the first one, to be refused its lease by the database.
    hit = hits.available().select_for_update(skip_locked=True, no_key=True).first()
    return hit and ClaimedHIT(hit)


def _claim(task: OpenTask, asks: JudgeAsks, *, holds_check: bool | None) -> ClaimedHIT | None:
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
