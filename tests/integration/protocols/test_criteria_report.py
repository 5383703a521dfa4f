"""Analysis and files of rating tasks with criteria of their own."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoDbBlocker

from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.tasks import task_rules_change
from campaign.models import Output, Protocol, Task
from protocols.models import RatingAnswer
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from ranking.reports import Report, Table
from ranking.reports.analyses.kind import JUDGMENT_OPTIONS
from ranking.reports.analyses.options import OptionError, completed
from ranking.reports.stored import report_in
from ranking.reports.wording.published_method import method_sentences
from ranking.selectors.analyses import analyses_of, output_scores
from ranking.selectors.chosen_judgments import judgments_chosen
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.published_results.content import (
    FrontMatter,
    PublishedVersion,
    published_content,
    published_facts,
)
from ranking.services.runs import ranking_run_compute
from tests.criteria import FOUR
from tests.exporting import exported
from tests.factories import make_campaign, make_organiser, make_task
from tests.integration.protocols.every import plans_delete
from tests.protocol_tasks import make_task_of_protocol
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


def rated(outputs: int, *, slug: str = "museum", seed: int = 3, **rules: Any) -> Task:
    """Four judges rate by four criteria, `outputs` on a screen; later systems are better.

    Ids of judgments are drawn from the seed.
    """
    task = make_task_of_protocol(Protocol.RATING, slug=slug)
    plans_delete(task)
    task_rules_change(task=task, rules={"criteria": FOUR, "all_at_once": True, **rules})
    design_change(
        task=task,
        kind="balanced",
        systems_per_block=outputs,
        redundancy=2,
        segments_per_hit=3,
        reference_rate=0.0,
    )
    hits_plan(task_id=task.pk, count=12)
    stored = Output.objects.filter(segment__test_set=task.test_set).order_by(
        "system__name",
    )
    places = {
        name: n for n, name in enumerate(sorted({each.system.name for each in stored}))
    }
    campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge(f"judge{number}", noise=0) for number in range(4)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=3,
            qualities={
                each.pk: 15.0 + 12 * places[each.system.name] for each in stored
            },
            seed=seed,
        ),
    )
    judgments_number(task_id=task.pk)
    return task


def make_tasks() -> dict[int, Task]:
    """Make a task with one, two and three outputs on a screen, each in a campaign of its own."""
    tasks = {}
    for outputs in (1, 2, 3):
        tasks[outputs] = rated(outputs, slug=f"screens-of-{outputs}", seed=10 + outputs)
    return tasks


@pytest.fixture(scope="module")
def tasks(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[dict[int, Task]]:
    with shared_rows(django_db_blocker, make_tasks) as made:
        yield made


RatedTask = Callable[[int], Task]


@pytest.fixture
def rated_task(tasks: dict[int, Task]) -> RatedTask:
    """Return a function that reads the task with a number of outputs on a screen."""
    return lambda outputs: Task.objects.get(pk=tasks[outputs].pk)


def told(task: Task, **given: Any) -> Report:
    choice = analysis_choice("rating", given)
    answer = analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )
    return report_in(answer.reports or {}, "en", data=answer.data)


def table(report: Report, name: str) -> Table:
    return next(each for each in report.tables if each.name == name)


def test_systems_stand_in_one_table_by_criteria(
    rated_task: RatedTask,
    subtests: pytest.Subtests,
) -> None:
    task = rated_task(2)
    report = told(task)
    criteria = [each["key"] for each in FOUR]
    with subtests.test("means of each criterion on its own scale"):
        means = {
            key: report.data["criteria"][key]["means"]["systems"] for key in criteria
        }
        assert all(0 <= row["mean"] <= 6 for row in means["style"])
        assert max(row["mean"] for row in means["overall"]) > 6
        # The best is first, and has the lowest value where lower is better.
        assert means["errors"][0]["mean"] < means["errors"][-1]["mean"]
        assert means["errors"][0]["system"] == means["overall"][0]["system"]
        assert means["errors"][0]["rank"] == 1
    with subtests.test("one table of systems and criteria"):
        assert [each.name for each in report.tables[:2]] == ["weighted", "systems"]
        systems = table(report, "systems")
        names = [column.key for column in systems.columns]
        assert [name for name in names if name in criteria] == criteria
        assert len(systems.rows) == len(means["style"])
    with subtests.test("several texts of a segment on a screen are no mistake"):
        assert report.data["input"]["met_again"]["style"] > 0
        assert not any("another text" in note for note in report.notes)
    with subtests.test("correlations of all pairs"):
        assert len(table(report, "correlations").rows) == 6
        assert report.data["overall_and_errors"]["of_ratings"]["pearson"] < -0.5
        assert report.data["style_and_coherence"]["of_ratings"]["pearson"] > 0.5
    with subtests.test("agreement on each scale"):
        points = {row["criterion"]: row["points"] for row in report.data["agreement"]}
        assert points == {"coherence": 3, "errors": 3, "style": 7, "overall": 11}
    with subtests.test("a ranking by the weights of the task"):
        weighted = report.data["weighted"]
        assert weighted["weights"] == {"coherence": 2, "errors": 1}
        assert table(report, "weighted").notes[0] == "Weights: Coherence: 2, Errors: 1."
        best = weighted["means"]["systems"][0]
        by_key = {
            key: next(
                row["mean"] for row in means[key] if row["system"] == best["system"]
            )
            for key in ("coherence", "errors")
        }
        expected = (2 * by_key["coherence"] + (6 - by_key["errors"])) / 3
        assert best["mean"] == pytest.approx(expected)
    with subtests.test("outliers of each criterion"):
        named = told(task, deviations=0.5)
        assert [column.key for column in table(named, "outliers").columns] == [
            "rule",
            *criteria,
            "both",
        ]


def test_without_weights_nothing_is_averaged() -> None:
    criteria = [{**each, "weight": 0} for each in FOUR]
    task = rated(2, criteria=criteria)
    report = told(task)
    assert "weighted" not in report.data
    assert "ranking" not in analyses_of(task=task)
    by_one = told(task, weights=["style:1"]).data["weighted"]
    means = report.data["criteria"]["style"]["means"]["systems"]
    assert [row["system"] for row in by_one["means"]["systems"]] == [
        row["system"] for row in means
    ]
    with pytest.raises(OptionError, match="not a criterion and a weight"):
        analysis_choice("rating", {"weights": ["style"]})
    with pytest.raises(ValueError, match="same scale"):
        told(task, weights=["style:1", "errors:1"])
    with pytest.raises(ValueError, match="No ratings by beauty"):
        told(task, weights=["beauty:1"])


def test_a_weighted_task_is_ranked_and_published_with_its_weights(
    rated_task: RatedTask,
) -> None:
    task = rated_task(3)
    assert "ranking" in analyses_of(task=task)
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    assert run.result["input"]["comparisons"] > 0
    content = published_content(
        published_facts(task=task, run=run),
        labels={system.name: system.name for system in task.test_set.systems.all()},
        front_matter=FrontMatter(),
        version=PublishedVersion(number=1, published_at=run.finished_at, sections={}),
    )
    assert content["sections"]["criteria"] == task.rules["criteria"]
    sentence = method_sentences(content)[0]
    assert "Coherence, Errors, Style, Overall" in sentence
    assert "Coherence (2), Errors (1)." in sentence


def test_scores_are_those_of_the_weighted_criteria(rated_task: RatedTask) -> None:
    task = rated_task(1)
    last = judgments_number(task_id=task.pk)
    options = completed(JUDGMENT_OPTIONS, {})
    scores = output_scores(
        task=task,
        watermark=last,
        chosen=judgments_chosen(task=task, options=options),
    )
    answer = RatingAnswer.objects.filter(judgment__task=task).first()
    assert scores is not None
    assert answer is not None
    coherence, errors, *_others = answer.points
    assert (2 * coherence - errors) / 3 in scores.score.tolist()


@pytest.mark.parametrize("file_format", ["ratings-jsonl", "ratings-csv"])
@pytest.mark.parametrize("outputs", [1, 3])
def test_files_read_back_equal(
    rated_task: RatedTask,
    outputs: int,
    file_format: str,
    tmp_path: Path,
) -> None:
    task = rated_task(outputs)
    written = exported(task, file_format)
    path = tmp_path / "ratings"
    # As pages write tables.
    path.write_text(f"\ufeff{written}" if file_format == "ratings-csv" else written)
    other = make_task(make_campaign("other"), documents=(6, 5)).test_set
    again = Task.objects.create(test_set=other, protocol=Protocol.RATING)
    task_rules_change(task=again, rules=task.rules)
    call_command(
        *("import_answers", str(path)),
        campaign="other",
        test_set=other.name,
        protocol="rating",
        input_format=file_format,
    )
    assert RatingAnswer.objects.filter(judgment__task=again).count() == (
        RatingAnswer.objects.filter(judgment__task=task).count()
    )
    assert sorted(exported(again, file_format).splitlines()) == sorted(
        written.splitlines(),
    )


def test_a_rating_that_is_missing_is_named(
    rated_task: RatedTask,
    tmp_path: Path,
) -> None:
    task = rated_task(1)
    path = tmp_path / "ratings.jsonl"
    lines = [
        line
        for line in exported(task, "ratings-jsonl").splitlines()
        if "style" not in line
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(Exception, match=r"did not rate .* by style"):
        call_command(
            *("import_answers", str(path)),
            campaign=task.test_set.campaign.slug,
            test_set=task.test_set.name,
            protocol="rating",
        )


def test_judgments_are_exported_with_a_column_for_each_criterion_and_output(
    rated_task: RatedTask,
    client: Client,
) -> None:
    task = rated_task(2)
    client.force_login(make_organiser(task.test_set.campaign))
    kinds = client.get(f"/api/v1/tasks/{task.pk}/exports/kinds/").json()["results"]
    [judgments] = [each for each in kinds if each["name"] == "judgments"]
    assert "coherence_N" in str(judgments)
    exports = f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/exports/"
    assert client.get(exports).status_code == 200
    asked = requested_export(task=task, kind="judgments", file_format="csv")
    written = b"".join(export_bytes(asked)).decode().splitlines()
    header, first, *_rows = csv.reader(written)
    row = dict(zip(header, first, strict=True))
    answer = RatingAnswer.objects.get(judgment__client_id=row["id"])
    keys = [each["key"] for each in FOUR]
    columns = [f"{key}_{number}" for number in (1, 2) for key in keys]
    assert [int(row[name]) for name in columns] == answer.points
