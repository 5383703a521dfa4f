"""What ratings of adequacy and fluency say."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import Assignment, Block, Judgment
from annotation.services.planning.designs import design_ensure
from campaign.models import Judge, Protocol, Segment, Task
from protocols.models import RatingAnswer
from tests.factories import make_judge
from tests.integration.constraints.answers import judgment_of_two
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_hit, small_task


def rating_judgment(*, part: int = 1) -> Create:
    """Return what makes the first judgment of a lent block of one output, in a task of ratings."""
    test_set = small_task().test_set
    task = Task.objects.create(test_set=test_set, protocol=Protocol.RATING)
    design_ensure(task=task, seed=7)
    hit = make_hit(task, part=part)
    segment = test_set.segments.all()[0]
    outputs = segment.outputs.order_by("pk").values_list("pk", flat=True)[:1]
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
        labels=[1],
    )


def rating() -> Create:
    """Return what makes a judgment of fluency with its answer."""
    create = rating_judgment()

    def both(*, labels: list[int] | None = None, **fields: Any) -> object:
        judgment = create(client_id=uuid4(), labels=labels or [1])
        values = {"judgment": judgment, "criteria": ["fluency"], "points": [4], **fields}
        return RatingAnswer.objects.create(**values)

    return both


breaks_by_fields("rating_criteria_of_its_pass", rating, {"criteria": ["adequacy"]})
breaks_by_fields("rating_has_criteria_and_points", rating, {"criteria": [], "points": []})


@breaks("rating_criteria_in_order")
def adequacy_comes_first(attempt: Attempt) -> None:
    create: Any = rating_judgment(part=2)
    block, judge = create.keywords["block"], create.keywords["judge"]
    others = block.segment.outputs.exclude(pk__in=block.outputs).values_list("pk", flat=True)
    task = create.keywords["task"]

    def adequacy() -> None:
        RatingAnswer.objects.create(judgment=create(), criteria=["adequacy"], points=[4])

    words = "whose fluency this judge has not rated"
    with attempt.refuses(saying=words):
        adequacy()
    with attempt.refuses(saying=words):
        fluency(task, make_judge(judge.campaign, "judge02"), block.segment, block.outputs)
        adequacy()
    with attempt.refuses(saying=words):
        fluency(task, judge, block.segment, list(others[:1]))
        adequacy()
    with attempt.accepts():
        fluency(task, judge, block.segment, block.outputs)
        adequacy()
    Task.objects.filter(protocol=Protocol.RATING).update(rules={"order_free": True})
    with attempt.accepts():
        adequacy()


@breaks("rating_criteria_by_others")
def the_same_judge_rates_both(attempt: Attempt) -> None:
    create: Any = rating_judgment(part=2)
    block, judge, task = (create.keywords[name] for name in ("block", "judge", "task"))
    others = block.segment.outputs.exclude(pk__in=block.outputs).values_list("pk", flat=True)
    Task.objects.filter(pk=task.pk).update(rules={"adequacy_by_others": True})

    def adequacy() -> None:
        RatingAnswer.objects.create(judgment=create(), criteria=["adequacy"], points=[4])

    words = "rated by the other criterion"
    with attempt.refuses(saying=words):
        fluency(task, judge, block.segment, block.outputs)
        adequacy()
    with attempt.refuses(saying=words):
        fluency(task, judge, block.segment, list(others[:1]))
        adequacy()
    with attempt.refuses(saying=words):
        adequacy()
        fluency(task, judge, block.segment, block.outputs)
    with attempt.accepts():
        fluency(task, make_judge(judge.campaign, "judge02"), block.segment, block.outputs)
        adequacy()


def fluency(task: Task, judge: Judge, segment: Segment, outputs: list[int]) -> None:
    """Rate the fluency of an output."""
    hit = make_hit(task, 2, part=1)
    now = timezone.now()
    judgment = Judgment.objects.create(
        task=task,
        client_id=uuid4(),
        judge=judge,
        block=Block.objects.create(hit=hit, segment=segment, position=1, outputs=outputs),
        assignment=Assignment.objects.create(
            hit=hit, judge=judge, lease=DateTimeTZRange(now, now + timedelta(hours=1))
        ),
        labels=[1],
    )
    RatingAnswer.objects.create(judgment=judgment, criteria=["fluency"], points=[4])


def rating_at_once() -> Create:
    """Return what makes a judgment of two outputs by two criteria on one screen."""
    create: Any = judgment_of_two(Protocol.RATING)
    criteria = [
        {"key": "good", "lowest": 0, "highest": 6, "weight": 1},
        {"key": "errors", "lowest": 0, "highest": 6, "weight": 2, "lower_is_better": True},
    ]
    rules = {"criteria": criteria, "all_at_once": True}
    Task.objects.filter(pk=create.keywords["task"].pk).update(rules=rules)

    def both(*, labels: list[int] | None = None, **fields: Any) -> object:
        judgment = create(client_id=uuid4(), labels=labels or [2, 1])
        values = {"criteria": ["good", "errors"], "points": [6, 6, 0, 1], **fields}
        return RatingAnswer.objects.create(judgment=judgment, **values)

    return both


breaks_by_fields(
    "rating_labels_follow_from_the_points",
    rating_at_once,
    {"labels": [1, 2]},
    {"labels": [1, 1]},
    {"points": [6, 0, 0, 1]},
)
breaks_by_fields("rating_points_on_their_scale", rating_at_once, {"points": [7, 6, 0, 1]})
breaks_by_fields(
    "rating_points_for_each_output_and_criterion", rating_at_once, {"points": [6, 6, 0]}
)
