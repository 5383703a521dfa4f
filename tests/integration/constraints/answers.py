"""Answers of protocols, and judgments without one."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import Assignment, Block, Judgment
from annotation.services.planning.designs import design_ensure
from campaign.models import Protocol, Task
from protocols.models import TwoOutputsAnswer
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.worlds import make_hit, small_task


def judgment_of_two(protocol: Protocol = Protocol.TWO_OUTPUTS) -> Create:
    """Return what makes the first judgment of a lent block of two, in a task of this protocol."""
    test_set = small_task().test_set
    task = Task.objects.create(test_set=test_set, protocol=protocol)
    design_ensure(task=task, seed=7)
    hit = make_hit(task)
    segment = test_set.segments.all()[0]
    outputs = segment.outputs.order_by("pk").values_list("pk", flat=True)[:2]
    block = Block.objects.create(
        hit=hit,
        segment=segment,
        position=1,
        outputs=list(outputs),
    )
    judge, now = make_judge(test_set.campaign), timezone.now()
    lent = Assignment.objects.create(
        hit=hit,
        judge=judge,
        lease=DateTimeTZRange(now, now + timedelta(hours=1)),
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
            **{"judgment": judgment, "verdict": "first", **fields},
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
