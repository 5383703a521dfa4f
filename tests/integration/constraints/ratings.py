"""Ratings of adequacy and fluency."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import Assignment, Block, Judgment
from annotation.services.planning.designs import design_ensure
from campaign.models import Protocol, Task
from protocols.models import RatingAnswer
from tests.factories import make_judge
from tests.integration.constraints.breakages import Create, breaks_by_fields
from tests.integration.constraints.worlds import make_hit, small_task


def rating_judgment() -> Create:
    """Return what makes the first judgment of a lent block of one output, in a task of ratings."""
    test_set = small_task().test_set
    task = Task.objects.create(test_set=test_set, protocol=Protocol.RATING)
    design_ensure(task=task, seed=7)
    hit = make_hit(task)
    segment = test_set.segments.all()[0]
    outputs = segment.outputs.order_by("pk").values_list("pk", flat=True)[:1]
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
        labels=[1],
    )


def rating() -> Create:
    """Return what makes a judgment of fluency with its answer."""
    create = rating_judgment()

    def both(**fields: Any) -> object:
        judgment = create(client_id=uuid4())
        values = {
            "judgment": judgment,
            "criteria": ["fluency"],
            "points": [4],
            **fields,
        }
        return RatingAnswer.objects.create(**values)

    return both


breaks_by_fields(
    "rating_has_criteria_and_points",
    rating,
    {"criteria": [], "points": []},
)
