"""A task of two outputs: its rules and designs, what the database refuses, training, rehearsals, what organisers read."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotation.models import (
    Block,
    Design,
    Judgment,
)
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.shown import candidate_count
from annotation.selectors.training import training_feedback
from annotation.services import submission
from annotation.services.planning.designs import DesignRefusedError, design_change
from annotation.services.submission import SentJudgment, judgment_store, judgment_submit
from annotation.services.tasks import task_rules_change
from annotation.services.training import (
    TrainingRefusedError,
    training_block_write,
    training_plan,
)
from campaign.models import Judge, Task
from tests.at_work import lend
from tests.factories import make_judge

pytestmark = pytest.mark.django_db


def test_rules_stay_once_judges_have_begun(task: Task, judge: Judge) -> None:
    assert task_rules_change(task=task, rules={"four_answers": False}).rules == {}
    lend(judge)
    with pytest.raises(ValidationError, match="judging has started"):
        task_rules_change(task=task, rules={"four_answers": True})


class TestDesigns:
    def test_the_first_one_has_blocks_of_two(self, task: Task, judge: Judge) -> None:
        design = Design.objects.get(task=task)
        assert (design.kind, design.systems_per_block) == (Design.Kind.BINARY, 2)
        lend(judge)
        sizes = Block.objects.filter(hit__task=task).annotate(size=candidate_count())
        assert set(sizes.values_list("size", flat=True)) == {2}

    def test_larger_blocks_are_refused_in_words(self, task: Task) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"kind": "uniform", "systems_per_block": 5}, "systems_per_block"),
            ({"kind": "active", "systems_per_block": 3}, "systems_per_block"),
            ({"kind": "all", "systems_per_block": 2}, "kind"),
        ]
        for parameters, field in cases:
            with pytest.raises(
                DesignRefusedError,
                match="must show 2 outputs",
            ) as refused:
                design_change(task=task, **parameters)
            assert refused.value.field == field
            assert Design.objects.get(task=task).kind == Design.Kind.BINARY


def test_a_submission_whose_answer_is_not_stored_stores_nothing(
    judge: Judge,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block = assigned_blocks(lend(judge))[0]

    def store(judgment: Judgment, *, answer: Any, **named: Any) -> bool:
        # A value that the database cannot hold.
        answer.verdict = "neither"
        return judgment_store(judgment, answer=answer, **named)

    monkeypatch.setattr(submission, "judgment_store", store)
    with pytest.raises(IntegrityError), transaction.atomic():
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"verdict": "first"}),
        )
    assert not Judgment.objects.exists()


def test_training_is_of_two_outputs_too(task: Task) -> None:
    segment = task.test_set.segments.get(number=2)
    outputs = list(segment.outputs.filter(system__name__in=["cobalt", "dune", "ember"]))
    words = "One of them is shorter."
    with pytest.raises(TrainingRefusedError, match="must show 2 outputs"):
        training_block_write(
            task=task,
            segment=segment,
            explanation=words,
            expected=dict(zip(outputs, (1, 2, 3), strict=True)),
        )
    block = training_block_write(
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
    stored = judgment_submit(
        assigned=assigned,
        client_id=uuid4(),
        sent=SentJudgment(answer={"verdict": better}),
    )
    feedback = training_feedback(stored)
    assert feedback is not None
    assert feedback.agrees
