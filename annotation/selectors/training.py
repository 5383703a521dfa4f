"""Training: rounds due, their results, and feedback to judges."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import F, OuterRef, Prefetch, QuerySet, Subquery

from annotation.models import (
    HIT,
    Block,
    BlockControl,
    HITPurpose,
    Judgment,
    TrainingBlock,
    TrainingCandidate,
)
from annotation.models.hit import HITQuerySet
from campaign.models import Judge

# Below this share of correct answers in the first round, a judge trains once more, but only once:
# no judge is locked out, and the organiser sees both rounds.
SHARE_TO_PASS = 2 / 3
ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback after a training block; `expected` is an order of the page's letters."""

    agrees: bool
    expected: str
    explanation: str


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """Number of a judge's training blocks, and of those whose first judgment has the expected order."""

    blocks: int
    agreeing: int


def training_blocks(*, task_id: int) -> QuerySet[TrainingBlock]:
    """Return the training blocks of a task in order, with their outputs. Two queries."""
    candidates = Prefetch(
        "candidates",
        TrainingCandidate.objects.select_related("output__system").order_by(
            F("expected").asc(nulls_last=True),
            "id",
        ),
    )
    rows = TrainingBlock.objects.filter(task=task_id).order_by("position")
    return rows.select_related("segment", "task").prefetch_related(candidates)


def hits_training(*, judge: Judge, task_id: int) -> HITQuerySet:
    """Return the judge's incomplete training HITs, by number."""
    return (
        HIT.objects.filter(
            task=task_id,
            reserved_for=judge,
            purpose=HITPurpose.TRAINING,
        )
        .incomplete()
        .order_by("number")
    )


def training_round_due(*, judge: Judge, task_id: int, hits_lent: int) -> int | None:
    """Return the training round that this judge must do before anything else: 1, 2, or None.

    Training comes before the first HIT of a task, so a judge who started before training existed
    needs none. One query if the task has no training.
    """
    if not TrainingBlock.objects.filter(task=task_id).exists():
        return None
    rounds = list(
        HIT.objects.filter(
            task=task_id,
            reserved_for=judge,
            purpose=HITPurpose.TRAINING,
        ).values_list("completed_at", flat=True),
    )
    if not rounds:
        if hits_lent:
            return None
        return 1
    if None in rounds:
        return len(rounds)
    if len(rounds) >= ROUNDS or hits_lent > len(rounds):
        return None
    result = training_result(judge=judge, task_id=task_id)
    if result.agreeing >= SHARE_TO_PASS * result.blocks:
        return None
    return len(rounds) + 1


def training_result(*, judge: Judge, task_id: int) -> TrainingResult:
    """Return the result of the latest round of training that a judge has done."""
    rounds = training_rounds(task_id=task_id, judges=[judge.pk]).get(judge.pk)
    if rounds:
        return rounds[-1]
    return TrainingResult(0, 0)


def training_failed(*, judge: Judge) -> bool:
    """Return whether this judge failed the last round of training in any task."""
    hits = HIT.objects.filter(
        reserved_for=judge,
        purpose=HITPurpose.TRAINING,
        completed_at__isnull=False,
    )
    for task_id, count in Counter(hits.values_list("task_id", flat=True)).items():
        result = training_result(judge=judge, task_id=task_id)
        if count >= ROUNDS and result.agreeing < SHARE_TO_PASS * result.blocks:
            return True
    return False


def training_rounds(
    *,
    task_id: int,
    judges: Collection[int],
) -> dict[int, list[TrainingResult]]:
    """Return the results of all rounds that these judges have done, in order, by judge id. One query.

    A skipped block counts as incorrect.
    """
    first = Judgment.objects.filter(
        block=OuterRef("pk"),
        judge=OuterRef("hit__reserved_for"),
        supersedes__isnull=True,
    )
    blocks = Block.objects.filter(
        hit__task=task_id,
        hit__purpose=HITPurpose.TRAINING,
        hit__completed_at__isnull=False,
        hit__reserved_for__in=judges,
    )
    rows = (
        blocks.annotate(labels=Subquery(first.values("labels")[:1]))
        .order_by("hit__reserved_for", "hit__number")
        .values_list("hit__reserved_for", "hit__number", "expected", "labels")
    )
    rounds: dict[int, list[TrainingResult]] = {}
    for (judge_id, _number), round_ in groupby(rows, key=lambda row: row[:2]):
        right = []
        for *_key, expected, labels in round_:
            right.append(
                labels is not None and in_expected_order(labels, expected or []),
            )
        rounds.setdefault(judge_id, []).append(TrainingResult(len(right), sum(right)))
    return rounds


def training_feedback(judgment: Judgment) -> Feedback | None:
    """Return the feedback on this judgment; None unless its block is a training block."""
    block = judgment.block
    if block.control != BlockControl.TRAINING or block.expected is None:
        return None
    return feedback_on(judgment.labels, block.expected, block.explanation)


def feedback_on(
    labels: Sequence[int | None],
    expected: Sequence[int | None],
    explanation: str,
) -> Feedback:
    """Return the feedback on labels of a block with an expected order."""
    return Feedback(
        agrees=in_expected_order(labels, expected),
        expected=order_in_letters(expected),
        explanation=explanation,
    )


def in_expected_order(
    labels: Sequence[int | None],
    expected: Sequence[int | None],
) -> bool:
    """Return whether every candidate expected before another got a better label.

    Candidates with the same expected rank, or with none, may come in any order.
    """
    ranked = []
    for rank, label in zip(expected, labels, strict=True):
        if rank is not None:
            ranked.append((rank, label))
    return all(
        label is not None and other is not None and label < other
        for rank, label in ranked
        for worse, other in ranked
        if rank < worse
    )


def order_in_letters(expected: Sequence[int | None]) -> str:
    """Return the expected order with the page's letters for the candidates, as in "B > A = C"."""
    by_rank: dict[int, list[str]] = {}
    for index, rank in enumerate(expected):
        if rank is not None:
            by_rank.setdefault(rank, []).append(chr(ord("A") + index))
    return " > ".join(" = ".join(letters) for _rank, letters in sorted(by_rank.items()))
