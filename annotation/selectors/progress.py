from dataclasses import dataclass
from statistics import median

from annotation.models import Block, Judgment, Skip
from campaign.models import Judge

# A judge's pace is that of their latest blocks.
PACE_BLOCKS = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Blocks done and asked for, and minutes left at this judge's pace where known."""

    done: int
    wanted: int | None
    minutes_left: int | None


def judge_progress(judge: Judge) -> Progress:
    """How far a judge is. A skipped block is done; a skip judged after all counts once."""
    done = blocks_done(judge)
    wanted = blocks_wanted(judge)
    times = (
        Judgment.objects.filter(judge=judge, active_ms__gt=0)
        .order_by("-submitted_at")
        .values_list("active_ms", flat=True)[:PACE_BLOCKS]
    )
    pace = median(time for time in times if time) if times else None
    minutes = None
    if wanted is not None and pace is not None:
        minutes = round(max(0, wanted - done) * pace / 60_000)
    return Progress(done=done, wanted=wanted, minutes_left=minutes)


def blocks_wanted(judge: Judge) -> int | None:
    """What is asked of this judge in all: of them alone where that is stated, or of every judge."""
    return judge.campaign.blocks_per_judge if judge.blocks_asked is None else judge.blocks_asked


def blocks_taken(judge: Judge) -> int:
    """Blocks done, and those in the judge's hands: what `blocks_wanted` limits."""
    in_hand = (
        Block.objects.filter(
            hit__assignments__judge=judge,
            hit__assignments__completed_at__isnull=True,
            hit__assignments__released_at__isnull=True,
        )
        .exclude(judgments__judge=judge)
        .exclude(skips__judge=judge)
    )
    return blocks_done(judge) + in_hand.count()


def quota_reached(judge: Judge) -> bool:
    """Whether the judge has done, or holds, all that is asked of them."""
    wanted = blocks_wanted(judge)
    return wanted is not None and blocks_taken(judge) >= wanted


def blocks_done(judge: Judge) -> int:
    """Blocks judged or skipped. One query."""
    judged = Judgment.objects.filter(judge=judge, supersedes__isnull=True)
    skipped = Skip.objects.filter(judge=judge).exclude(block__judgments__judge=judge)
    return judged.values("block").union(skipped.values("block"), all=True).count()
