"""Ratings of a task, for the report and as a file."""

from pathlib import Path
from typing import Any

import pytest

from annotation.services.numbers import judgments_number
from annotation.services.quality import JudgeDecision, quality_action_take
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from campaign.models import Output, Protocol, Task
from protocols.frame.scale.files import LINES, ratings_arranged
from protocols.frame.scale.statistics.ratings import Ratings
from ranking.reports.analyses.kind import JUDGMENT_OPTIONS
from ranking.reports.analyses.options import completed
from ranking.selectors.chosen_judgments import judgments_chosen
from tests.factories import make_organiser
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db
Arranged = dict[str, Ratings]


@pytest.fixture
def rated(make_task_of: MakeTask) -> Task:
    """Three judges each did a round, and its second pass."""
    task = make_task_of(Protocol.RATING, rules={"items_per_judge": 10})
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge(f"judge{number}", noise=0) for number in range(3)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=2,
            qualities={
                pk: 20.0 + 7 * (pk % 11) for pk in outputs.values_list("pk", flat=True)
            },
            seed=3,
        ),
    )
    return task


def chosen(task: Task, *, watermark: int | None = None, **given: Any) -> Arranged:
    """Read the ratings that count by these options."""
    last = judgments_number(task_id=task.pk)
    options = completed(JUDGMENT_OPTIONS, {"reference": "include", **given})
    judgments = judgments_chosen(task=task, options=options)
    found = LINES.chosen(task, last if watermark is None else watermark, judgments)
    return ratings_arranged(found.rows)


def exported(task: Task, path: Path, *, watermark: int | None = None) -> Arranged:
    """Write a file of a task, and read it."""
    last = judgments_number(task_id=task.pk) if watermark is None else watermark
    path.write_text("".join(LINES.write(task, last).lines))
    return ratings_arranged(LINES.read([str(path)]).rows)


def assert_same(read: Arranged, other: Arranged) -> None:
    assert list(read) == list(other)
    for criterion, found in other.items():
        mine = read[criterion]
        assert found.judges == mine.judges
        assert found.items.systems == mine.items.systems
        assert found.item.tolist() == mine.item.tolist()
        assert found.value.tolist() == mine.value.tolist()


@pytest.mark.thorough
def test_a_task_is_read_as_its_file_is(rated: Task, tmp_path: Path) -> None:
    read = chosen(rated)
    assert list(read) == ["fluency", "adequacy"]
    fluency, adequacy = (read[each] for each in ("fluency", "adequacy"))
    assert len(fluency) == len(adequacy) > 20
    assert fluency.items is adequacy.items
    assert fluency.met_again == 0
    # The same judges rate the same texts in both passes.
    pairs = [
        set(zip(each.item.tolist(), each.judge.tolist(), strict=True))
        for each in (fluency, adequacy)
    ]
    assert pairs[0] == pairs[1]
    assert_same(read, exported(rated, tmp_path / "ratings.jsonl"))


@pytest.mark.thorough
def test_a_watermark_holds(rated: Task, tmp_path: Path) -> None:
    assert judgments_number(task_id=rated.pk) > 20
    early = chosen(rated, watermark=10)
    assert list(early) == ["fluency"]
    assert sum(map(len, early.values())) == 10
    assert chosen(rated, watermark=0) == {}
    assert_same(early, exported(rated, tmp_path / "early.jsonl", watermark=10))


@pytest.mark.thorough
def test_judges_and_documents_are_chosen(rated: Task, tmp_path: Path) -> None:
    assert chosen(rated, without=["judge0"])["fluency"].judges == (
        *("judge1", "judge2"),
    )
    document = rated.test_set.segments.get(number=1).document
    numbers = set(document.segments.values_list("number", flat=True))
    items = chosen(rated, documents=[document.name])["fluency"].items
    assert set(items.segment.tolist()) <= numbers
    judge = rated.test_set.campaign.judges.get(pseudonym="judge2")
    organiser = make_organiser(rated.test_set.campaign)
    quality_action_take(
        judge=judge,
        task=rated,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    left = exported(rated, tmp_path / "left.jsonl")
    assert left["fluency"].judges == ("judge0", "judge1")
    assert_same(chosen(rated), left)
