"""Snippets and answers of quizzes."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.services.planning.designs import design_ensure
from campaign.models import Protocol, Task
from protocols.models import QuizAnswer, Snippet
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.worlds import make_hit, small_task


def first_snippet() -> Snippet:
    """Make the snippet of a quiz: the first segment of two, with two statements."""
    task = Task.objects.create(test_set=small_task().test_set, protocol=Protocol.QUIZ)
    return Snippet.objects.create(
        task=task,
        number=1,
        name="first",
        document=task.test_set.documents.get(),
        first=1,
        last=1,
        statements=["It is open.", "It is closed."],
        expected=[True, False],
    )


def second_snippet() -> Create:
    """Return what makes the second snippet of a quiz."""
    first = first_snippet()

    def create(**fields: Any) -> object:
        values = {
            "task": first.task,
            "number": 2,
            "name": "second",
            "document": first.document,
            "first": 2,
            "last": 2,
            "statements": ["It is old."],
            "expected": [True],
        }
        return Snippet.objects.create(**{**values, **fields})

    return create


def longest_snippet() -> Create:
    """Return what makes a snippet of 51 segments, or fewer."""
    test_set = make_task(
        make_campaign(),
        documents=(51,),
        planned=0,
        identical=(),
    ).test_set
    task = Task.objects.create(test_set=test_set, protocol=Protocol.QUIZ)

    def create(*, last: int = 51, first: int = 1) -> object:
        return Snippet.objects.create(
            task=task,
            number=1,
            name="long",
            document=test_set.documents.get(),
            first=first,
            last=last,
            statements=["It is old."],
            expected=[True],
        )

    return create


@breaks("quiz_snippet_has_1_to_50_segments")
def a_snippet_is_too_long(attempt: Attempt) -> None:
    create = longest_snippet()
    with attempt.refuses():
        create()
    with attempt.accepts():
        create(first=2)
    with attempt.accepts():
        create(last=50)


@breaks("quiz_snippets_final_once_read")
def a_snippet_comes_late(attempt: Attempt) -> None:
    create = second_snippet()
    snippet = Snippet.objects.get()
    with attempt.accepts():
        create()
    design_ensure(task=snippet.task, seed=7)
    hit = make_hit(snippet.task)
    segment = snippet.document.segments.get(position=1)
    outputs = [segment.outputs.order_by("pk")[0].pk]
    Block.objects.create(hit=hit, segment=segment, position=1, outputs=outputs)
    lent_to(hit, "reader")
    with attempt.refuses(saying="it has judgments or lent HITs"):
        create()
    with attempt.refuses(saying="it has judgments or lent HITs"):
        Snippet.objects.all().delete()


def lent_to(hit: HIT, name: str) -> Assignment:
    now = timezone.now()
    return Assignment.objects.create(
        hit=hit,
        judge=make_judge(hit.task.test_set.campaign, name),
        lease=DateTimeTZRange(now, now + timedelta(hours=1)),
    )


def quiz_judgment() -> Create:
    """Return what makes a judgment of a snippet of one segment."""
    snippet = first_snippet()
    task = snippet.task
    design_ensure(task=task, seed=7)
    hit = make_hit(task)
    segment = snippet.document.segments.get(position=1)
    outputs = [segment.outputs.order_by("pk")[0].pk]
    block = Block.objects.create(hit=hit, segment=segment, position=1, outputs=outputs)
    lent = lent_to(hit, "reader")
    return partial(
        Judgment.objects.create,
        task=task,
        client_id=uuid4(),
        judge=lent.judge,
        block=block,
        assignment=lent,
        labels=[1],
    )


def answered() -> Create:
    """Return what makes a judgment of a snippet with its answers."""
    create = quiz_judgment()

    def both() -> object:
        judgment: Any = create(client_id=uuid4())
        return QuizAnswer.objects.create(judgment=judgment, answers=[True, None])

    return both


@breaks("quiz_answer_append_only")
def answers_are_changed_or_deleted(attempt: Attempt) -> None:
    create = answered()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        QuizAnswer.objects.update(answers=[True, True])
    with attempt.refuses(saying="Cannot update or delete"):
        QuizAnswer.objects.all().delete()
