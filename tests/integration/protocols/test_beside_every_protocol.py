"""Every protocol orders the systems, so it takes part in the comparison of the tasks of a test set."""

from collections import defaultdict
from statistics import mean
from typing import Any

import pytest

from annotation.protocols.answer_kinds import answer_kind
from annotation.services.numbers import judgments_number
from campaign.models import Protocol, Task
from ranking.selectors.analyses import output_scores, scores_outputs
from ranking.selectors.chosen_judgments import judgments_chosen
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from tests.factories import make_campaign, make_judge
from tests.integration.protocols.every import EVERY_PROTOCOL
from tests.integration.protocols.judging import (
    Rated,
    edited_task,
    quizzed_task,
    rated,
    rated_all,
    rated_task,
)

pytestmark = pytest.mark.django_db

CHOICE = analysis_choice("beside", {}).options


def told(task: Task, kind: str, **given: Any) -> dict[str, Any]:
    """Return the data of an analysis, after reproducing them."""
    choice = analysis_choice(kind, given)
    answer = analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )
    assert analysis_reproduce(answer)[0] == answer.data
    return answer.data or {}


def order_of(task: Task) -> dict[str, float]:
    """Return the scores of the systems that are compared with those of other tasks."""
    [found] = told(task, "beside", resamples=100)["tasks"][:1]
    assert found["task"] == task.protocol
    return {row["system"]: row["score"] for row in found["order"]}


@EVERY_PROTOCOL
def test_every_protocol_compares_outputs_or_scores_them(protocol: Protocol) -> None:
    assert answer_kind(protocol).compares_outputs or scores_outputs(protocol)


@pytest.mark.thorough
def test_a_rating_is_the_mean_of_both_criteria() -> None:
    task = rated_task(make_campaign())
    # Fluency alone is on another level, and counts once there is adequacy.
    rated(task, make_judge(task.test_set.campaign, "eve"), "ember", number=1, fluency=5)
    judgments_number(task_id=task.pk)
    chosen = judgments_chosen(task=task, options=CHOICE)
    read = output_scores(task=task, watermark=97, chosen=chosen)
    assert read is not None
    assert set(read.judge) == {"ada", "ben", "cleo", "dora"}
    assert {score % 0.5 for score in read.score} == {0}
    # A system's score is the mean over segments, whose scores are averaged first.
    by_segment: dict[tuple[str, int], list[float]] = defaultdict(list)
    for system, segment, score in zip(
        read.system,
        read.segment,
        read.score,
        strict=True,
    ):
        by_segment[read.systems[system], int(segment)].append(float(score))
    expected = {
        name: mean(
            mean(found) for (of, _segment), found in by_segment.items() if of == name
        )
        for name in read.systems
    }
    assert order_of(task) == pytest.approx(expected)


def test_one_text_of_a_segment_by_hand() -> None:
    task = rated_task(make_campaign())
    judge = make_judge(task.test_set.campaign, "eve")
    without = ["ada", "ben", "cleo", "dora"]
    rated_all(
        task,
        [
            Rated(judge=judge, system="dune", number=1, fluency=4, adequacy=3),
            Rated(judge=judge, system="ember", number=2, fluency=1, adequacy=2),
            Rated(judge=judge, system="dune", number=3, fluency=5, adequacy=5),
        ],
    )
    judgments_number(task_id=task.pk)
    chosen = judgments_chosen(task=task, options={**CHOICE, "without": without})
    read = output_scores(task=task, watermark=102, chosen=chosen)
    assert read is not None
    assert read.systems == ("dune", "ember")
    assert list(zip(read.segment.tolist(), read.score.tolist(), strict=True)) == [
        (1, 3.5),
        (2, 1.5),
        (3, 5.0),
    ]


@pytest.mark.thorough
def test_a_reading_is_its_share_of_right_answers() -> None:
    task = quizzed_task(make_campaign())
    judgments_number(task_id=task.pk)
    # Each snippet has as many statements, and was read once of each system.
    shares = {
        row["name"]: row["share"]["value"] for row in told(task, "quiz")["systems"]
    }
    assert order_of(task) == pytest.approx(shares)


@pytest.mark.thorough
def test_few_edits_give_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    task = edited_task(make_campaign())
    judgments_number(task_id=task.pk)
    assert order_of(task) == {}
    monkeypatch.setattr("protocols.editing.files.FEWEST_EDITS", 1)
    chosen = judgments_chosen(task=task, options=CHOICE)
    watermark = judgments_number(task_id=task.pk)
    read = output_scores(task=task, watermark=watermark, chosen=chosen)
    assert read is not None
    assert set(read.score.tolist()) == {0.0, 1.0}
    rows = told(task, "editing", fewest=1, acceptances="mean")["acceptability"][
        "systems"
    ]
    decided = {row["system"] for row in rows if row["share"] is not None}
    assert set(read.systems) == decided
