"""Choose the HIT that comes next of the samples that a judge of a sort is given."""

from annotation.models import HITPurpose
from annotation.selectors.comparisons import blocks_of, sentences_taken
from annotation.selectors.pool import JudgeAsks, hits_reserved
from annotation.services.lending.claim import ClaimedHIT


def hit_choose_of_sample(
    *, asks: JudgeAsks, most: int, holds_check: bool | None
) -> ClaimedHIT | None:
    """Lock and return the first HIT of the judge's samples that asks for no more than they are to give; None if there is none.

    With what they have judged and hold, no comparison gets more than `most` sentences of them: whatever was planned, and
    however often they ask. The judge's row is locked, so that nothing else is lent to them meanwhile.
    """
    hits = hits_reserved(**asks).available().filter(purpose=HITPurpose.FIRST)
    # One that is being given up at this moment is skipped.
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
