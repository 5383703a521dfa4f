"""What a task of error spans and scores says: the same by itself and by a file of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command

from annotation.models import Assignment, Block, Judgment
from annotation.models.hit import HIT
from annotation.selectors import assigned_blocks
from annotation.services import (
    SubmissionRefusedError,
    design_change,
    judgment_submit,
    quality_action_take,
)
from campaign.models import Judge, Protocol, Task
from protocols.spans.analysis import analyse_spans
from protocols.spans.files import read_spans
from protocols.spans.models import Answer
from protocols.spans.records import ScoredJudgment, Severity, Span
from protocols.spans.report import spans_report, task_report
from protocols.spans.scores import scores_read
from ranking.analyses import completed
from ranking.analyses.judgments import JUDGMENT_OPTIONS
from ranking.selectors.chosen_judgments import judgments_chosen
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
    task: Task, judge: Judge, *scores: int, number: int, systems: tuple[str, ...], **spans: Any
) -> Judgment:
    """Show these outputs of a segment in this order, whatever a design would."""
    segment = task.test_set.segments.get(number=number)
    outputs = [segment.outputs.get(system__name=name).pk for name in systems]
    hit = HIT.objects.create(
        task=task, design=task.designs.latest(), number=1000 + HIT.objects.count()
    )
    block = Block.objects.create(hit=hit, segment=segment, position=1, outputs=outputs)
    lent = Assignment.objects.create(hit=hit, judge=judge, lease=("2026-11-01", "2026-11-02"))
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
    Answer.objects.create(judgment=judgment, scores=list(scores), **spans)
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
            span_majors=[False, True, True],
        )
        judged(task, ben, *(30, 70, 80), number=number, systems=SYSTEMS[::-1])
    return ada, ben


def test_answers_are_records_of_files(task: Task, ada_and_ben: tuple[Judge, Judge]) -> None:
    read = scores_read(task=task)
    assert (len(read.judgments), read.watermark) == (12, 12)
    first = read.judgments[0]
    assert (first.judge, first.segment, first.duration_ms) == ("ada", "1", 20_000)
    assert [output.systems for output in first.outputs] == [("amber",), ("cobalt",), ("dune",)]
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


def test_a_file_of_it_says_the_same(
    task: Task, ada_and_ben: tuple[Judge, Judge], tmp_path: Path
) -> None:
    file = tmp_path / "spans.jsonl"
    call_command("export_spans", "museum", task.test_set.name, str(file), verbosity=0)
    from_file, read = read_spans([str(file)]), scores_read(task=task)
    assert from_file.judgments == read.judgments
    of_file = spans_report(from_file, analyse_spans(from_file.judgments))
    of_task = task_report(read, analyse_spans(read.judgments))
    assert [table.name for table in of_task.tables] == [table.name for table in of_file.tables]
    assert [table.rows for table in of_task.tables] == [table.rows for table in of_file.tables]
    assert of_task.notes == of_file.notes
    assert of_task.data["watermark"] == 12
    assert not {"files", "format", "losses"} & set(of_task.data)
    means = next(table for table in of_task.tables if table.name == "means")
    assert [row[0] for row in means.rows] == ["amber", "cobalt", "dune"]


def test_the_excluded_are_left_out_and_a_watermark_holds(
    task: Task, ada_and_ben: tuple[Judge, Judge]
) -> None:
    assert scores_read(task=task, watermark=0).judgments == ()
    assert scores_read(task=task).watermark == 12
    assert [each.judge for each in scores_read(task=task, watermark=3).judgments] == [
        "ada",
        "ben",
        "ada",
    ]
    organiser = make_organiser(task.test_set.campaign)
    quality_action_take(judge=ada_and_ben[1], task=task, action="exclude", user=organiser)
    assert {each.judge for each in scores_read(task=task).judgments} == {"ada"}


def test_which_answers_count_is_chosen(task: Task, ada_and_ben: tuple[Judge, Judge]) -> None:
    def read(*systems: str, **given: Any) -> tuple[ScoredJudgment, ...]:
        chosen = judgments_chosen(task=task, options=completed(JUDGMENT_OPTIONS, given))
        chosen = replace(chosen, systems=systems or chosen.systems)
        return scores_read(task=task, judgments=chosen).judgments

    assert read() == scores_read(task=task).judgments
    assert {each.judge for each in read(without=["ada"])} == {"ben"}
    document = task.test_set.segments.get(number=1).document
    of_one = read(documents=[document.name])
    assert {each.document for each in of_one} == {document.name}
    assert 0 < len(of_one) <= 12
    # Of others than the systems that take part nothing is left.
    assert [output.systems for output in read("amber", "dune")[0].outputs] == [
        ("amber",),
        ("dune",),
    ]
    assert read("ember") == ()


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
    lent = Assignment.objects.create(hit=hit, judge=judge, lease=("2026-11-01", "2026-11-02"))
    [assigned] = assigned_blocks(lent)
    # As long as the text of the second, which is the third output of the block.
    span = {"start": 20, "end": 29, "severity": "minor", "kind": "error"}
    too_long = {"outputs": [{"score": 40, "spans": [span]}, {"score": 90, "spans": []}]}
    with pytest.raises(SubmissionRefusedError, match=r"Output A.* has 10 characters"):
        judgment_submit(assigned=assigned, client_id=uuid4(), answer=too_long)
    answer = {"outputs": [{"score": 40, "spans": []}, {"score": 90, "spans": [span]}]}
    judgment_submit(assigned=assigned, client_id=uuid4(), answer=answer)
    [read] = scores_read(task=task).judgments
    assert [(output.systems, output.text) for output in read.outputs] == [
        (("amber", "cobalt"), "Die Katze."),
        (("dune",), "Die Katze sitzt auf dem Dach."),
    ]
