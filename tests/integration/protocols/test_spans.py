"""A judge's way through a task of error spans and scores, by the API of their browser."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.shown import candidate_count
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Output, Protocol, Task
from protocols.models import SpansAnswer
from ranking.reports.stored import report_in
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.at_work import lend
from tests.exporting import exported_rows
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import JUDGING, hit_asked, judgment_put

pytestmark = pytest.mark.django_db

THRESHOLDS = {
    "error_free_from": 85,
    "perfect_from": 100,
    "major_below": 90,
    "margin": 10,
}
RULES = {
    "spans_asked": True,
    "scored": True,
    "missing": True,
    "source_marked": False,
    "marks": [],
    "severities": ["minor", "major"],
    "categories": [],
    "free_categories": False,
    "contradictions": THRESHOLDS,
}
MISSING = {"start": None, "end": None, "severity": "major", "kind": "missing"}


def span(
    start: int,
    end: int,
    severity: str = "minor",
    **fields: Any,
) -> dict[str, Any]:
    return {"start": start, "end": end, "severity": severity, "kind": "error", **fields}


def scored(*scores: int, **spans: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an answer with these scores; `a` are the spans of the first output, `b` of the second …"""
    letters = "abcde"
    outputs = [
        {"score": score, "spans": spans.get(letters[place], [])}
        for place, score in enumerate(scores)
    ]
    return {"outputs": outputs}


@pytest.fixture
def make_spans(make_task_of: MakeTask) -> Callable[..., Task]:
    """Make a task whose blocks show this many outputs."""

    def make(outputs: int = 3, *, kind: str = "uniform", **fields: Any) -> Task:
        task = make_task_of(Protocol.SPANS, **fields)
        HIT.objects.filter(task=task).delete()
        design_change(task=task, systems_per_block=outputs, kind=kind)
        hits_plan(task_id=task.pk, count=6)
        return task

    return make


@pytest.fixture
def task(make_spans: Callable[..., Task]) -> Task:
    return make_spans()


def test_a_judges_way_through_a_hit(judging: Client, judge: Judge, task: Task) -> None:
    lend(judge)
    hit = hit_asked(judging)
    assert (hit["protocol"], hit["rules"]) == (
        "spans",
        {"protocol": "spans", **RULES},
    )
    blocks = hit["blocks"]
    assert [len(block["candidates"]) for block in blocks] == [3, 3, 3]

    # Order and kinds come back as they were given.
    answer = scored(
        80,
        35,
        80,
        b=[span(5, 9, "major"), MISSING, span(0, 4)],
        c=[span(0, 1)],
    )
    first = judgment_put(
        judging,
        blocks[0],
        answer=answer,
        active_ms=30_000,
        duration_ms=30_000,
    )
    assert first.status_code == 200, first.content
    named = {"kind": "spans", **answer}
    assert (first.json()["labels"], first.json()["answer"]) == ([1, 2, 1], named)
    stored = hit_asked(judging)["blocks"][0]["judgment"]
    assert (stored["labels"], stored["answer"]) == ([1, 2, 1], named)

    # A change supersedes; the whole text may be marked.
    whole = len(blocks[0]["candidates"][0]["text"])
    again = judgment_put(
        judging,
        blocks[0],
        answer=scored(0, 100, 1, a=[span(0, whole, "major")]),
    )
    assert again.json()["labels"] == [3, 1, 2]
    for block in blocks[1:]:
        assert judgment_put(judging, block, answer=scored(50, 50, 50)).json()[
            "labels"
        ] == [1, 1, 1]
    assert Assignment.objects.get().completed_at is not None
    assert judgments_number(task_id=task.pk) == 4
    original, revision = Judgment.objects.filter(
        block__public_id=blocks[0]["id"],
    ).order_by("pk")
    assert revision.supersedes == original
    assert original.spansanswer.scores == [80, 35, 80]
    assert original.spansanswer.span_severities == [2, 2, 1, 1]
    history = judging.get(f"{JUDGING}/judgments/").json()["results"]
    assert history[-1]["block"]["judgment"]["answer"]["outputs"][1] == {
        "score": 100,
        "spans": [],
    }
    assert len(exported_rows(task)) == 3


def test_spans_that_touch_do_not_overlap(judging: Client) -> None:
    block = hit_asked(judging)["blocks"][0]
    answer = scored(1, 2, 3, a=[span(3, 6), span(0, 3), MISSING, MISSING])
    assert judgment_put(judging, block, answer=answer).status_code == 200


def test_offsets_are_code_points(judging: Client) -> None:
    block = hit_asked(judging)["blocks"][0]
    text = "𝔘𝔫𝔢 🎻 e\u0301"
    outputs = Block.objects.values_list("outputs", flat=True).get(public_id=block["id"])
    Output.objects.filter(pk=outputs[0]).update(text=text)
    refused = judgment_put(
        judging,
        block,
        answer=scored(1, 2, 3, a=[span(0, len(text) + 1)]),
    )
    assert f"which has {len(text)} characters" in refused.json()["detail"]
    assert (
        judgment_put(
            judging,
            block,
            answer=scored(1, 2, 3, a=[span(6, len(text))]),
        ).status_code
        == 200
    )


class TestDesigns:
    @pytest.mark.parametrize(
        ("kind", "outputs"),
        [("uniform", 1), ("balanced", 2), ("active", 4)],
    )
    def test_blocks_show_one_to_five(
        self,
        make_spans: Any,
        kind: str,
        outputs: int,
    ) -> None:
        task = make_spans(outputs, kind=kind)
        judge = make_judge(task.test_set.campaign)
        for _hit in range(2):
            for block in assigned_blocks(lend(judge)):
                judgment_submit(
                    assigned=block,
                    client_id=uuid4(),
                    sent=SentJudgment(answer=scored(*[50] * outputs)),
                )
        blocks = Block.objects.filter(hit__task=task).annotate(size=candidate_count())
        assert set(blocks.values_list("size", flat=True)) == {outputs}


class TestOneOutputAtATime:
    """Its labels are [1]: no outputs are compared, and judgments are still counted."""

    @pytest.fixture
    def task(self, make_spans: Callable[..., Task]) -> Task:
        task = make_spans(1)
        for name, score in (("ada", 80), ("ben", 60)):
            judge = make_judge(task.test_set.campaign, name)
            for _hit in range(2):
                for block in assigned_blocks(lend(judge)):
                    judgment_submit(
                        assigned=block,
                        client_id=uuid4(),
                        sent=SentJudgment(answer=scored(score)),
                    )
        return task

    def test_judgments_are_counted(self, task: Task) -> None:
        assert set(map(tuple, Judgment.objects.values_list("labels", flat=True))) == {
            (1,),
        }
        assert judgments_number(task_id=task.pk) == SpansAnswer.objects.count() == 12
        assert len(exported_rows(task)) == 12

    def test_its_analysis_has_scores_and_no_ranking(self, task: Task) -> None:
        choice = analysis_choice("spans", {"resamples": 100})
        found = analysis_compute(
            analysis=analysis_ask(task=task, choice=choice, is_queued=False),
        )
        data = found.data or {}
        of_input = data["input"]
        assert (of_input["blocks"], of_input["comparisons"], data["rankings"]) == (
            12,
            0,
            None,
        )
        # The score of a text of two systems counts for each.
        assert data["scores"] >= 12
        tables = report_in(found.reports or {}, "en", data=data).tables
        assert "means" in {table.name for table in tables}
