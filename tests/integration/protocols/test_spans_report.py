"""The report on a task of error spans and scores, which equals that on its file."""

from typing import Any
from uuid import uuid4

import pytest

from annotation.models import Assignment, Block, Judgment
from annotation.models.hit import HIT
from annotation.protocols.submissions import SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_change
from annotation.services.quality import JudgeDecision, quality_action_take
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Protocol, Task
from protocols.models import SpansAnswer
from protocols.spans.files.answers import scores_read
from protocols.spans.records import Severity, Span
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

SYSTEMS = ("amber", "cobalt", "dune")


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    task = make_task_of(Protocol.SPANS)
    design_change(task=task, systems_per_block=3)
    return task


def judged(
    task: Task,
    judge: Judge,
    *scores: int,
    number: int,
    systems: tuple[str, ...],
    **spans: Any,
) -> Judgment:
    """Show these outputs of a segment in this order, whatever a design would."""
    segment = task.test_set.segments.get(number=number)
    outputs = [segment.outputs.get(system__name=name).pk for name in systems]
    hit = HIT.objects.create(
        task=task,
        design=task.designs.latest(),
        number=1000 + HIT.objects.count(),
    )
    block = Block.objects.create(hit=hit, segment=segment, position=1, outputs=outputs)
    lent = Assignment.objects.create(
        hit=hit,
        judge=judge,
        lease=("2026-11-01", "2026-11-02"),
    )
    order = sorted(set(scores), reverse=True)
    judgment = Judgment.objects.create(
        task=task,
        client_id=uuid4(),
        judge=judge,
        block=block,
        assignment=lent,
        labels=[order.index(score) + 1 for score in scores],
        active_ms=20_000,
        duration_ms=30_000,
        comment="“quotes”, and\ta tab" if number == 1 else "",
    )
    SpansAnswer.objects.create(judgment=judgment, scores=list(scores), **spans)
    return judgment


@pytest.fixture
def ada_and_ben(task: Task) -> tuple[Judge, Judge]:
    """Six sentences of three systems by both; Ben is shown them the other way round."""
    ada, ben = (make_judge(task.test_set.campaign, name) for name in ("ada", "ben"))
    for number in range(1, 7):
        judged(
            task,
            ada,
            *(90 - number, 60 + 3 * number, 40),
            number=number,
            systems=SYSTEMS,
            span_candidates=[2, 3, 3],
            span_starts=[0, 2, None],
            span_ends=[3, 4, None],
            span_severities=[1, 2, 2],
        )
        judged(task, ben, *(30, 70, 80), number=number, systems=SYSTEMS[::-1])
    return ada, ben


@pytest.mark.thorough
def test_answers_are_records_of_files(
    task: Task,
    ada_and_ben: tuple[Judge, Judge],
) -> None:
    read = scores_read(task=task)
    assert len(read.judgments) == 12
    first = read.judgments[0]
    assert (first.judge, first.segment, first.duration_ms) == ("ada", "1", 20_000)
    assert [output.systems for output in first.outputs] == [
        ("amber",),
        ("cobalt",),
        ("dune",),
    ]
    assert [output.score for output in first.outputs] == [89, 63, 40]
    assert first.outputs[0].spans == ()
    assert first.outputs[2].spans == (
        Span(2, 4, Severity.MAJOR),
        Span(None, None, Severity.MAJOR),
    )
    assert (
        first.outputs[0].text
        == task.test_set.segments.get(number=1).outputs.get(system__name="amber").text
    )


@pytest.mark.thorough
def test_the_excluded_are_left_out_and_a_watermark_holds(
    task: Task,
    ada_and_ben: tuple[Judge, Judge],
) -> None:
    # Without a watermark, judgments are numbered first.
    assert len(scores_read(task=task).judgments) == 12
    assert scores_read(task=task, watermark=0).judgments == ()
    assert [each.judge for each in scores_read(task=task, watermark=3).judgments] == [
        "ada",
        "ben",
        "ada",
    ]
    organiser = make_organiser(task.test_set.campaign)
    quality_action_take(
        judge=ada_and_ben[1],
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    assert {each.judge for each in scores_read(task=task).judgments} == {"ada"}


def test_an_output_is_of_all_who_wrote_its_text(task: Task) -> None:
    segment = task.test_set.segments.get(number=1)
    amber, cobalt, dune = (segment.outputs.get(system__name=name) for name in SYSTEMS)
    segment.outputs.filter(pk__in=[amber.pk, cobalt.pk]).update(text="Die Katze.")
    segment.outputs.filter(pk=dune.pk).update(text="Die Katze sitzt auf dem Dach.")
    judge = make_judge(task.test_set.campaign)
    hit = HIT.objects.create(task=task, design=task.designs.latest(), number=1000)
    Block.objects.create(
        hit=hit,
        segment=segment,
        position=1,
        outputs=[amber.pk, cobalt.pk, dune.pk],
        stands_for=[2, 1],
    )
    lent = Assignment.objects.create(
        hit=hit,
        judge=judge,
        lease=("2026-11-01", "2026-11-02"),
    )
    [assigned] = assigned_blocks(lent)
    # As long as the text of the second, which is the third output of the block.
    span = {"start": 20, "end": 29, "severity": "minor", "kind": "error"}
    too_long = {"outputs": [{"score": 40, "spans": [span]}, {"score": 90, "spans": []}]}
    with pytest.raises(SubmissionRefusedError, match=r"Output A.* has 10 characters"):
        judgment_submit(
            assigned=assigned,
            client_id=uuid4(),
            sent=SentJudgment(answer=too_long),
        )
    answer = {"outputs": [{"score": 40, "spans": []}, {"score": 90, "spans": [span]}]}
    judgment_submit(
        assigned=assigned,
        client_id=uuid4(),
        sent=SentJudgment(answer=answer),
    )
    [read] = scores_read(task=task).judgments
    assert [(output.systems, output.text) for output in read.outputs] == [
        (("amber", "cobalt"), "Die Katze."),
        (("dune",), "Die Katze sitzt auf dem Dach."),
    ]
