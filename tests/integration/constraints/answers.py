"""What answers of protocols say, and that judgments have them."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.services.planning.designs import design_ensure
from campaign.models import Protocol, Task
from protocols.models import TwoOutputsAnswer
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_hit, small_task


def judgment_of_two(protocol: Protocol = Protocol.TWO_OUTPUTS) -> Create:
    """Return what makes the first judgment of a lent block of two, in a task of this protocol."""
    test_set = small_task().test_set
    task = Task.objects.create(test_set=test_set, protocol=protocol)
    design_ensure(task=task, seed=7)
    hit = make_hit(task)
    segment = test_set.segments.all()[0]
    outputs = segment.outputs.order_by("pk").values_list("pk", flat=True)[:2]
    block = Block.objects.create(hit=hit, segment=segment, position=1, outputs=list(outputs))
    judge, now = make_judge(test_set.campaign), timezone.now()
    lent = Assignment.objects.create(
        hit=hit, judge=judge, lease=DateTimeTZRange(now, now + timedelta(hours=1))
    )
    return partial(
        Judgment.objects.create,
        task=task,
        client_id=uuid4(),
        judge=judge,
        block=block,
        assignment=lent,
        labels=[1, 2],
    )


def answer() -> Create:
    """Return what makes a judgment of two outputs with its answer."""
    create = judgment_of_two()

    def both(*, labels: list[int] | None = None, **fields: Any) -> object:
        judgment = create(client_id=uuid4(), labels=labels or [1, 2])
        return TwoOutputsAnswer.objects.create(
            **{"judgment": judgment, "verdict": "first", **fields}
        )

    return both


@breaks("judgment_has_its_answer")
def a_judgment_has_no_answer(attempt: Attempt) -> None:
    create = judgment_of_two()
    with attempt.refuses(saying="has no answer"):
        create()
    # Of a file.
    with attempt.refuses(saying="has no answer"):
        create(assignment=None)
    with attempt.accepts():
        TwoOutputsAnswer.objects.create(judgment=create(), verdict="first")  # type: ignore[misc]


@breaks("judgment_of_top_has_its_labels")
def labels_are_not_of_top_or_not(attempt: Attempt) -> None:
    create = judgment_of_two(Protocol.TOP)
    for labels in ([2, 2], [1, 3], [1, None]):
        with attempt.refuses(saying="not 1 for top outputs"):
            create(labels=labels)
    for labels in ([1, 2], [1, 1]):
        with attempt.accepts():
            create(labels=labels)


@breaks("judgment_of_best_and_worst_has_its_labels")
def labels_are_not_of_best_and_worst(attempt: Attempt) -> None:
    create = judgment_of_two(Protocol.TOP)
    Task.objects.update(rules={"best_worst": True})
    for labels in ([1, 2], [1, 1], [3, 3]):
        with attempt.refuses(saying="not 1 for the best output"):
            create(labels=labels)
    with attempt.accepts():
        create(labels=[3, 1])


@breaks("judgment_imported_of_a_sort_is_of_a_comparison")
def an_answer_of_a_file_is_of_no_comparison(attempt: Attempt) -> None:
    create = judgment_of_two(Protocol.SORTING)
    with attempt.refuses(saying="of a HIT that names no comparison"):
        create(assignment=None)
    HIT.objects.update(why={"comparison": ["amber", "cobalt"]})
    with attempt.accepts():
        create(assignment=None)


breaks_by_fields(
    "two_outputs_labels_follow_from_the_verdict",
    answer,
    {"verdict": "second"},
    {"verdict": "same"},
    {"verdict": "first", "labels": [1, 1]},
    {"verdict": "both_fine", "labels": [2, 2]},
    accepted={"verdict": "both_wrong", "labels": [1, 1]},
)
