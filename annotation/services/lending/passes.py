"""Choose the HIT that comes next in a task that shows judges its texts twice: the second pass after the first."""

from annotation.selectors.passes import is_full, passes_so_far
from annotation.selectors.pool import JudgeAsks
from annotation.services.lending.claim import ClaimedHIT, hit_claim_from_pool, hit_claim_repeat


def hit_choose_of_pass(*, task_id: int, asks: JudgeAsks) -> ClaimedHIT | None:
    """Lock and return the HIT that comes next; None if none is available.

    From when the second pass is planned for a judge, they are lent nothing more of the first, whatever others give
    back; and nothing of the second while they hold a HIT of the first.
    """
    so_far = passes_so_far(judge_id=asks["judge_id"], task_id=task_id)
    if so_far.has_second:
        found = None if so_far.has_first_in_hand else hit_claim_repeat(**asks)
        # All of it is planned.
        return found and ClaimedHIT(found.hit, is_last=False)
    if so_far.has_limit and is_full(task_id=task_id, texts=so_far.texts):
        return None
    # However far: a HIT that nobody may be lent must not hide the rounds after it.
    return hit_claim_from_pool(far=True, **asks)
