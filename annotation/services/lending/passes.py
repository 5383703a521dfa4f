"""Choose the HIT that comes next in a task whose texts are allotted: the second pass, if there is one, after the first."""

from annotation.selectors.passes import is_full, passes_so_far, second_pass
from annotation.selectors.pool import JudgeAsks
from annotation.services.lending.claim import ClaimedHIT, hit_claim_from_pool, hit_claim_repeat
from annotation.services.lending.context import OpenTask


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
        # The planner is asked only when there is no next one.
        found = hit_claim_from_pool(**asks)
        if found is not None:
            return found
    # However far: a HIT that nobody may be lent must not hide the rounds after it.
    return hit_claim_from_pool(far=True, **asks)
