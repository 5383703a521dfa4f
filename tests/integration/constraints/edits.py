"""Edits, and whether others accept them."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import Assignment, Block, Judgment
from annotation.services.planning.designs import design_ensure
from campaign.models import Judge, Output, Protocol, Task
from protocols.models import EditingAnswer
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_hit, small_task


def edit_of_one() -> Create:
    """Return what makes a judgment of blind editing with its answer: an edit, unless it says otherwise.

    `is_asked`: in the HIT that asks about the edit of another judge, which is stored then; `about`: it is their own, of
    another sentence or of another HIT, or the judgment names itself.
    """
    test_set = small_task().test_set
    task = Task.objects.create(test_set=test_set, protocol=Protocol.EDITING)
    design_ensure(task=task, seed=7)
    first = make_hit(task)
    repeat = make_hit(task, 2, repeats=first, purpose="redundancy")
    segment, other = test_set.segments.order_by("number")[:2]
    blocks = {
        name: Block.objects.create(
            hit=hit,
            segment=shown,
            position=position,
            outputs=[shown.outputs.order_by("pk").values_list("pk", flat=True)[0]],
        )
        for name, hit, shown, position in (
            ("first", first, segment, 1),
            ("asked", repeat, segment, 1),
            ("another sentence", first, other, 2),
            ("another HIT", make_hit(task, 3), segment, 1),
        )
    }

    def judgment(block: Block, name: str, labels: list[int]) -> Judgment:
        now = timezone.now()
        known = test_set.campaign.judges.filter(pseudonym=name).first()
        lent = Assignment.objects.create(
            hit=block.hit,
            judge=known or make_judge(test_set.campaign, name),
            lease=DateTimeTZRange(now, now + timedelta(hours=1)),
        )
        return Judgment.objects.create(
            task=task,
            client_id=uuid4(),
            judge=lent.judge,
            block=block,
            assignment=lent,
            labels=labels,
        )

    def both(
        *,
        is_asked: bool = False,
        about: str = "first",
        labels: list[int] | None = None,
        **fields: Any,
    ) -> object:
        values: dict[str, Any] = {"outcome": "unable"}
        if is_asked:
            editor = "judge02" if about == "their own" else "editor"
            edited = judgment(blocks.get(about, blocks["first"]), editor, [1])
            edit = EditingAnswer.objects.create(judgment=edited, outcome="unchanged")
            values = {"acceptable": True, "edit_id": edit.pk}
        made = judgment(blocks["asked" if is_asked else "first"], "judge02", labels or [1])
        if about == "itself":
            values["edit_id"] = made.pk
        return EditingAnswer.objects.create(**{**values, **fields, "judgment": made})

    return both


breaks_by_fields(
    "editing_labels_are_of_one_output", edit_of_one, {"labels": [2]}, accepted={"labels": [1]}
)
breaks_by_fields(
    "editing_first_then_acceptability",
    edit_of_one,
    {"outcome": "", "acceptable": True},
    {"is_asked": True, "outcome": "unable", "acceptable": None, "edit_id": None},
    accepted={"is_asked": True, "edit_id": None},
)
breaks_by_fields(
    "editing_acceptance_is_of_anothers_edit",
    edit_of_one,
    {"is_asked": True, "about": "itself"},
    {"is_asked": True, "about": "their own"},
    {"is_asked": True, "about": "another sentence"},
    {"is_asked": True, "about": "another HIT"},
    accepted={"is_asked": True, "acceptable": False},
)


def late_second_edit(first: EditingAnswer) -> None:
    """Make another judge's edit of the same output."""
    edit_again(first.judgment, judge=make_judge(first.judgment.judge.campaign, "judge03"))


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


@breaks("editing_changes_the_text")
def an_edit_is_the_output_as_it_was(attempt: Attempt) -> None:
    create = edit_of_one()
    [first, *_others] = Block.objects.order_by("pk")
    with attempt.refuses(saying="its text is as it was"):
        create(outcome="edited", text=Output.objects.get(pk=first.outputs[0]).text)
    with attempt.accepts():
        create(outcome="edited", text="It reads.")


@breaks("editing_stays_once_others_are_asked")
def an_edit_is_changed_that_others_are_asked_about(attempt: Attempt) -> None:
    create: Any = edit_of_one()
    edit = create(is_asked=True).edit
    with attempt.refuses(saying="others are asked about"):
        edit_again(edit, judge=edit.judge)
    with attempt.accepts():
        # They are asked about the edit of who was first.
        late_second_edit(edit.editinganswer)
