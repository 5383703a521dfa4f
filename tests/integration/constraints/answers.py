"""What answers of protocols say, and that judgments have them."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pgtrigger
from django.db import connection
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.services import design_ensure
from campaign.models import Protocol, Task
from protocols.editing.models import Answer as EditingAnswer
from protocols.spans.models import Answer as SpansAnswer
from protocols.two_outputs.models import Answer
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
        return Answer.objects.create(**{"judgment": judgment, "verdict": "first", **fields})

    return both


def late_answer() -> Create:
    """Return what makes the answer of a judgment that has none."""
    create = judgment_of_two()
    with pgtrigger.ignore("annotation.Judgment:judgment_has_its_answer"):
        judgment = create()
        connection.check_constraints()
    return partial(Answer.objects.create, judgment=judgment, verdict="first")


def second_answer(first: Answer) -> None:
    """Make another judge's answer about the same outputs."""
    judgment = first.judgment
    second = Judgment.objects.create(
        task=judgment.task,
        client_id=uuid4(),
        judge=make_judge(judgment.judge.campaign, "judge02"),
        block=judgment.block,
        assignment=judgment.assignment,
        labels=[1, 2],
    )
    Answer.objects.create(judgment=second, verdict="first")


@breaks("judgment_has_its_answer")
def a_judgment_has_no_answer(attempt: Attempt) -> None:
    create = judgment_of_two()
    with attempt.refuses(saying="has no answer"):
        create()
    with attempt.accepts():
        Answer.objects.create(judgment=create(), verdict="first")  # type: ignore[misc]


@breaks("judgment_of_top_has_its_labels")
def labels_are_not_of_top_or_not(attempt: Attempt) -> None:
    create = judgment_of_two(Protocol.TOP)
    for labels in ([2, 2], [1, 3], [1, None]):
        with attempt.refuses(saying="not 1 for top outputs"):
            create(labels=labels)
    for labels in ([1, 2], [1, 1]):
        with attempt.accepts():
            create(labels=labels)


@breaks("judgment_imported_has_its_answer")
def an_answer_of_a_file_is_missing(attempt: Attempt) -> None:
    create = judgment_of_two()
    with attempt.refuses(saying="has no answer"):
        create(assignment=None)
    with attempt.accepts():
        Answer.objects.create(judgment=create(), verdict="first")  # type: ignore[misc]


@breaks("judgment_imported_of_top_has_its_labels")
def labels_of_a_file_are_not_of_top_or_not(attempt: Attempt) -> None:
    create = judgment_of_two(Protocol.TOP)
    for labels in ([2, 2], [1, 3]):
        with attempt.refuses(saying="not 1 for top outputs"):
            create(assignment=None, labels=labels)
    with attempt.accepts():
        create(assignment=None, labels=[1, 2])


@breaks("judgment_imported_of_a_sort_is_of_a_comparison")
def an_answer_of_a_file_is_of_no_comparison(attempt: Attempt) -> None:
    create = judgment_of_two(Protocol.SORTING)
    with attempt.refuses(saying="of a HIT that names no comparison"):
        create(assignment=None)
    HIT.objects.update(why={"comparison": ["amber", "cobalt"]})
    with attempt.refuses(saying="of a HIT that names no comparison"):
        create(assignment=None, labels=[1, 3])
    with attempt.accepts():
        create(assignment=None)


def second_task() -> Create:
    """Return what makes a second task of a test set, which has its ranking."""
    test_set = small_task().test_set
    return partial(Task.objects.create, test_set=test_set, protocol=Protocol.TWO_OUTPUTS)


breaks_by_fields("task_protocol_once_in_a_test_set", second_task, {"protocol": "ranking"})
breaks_by_fields("two_outputs_verdict_is_known", answer, {"verdict": "third", "labels": [1, 1]})
breaks_by_fields(
    "two_outputs_labels_follow_from_the_verdict",
    answer,
    {"verdict": "second"},
    {"verdict": "same"},
    {"verdict": "first", "labels": [1, 1]},
    {"verdict": "both_fine", "labels": [2, 2]},
    accepted={"verdict": "both_wrong", "labels": [1, 1]},
)


@breaks("two_outputs.Answer.judgment")
def a_judgment_has_two_answers(attempt: Attempt) -> None:
    create = answer()
    first: Any = create()
    with attempt.refuses():
        Answer.objects.create(judgment=first.judgment, verdict="first")
    with attempt.accepts():
        second_answer(first)


@breaks("two_outputs_answer_of_its_protocol")
def an_answer_is_of_another_protocol(attempt: Attempt) -> None:
    create = answer()
    stored: Any = create()
    judgment = stored.judgment
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    hit = make_hit(ranking)
    block = Block.objects.create(
        hit=hit, segment=judgment.block.segment, position=1, outputs=judgment.block.outputs
    )
    ranked = Judgment.objects.create(
        task=ranking, client_id=uuid4(), judge=judgment.judge, block=block, labels=[1, 2]
    )
    with attempt.refuses(saying="not about two outputs"):
        Answer.objects.create(judgment=ranked, verdict="first")
    with attempt.accepts():
        second_answer(stored)


@breaks("two_outputs_answer_append_only")
def an_answer_is_changed_or_deleted(attempt: Attempt) -> None:
    create = answer()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        Answer.objects.update(verdict="first")
    with attempt.refuses(saying="Cannot update or delete"):
        Answer.objects.all().delete()


def scored() -> Create:
    """Return what makes a judgment of error spans and scores with its answer: 80 and 40 points, and no spans.

    `spans` are candidate, start, end and whether it is major, of each.
    """
    return _with_scores(judgment_of_two(Protocol.SPANS))


def scored_of_three() -> Create:
    """Return what makes such a judgment where the first candidate stands for two outputs; the second is the longer text."""
    create = judgment_of_two(Protocol.SPANS)
    block = create.keywords["block"]  # type: ignore[attr-defined]
    outputs = list(block.segment.outputs.order_by("pk")[:3])
    block.segment.outputs.filter(pk=outputs[2].pk).update(text="x" * _LONG)
    shown = Block.objects.create(
        hit=block.hit,
        segment=block.segment,
        position=2,
        outputs=[each.pk for each in outputs],
        stands_for=[2, 1],
    )
    return _with_scores(partial(create, block=shown))


def _with_scores(create: Create) -> Create:
    def both(
        *,
        labels: list[int] | None = None,
        spans: list[tuple[Any, ...]] | None = None,
        **fields: Any,
    ) -> object:
        judgment = create(client_id=uuid4(), labels=labels or [1, 2])
        parts = [list(part) for part in zip(*spans, strict=True)] if spans else [[], [], [], []]
        values = {
            "judgment": judgment,
            "scores": [80, 40],
            **dict(zip(_PARTS, parts, strict=True)),
            **fields,
        }
        return SpansAnswer.objects.create(**values)

    return both


#: Characters of the longest text.
_LONG = 200
_PARTS = ("span_candidates", "span_starts", "span_ends", "span_majors")


def late_scores() -> Create:
    """Return what makes the scores of a judgment that has none."""
    create = judgment_of_two(Protocol.SPANS)
    with pgtrigger.ignore("annotation.Judgment:judgment_has_its_answer"):
        judgment = create()
        connection.check_constraints()
    return partial(SpansAnswer.objects.create, judgment=judgment, scores=[2, 1])


def second_scores(first: SpansAnswer) -> None:
    """Make another judge's answer about the same outputs."""
    judgment = first.judgment
    second = Judgment.objects.create(
        task=judgment.task,
        client_id=uuid4(),
        judge=make_judge(judgment.judge.campaign, "judge02"),
        block=judgment.block,
        assignment=judgment.assignment,
        labels=[1, 2],
    )
    SpansAnswer.objects.create(judgment=second, scores=[100, 0])


breaks_by_fields(
    "spans_scores_between_0_and_100",
    scored,
    {"scores": [101, 40]},
    {"scores": [80, -1]},
    {"scores": [80, None]},
    {"scores": []},
    accepted={"scores": [100, 0]},
)
breaks_by_fields(
    "spans_labels_follow_from_the_scores",
    scored,
    {"scores": [40, 80]},
    {"scores": [80, 80]},
    {"scores": [80]},
    {"scores": [80, 40, 20]},
    {"labels": [1, 3]},
    accepted={"scores": [55, 55], "labels": [1, 1]},
)
breaks_by_fields(
    "spans_have_all_of_their_parts",
    scored,
    {"span_candidates": [1]},
    {"span_majors": [True]},
    {"spans": [(None, 0, 1, True)]},
    {"spans": [(1, 0, 1, None)]},
    accepted={"spans": [(1, 0, 1, True), (2, None, None, False)]},
)
breaks_by_fields(
    "spans_are_inside_their_text",
    scored_of_three,
    {"spans": [(1, 0, _LONG, True)]},
    {"spans": [(2, 0, _LONG + 1, True)]},
    {"spans": [(2, 1, 2, True), (1, 2, 2, False)]},
    {"spans": [(1, 3, 2, True)]},
    {"spans": [(1, -1, 2, True)]},
    {"spans": [(1, None, 2, True)]},
    {"spans": [(1, 1, None, True)]},
    {"spans": [(3, 0, 1, True)]},
    {"spans": [(0, None, None, True)]},
    accepted={"spans": [(2, 1, _LONG, True), (1, None, None, False), (1, 0, 2, False)]},
)
breaks_by_fields(
    "spans_of_an_output_do_not_overlap",
    scored,
    {"spans": [(1, 0, 3, True), (1, 2, 4, True)]},
    {"spans": [(1, 2, 4, True), (2, 0, 1, True), (1, 0, 3, False)]},
    {"spans": [(1, 0, 5, True), (1, 1, 2, True), (1, 2, 3, True)]},
    {"spans": [(1, 0, 1, True), (1, 0, 1, True)]},
    accepted={"spans": [(1, 2, 4, True), (2, 2, 4, True), (1, 0, 2, True), (1, 4, 5, True)]},
)
breaks_by_fields(
    "spans_at_most_100_in_an_output",
    scored,
    {"spans": [(1, None, None, True)] * 101},
    accepted={"spans": [(1, None, None, True)] * 100 + [(2, None, None, True)] * 100},
)


@breaks("spans.Answer.judgment")
def a_judgment_is_scored_twice(attempt: Attempt) -> None:
    first: Any = scored()()
    with attempt.refuses():
        SpansAnswer.objects.create(judgment=first.judgment, scores=[80, 40])
    with attempt.accepts():
        second_scores(first)


@breaks("spans_answer_of_its_protocol")
def scores_are_of_another_protocol(attempt: Attempt) -> None:
    stored: Any = scored()()
    judgment = stored.judgment
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    hit = make_hit(ranking)
    block = Block.objects.create(
        hit=hit, segment=judgment.block.segment, position=1, outputs=judgment.block.outputs
    )
    ranked = Judgment.objects.create(
        task=ranking, client_id=uuid4(), judge=judgment.judge, block=block, labels=[1, 2]
    )
    with attempt.refuses(saying="not about error spans"):
        SpansAnswer.objects.create(judgment=ranked, scores=[80, 40])
    with attempt.accepts():
        second_scores(stored)


@breaks("spans_answer_append_only")
def scores_are_changed_or_deleted(attempt: Attempt) -> None:
    create = scored()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        SpansAnswer.objects.update(scores=[80, 40])
    with attempt.refuses(saying="Cannot update or delete"):
        SpansAnswer.objects.all().delete()


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


def late_edit() -> Create:
    """Return what makes the edit of a judgment that has none."""
    create = judgment_of_two(Protocol.EDITING)
    with pgtrigger.ignore("annotation.Judgment:judgment_has_its_answer"):
        block = create.keywords["block"]  # type: ignore[attr-defined]
        one = Block.objects.create(
            hit=block.hit, segment=block.segment, position=2, outputs=block.outputs[:1]
        )
        judgment = create(block=one, labels=[1])
        connection.check_constraints()
    return partial(EditingAnswer.objects.create, judgment=judgment, outcome="unable")


breaks_by_fields("editing_outcome_is_known", edit_of_one, {"outcome": "lost"})
breaks_by_fields(
    "editing_is_an_edit_or_is_about_one",
    edit_of_one,
    {"outcome": ""},
    {"acceptable": True},
    accepted={"is_asked": True},
)
breaks_by_fields(
    "editing_has_a_text_exactly_if_edited",
    edit_of_one,
    {"outcome": "edited"},
    {"outcome": "unchanged", "text": "It reads."},
    accepted={"outcome": "edited", "text": "It reads."},
)
breaks_by_fields(
    "editing_keystrokes_are_of_edits",
    edit_of_one,
    {"is_asked": True, "keystrokes": 3},
    accepted={"keystrokes": 3},
)
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


@breaks("editing.Answer.judgment")
def a_judgment_has_two_edits(attempt: Attempt) -> None:
    create = edit_of_one()
    stored: Any = create()
    with attempt.refuses():
        EditingAnswer.objects.create(judgment=stored.judgment, outcome="unable")
    with attempt.accepts():
        late_second_edit(stored)


def late_second_edit(first: EditingAnswer) -> None:
    """Make another judge's edit of the same output."""
    judgment = first.judgment
    second = Judgment.objects.create(
        task=judgment.task,
        client_id=uuid4(),
        judge=make_judge(judgment.judge.campaign, "judge03"),
        block=judgment.block,
        assignment=judgment.assignment,
        labels=[1],
    )
    EditingAnswer.objects.create(judgment=second, outcome="unable")


@breaks("editing_answer_of_its_protocol")
def an_edit_is_of_another_protocol(attempt: Attempt) -> None:
    stored: Any = edit_of_one()()
    judgment = stored.judgment
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    block = Block.objects.create(
        hit=make_hit(ranking),
        segment=judgment.block.segment,
        position=1,
        outputs=judgment.block.outputs,
    )
    ranked = Judgment.objects.create(
        task=ranking, client_id=uuid4(), judge=judgment.judge, block=block, labels=[1]
    )
    with attempt.refuses(saying="not of blind editing"):
        EditingAnswer.objects.create(judgment=ranked, outcome="unable")
    with attempt.accepts():
        late_second_edit(stored)


@breaks("editing_answer_append_only")
def an_edit_is_changed_or_deleted(attempt: Attempt) -> None:
    create = edit_of_one()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        EditingAnswer.objects.update(outcome="unchanged")
    with attempt.refuses(saying="Cannot update or delete"):
        EditingAnswer.objects.all().delete()
