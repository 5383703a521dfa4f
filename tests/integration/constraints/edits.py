"""Edits, and whether others accept them."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.services.planning.designs import design_ensure
from campaign.models import Judge, Protocol, Task
from protocols.models import EditingAnswer
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.worlds import make_hit, small_task


def edit_of_one() -> Create:
    """Return a function that creates an edit of an output, by a judge of their own."""
    test_set = small_task().test_set
    task = Task.objects.create(test_set=test_set, protocol=Protocol.EDITING)
    design_ensure(task=task, seed=7)
    segment = test_set.segments.order_by("number")[0]
    block = Block.objects.create(
        hit=make_hit(task),
        segment=segment,
        position=1,
        outputs=[segment.outputs.order_by("pk").values_list("pk", flat=True)[0]],
    )

    def create(**fields: Any) -> object:
        assignment = lent(block.hit, "editor")
        edit = Judgment.objects.create(
            task=task,
            client_id=uuid4(),
            judge=assignment.judge,
            block=block,
            assignment=assignment,
            labels=[1],
        )
        return EditingAnswer.objects.create(
            **{"outcome": "unable", **fields, "judgment": edit},
        )

    return create


def lent(hit: HIT, name: str) -> Assignment:
    """Lend a HIT to a new judge."""
    now = timezone.now()
    return Assignment.objects.create(
        hit=hit,
        judge=make_judge(hit.task.test_set.campaign, name),
        lease=DateTimeTZRange(now, now + timedelta(hours=1)),
    )


def edit_again(first: Judgment, *, judge: Judge) -> None:
    """Make an edit of the output that was edited."""
    second = Judgment.objects.create(
        task=first.task,
        client_id=uuid4(),
        judge=judge,
        block=first.block,
        assignment=first.assignment,
        labels=[1],
        supersedes=first if judge == first.judge else None,
    )
    EditingAnswer.objects.create(judgment=second, outcome="unable")


@breaks("editing_edit_final_once_under_review")
def edit_changes_after_another_judge_received_it(attempt: Attempt) -> None:
    create: Any = edit_of_one()
    edit = create().judgment
    with attempt.accepts():
        edit_again(edit, judge=edit.judge)
    review = make_hit(edit.task, 2, repeats=edit.block.hit, purpose="redundancy")
    Block.objects.create(
        hit=review,
        segment=edit.block.segment,
        position=1,
        outputs=edit.block.outputs,
    )
    lent(review, "reviewer")
    with attempt.refuses(saying="already received"):
        edit_again(edit, judge=edit.judge)
    with attempt.accepts():
        # Only the first editor's text is under review.
        edit_again(edit, judge=make_judge(edit.judge.campaign, "judge03"))
