"""A task of two outputs: its rules and designs, what the database refuses, training, rehearsals, what organisers read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from annotation.export.five_way import five_way_csv
from annotation.models import (
    Block,
    Design,
    Judgment,
)
from annotation.selectors import assigned_blocks
from annotation.selectors.outputs_shown import candidate_count
from annotation.selectors.training import training_feedback
from annotation.services import (
    DesignRefusedError,
    TrainingRefusedError,
    design_change,
    judgment_submit,
    task_rules_change,
    training_block_create,
    training_plan,
)
from annotation.services.judging import submission
from annotation.services.judging.storage import judgment_store
from annotation.services.simulation import (
    JudgedInRehearsal,
    SimulatedJudge,
    campaign_simulate,
    rehearsed_store,
)
from campaign.models import Judge, Output, Protocol, Task
from protocols.two_outputs.models import Answer
from ranking.models import LatestRanking
from ranking.tasks import rank_task
from tests.at_work import lend
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

JUDGING = "/api/v1/judging"
LABELS = {"first": [1, 2], "same": [1, 1], "second": [2, 1]}


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"five_answers": True}, "no rule “five_answers”"),
        ({"four_answers": "yes"}, "four_answers is true or false"),
    ],
)
def test_rules_that_the_protocol_does_not_have_are_refused(
    task: Task, rules: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        task_rules_change(task=task, rules=rules)
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    with pytest.raises(ValidationError, match="no rule “four_answers”"):
        task_rules_change(task=ranking, rules={"four_answers": True})
    task.refresh_from_db()
    assert task.rules == {}


def test_rules_stay_once_judges_have_begun(task: Task, judge: Judge) -> None:
    assert task_rules_change(task=task, rules={"four_answers": False}).rules == {}
    lend(judge)
    with pytest.raises(ValidationError, match="Judges have begun"):
        task_rules_change(task=task, rules={"four_answers": True})


class TestDesigns:
    def test_the_first_one_has_blocks_of_two(self, task: Task, judge: Judge) -> None:
        design = Design.objects.get(task=task)
        assert (design.kind, design.systems_per_block) == (Design.Kind.BINARY, 2)
        lend(judge)
        sizes = Block.objects.filter(hit__task=task).annotate(size=candidate_count())
        assert set(sizes.values_list("size", flat=True)) == {2}

    @pytest.mark.parametrize(
        ("parameters", "field"),
        [
            ({"kind": "uniform", "systems_per_block": 5}, "systems_per_block"),
            ({"kind": "active", "systems_per_block": 3}, "systems_per_block"),
            ({"kind": "all", "systems_per_block": 2}, "kind"),
        ],
    )
    def test_larger_blocks_are_refused_in_words(
        self, task: Task, parameters: dict[str, Any], field: str
    ) -> None:
        with pytest.raises(DesignRefusedError, match="about 2 outputs at a time") as refused:
            design_change(task=task, **parameters)
        assert refused.value.field == field
        assert Design.objects.get(task=task).kind == Design.Kind.BINARY

    @pytest.mark.parametrize("kind", ["uniform", "balanced", "active"])
    def test_other_kinds_may_show_two(self, task: Task, kind: str) -> None:
        design = design_change(task=task, kind=kind)
        assert (design.kind, design.systems_per_block) == (kind, 2)


class TestTheDatabase:
    """Refuses a judgment without its answer, and an answer without its judgment."""

    def judgment(self, judge: Judge, **fields: Any) -> Judgment:
        assignment = lend(judge)
        block = assignment.hit.blocks.earliest("position")
        values = {"labels": [1, 2], "assignment": assignment, **fields}
        return Judgment.objects.create(
            task=assignment.hit.task, client_id=uuid4(), judge=judge, block=block, **values
        )

    @contextmanager
    def to_the_commit(self) -> Iterator[None]:
        """Do something as if its transaction ended with it."""
        with transaction.atomic():
            yield
            connection.check_constraints()

    def test_a_judgment_has_its_answer_at_the_commit(self, judge: Judge) -> None:
        with pytest.raises(IntegrityError, match="has no answer"), self.to_the_commit():
            self.judgment(judge)
        with self.to_the_commit():
            Answer.objects.create(judgment=self.judgment(judge), verdict="first")

    def test_imported_ones_have_theirs_at_the_end_of_the_statement(self, judge: Judge) -> None:
        with pytest.raises(IntegrityError, match="has no answer"):
            self.judgment(judge, assignment=None)


def test_a_submission_whose_answer_is_not_stored_stores_nothing(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = assigned_blocks(lend(judge))[0]

    def store(judgment: Judgment, *, answer: tuple[Any, Any]) -> bool:
        # What the database has no room for.
        return judgment_store(judgment, answer=(answer[0], {"verdict": "neither"}))

    monkeypatch.setattr(submission, "judgment_store", store)
    with pytest.raises(IntegrityError), transaction.atomic():
        judgment_submit(assigned=block, client_id=uuid4(), answer={"verdict": "first"})
    assert not Judgment.objects.exists()


def test_members_read_answers(judge: Judge, task: Task, client: Client) -> None:
    blocks = assigned_blocks(lend(judge))
    for block, verdict in zip(blocks, LABELS, strict=True):
        judgment_submit(assigned=block, client_id=uuid4(), answer={"verdict": verdict})
    client.force_login(make_organiser(task.test_set.campaign))
    rows = client.get(f"/api/v1/tasks/{task.pk}/judgments/").json()["results"]
    assert [(row["number"], row["answer"]["verdict"], row["labels"]) for row in rows] == [
        (number, verdict, labels) for number, (verdict, labels) in enumerate(LABELS.items(), 1)
    ]
    # The order that the answers imply, for whoever ranks files.
    assert len(list(five_way_csv(task=task))) == 1 + len(LABELS)


def test_training_is_of_two_outputs_too(task: Task) -> None:
    segment = task.test_set.segments.get(number=2)
    outputs = list(segment.outputs.filter(system__name__in=["cobalt", "dune", "ember"]))
    words = "One of them is shorter."
    with pytest.raises(TrainingRefusedError, match="about 2 outputs at a time"):
        training_block_create(
            task=task,
            segment=segment,
            explanation=words,
            expected=dict(zip(outputs, (1, 2, 3), strict=True)),
        )
    block = training_block_create(
        task=task,
        segment=segment,
        explanation=words,
        expected=dict(zip(outputs[:2], (1, 2), strict=True)),
    )
    assert block.candidates.count() == 2
    judge = make_judge(task.test_set.campaign)
    training_plan(task_id=task.pk, judge_id=judge.pk)
    [assigned] = assigned_blocks(lend(judge))
    shown = Block.objects.get(pk=assigned.block_id)
    assert shown.expected is not None
    better = "first" if shown.expected == [1, 2] else "second"
    stored = judgment_submit(assigned=assigned, client_id=uuid4(), answer={"verdict": better})
    feedback = training_feedback(stored)
    assert feedback is not None
    assert feedback.agrees


def test_a_task_is_ranked(judge: Judge, task: Task) -> None:
    for block in assigned_blocks(lend(judge)):
        judgment_submit(assigned=block, client_id=uuid4(), answer={"verdict": "first"})
    rank_task(task.pk)
    assert LatestRanking.objects.get(task=task).watermark == 3


def test_the_judgments_of_a_rehearsal_have_answers(judge: Judge) -> None:
    assignment = lend(judge)
    judged = [
        JudgedInRehearsal(
            block_id=block,
            client_id=uuid4(),
            said={"verdict": "second"},
            candidates=2,
            duration_ms=20_000,
            active_ms=20_000,
            submitted_at=timezone.now(),
        )
        for block in assignment.hit.blocks.values_list("pk", flat=True)
    ]
    rehearsed_store(assignment, judged)
    assert (
        list(Answer.objects.values_list("verdict", "judgment__labels")) == [("second", [2, 1])] * 3
    )


@pytest.mark.parametrize("four_answers", [False, True])
def test_simulated_judges_answer(make_task_of: MakeTask, *, four_answers: bool) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS, rules={"four_answers": four_answers})
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    best = outputs.filter(system__name="amber").values_list("pk", flat=True)
    fine, wrong = 90.0, 10.0
    count = campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge("exact", noise=0, ties_within=0)],
        languages=["en", "de"],
        hits_each=3,
        qualities=dict.fromkeys(outputs.values_list("pk", flat=True), wrong)
        | dict.fromkeys(best, fine),
        seed=3,
    )
    assert Answer.objects.count() == count > 3
    verdicts = set(Answer.objects.values_list("verdict", flat=True))
    assert verdicts <= {"first", "second", "both_wrong" if four_answers else "same"}
    assert len(verdicts) > 1


def test_organisers_see_it_as_judges_do(task: Task, client: Client) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    base = f"/api/v1/tasks/{task.pk}/as-judge"
    hit = client.post(f"{base}/assignments/", {}, content_type="application/json").json()
    assert (hit["protocol"], hit["rules"]) == ("two_outputs", {"four_answers": False})
    body = {"block": hit["blocks"][0]["id"], "answer": {"verdict": "second"}}
    address = f"{base}/judgments/{uuid4()}/"
    taken = client.put(address, body, content_type="application/json").json()
    assert (taken["labels"], taken["answer"]) == ([2, 1], {"verdict": "second"})
    assert not Judgment.objects.exists()
