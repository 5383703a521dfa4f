"""The agreement of metrics with judges in a published result."""

from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Task
from campaign.services.jobs import jobs_run_waiting
from ranking.models import Analysis, PublishedResult
from ranking.pages.publishing_worries import missing_in_words
from ranking.reports.published_results import (
    PublishedFile,
    metric_tables,
    published_report,
)
from ranking.reports.writing import ReportFormat, write
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.metrics import metric_store
from ranking.services.published_results.publish import ResultChoices, published_draft
from ranking.services.published_results.sections import ChosenSections
from tests.integration.machines.answering import machine_judges
from tests.integration.ranking.answered import answer
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

PREDICTED = ChosenSections(("predicted_ranking",))


def test_a_result_includes_the_table_of_metrics_unless_it_is_left_out(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    systems = ["amber", "birch", "cobalt", "dune"]
    values = np.random.default_rng(1).normal([4, 3, 2, 1], 1, (8, 4))
    given: dict[str, Any] = {
        "test_set": judged.task.test_set,
        "systems": systems,
        "values": values,
    }
    metric_store(name="COMET", file_name="comet.tsv", **given)
    # The page of metrics lists machine judges, too.
    machine_judges(judged.campaign, judged.task)
    assert len((answer(judged.task, "metrics").data or {})["metrics"]) == 2
    of = [judged.campaign.slug, judged.task.pk]
    form = as_organiser.get(reverse("publish", args=of)).context["form"]
    assert form["metrics"].value() is True
    confirm = reverse("publish-confirm", args=of)
    sent = {"metrics": "on", "anonymous": ["amber"]}
    asked = as_organiser.post(confirm, sent)
    assert "without it" in text_of(asked)
    jobs_run_waiting()
    draft = published_draft(
        task=judged.task,
        choices=ResultChoices(sections=ChosenSections(("firmness",))),
    )
    assert "metrics" not in draft.content["sections"]
    again = as_organiser.post(confirm, sent)
    assert "without it" not in text_of(again).partition("Page preview")[0]
    as_organiser.post(
        confirm,
        {**sent, "act": "yes", "seen": again.context["draft"].fingerprint},
    )
    result = PublishedResult.objects.get()
    (metric,) = result.content["sections"]["metrics"]["metrics"]
    assert metric["metric"] == "COMET"
    assert metric["systems"]["pairwise"]["value"] == 1.0
    page = text_of(Client().get(reverse("published-result", args=[result.address])))
    assert "System-level agreement" in page
    assert "amber" not in page
    file = PublishedFile(result.content, result.digest, "https://example.org/")
    for each in (ReportFormat.MARKDOWN, ReportFormat.LATEX, ReportFormat.TYPST):
        assert "COMET" in write(published_report(file), each)


def compute(task: Task, **options: Any) -> Any:
    """Return the data of a prediction-powered ranking computed on the page Metrics."""
    choice = analysis_choice("predicted_ranking", options)
    analysis = analysis_ask(task=task, choice=choice, is_queued=False)
    analysis_compute(analysis=analysis)
    return Analysis.objects.get(pk=analysis.pk).data


def test_a_prediction_powered_ranking_is_published_only_if_it_is_chosen(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    metrics_store(judged)
    computed = compute(judged.task, metric="chrF")
    confirm = reverse("publish-confirm", args=[judged.campaign.slug, judged.task.pk])
    usual = as_organiser.post(confirm, {"metrics": "on"})
    assert "predicted_ranking" not in usual.context["draft"].content["sections"]
    chosen = {"predicted_ranking": "on", "anonymous": ["amber"]}
    preview = as_organiser.post(confirm, chosen)
    seen = preview.context["draft"].fingerprint
    as_organiser.post(
        confirm,
        {**chosen, "act": "yes", "seen": seen, "without": "firmness"},
    )
    result = PublishedResult.objects.get()
    section = result.content["sections"]["predicted_ranking"]
    # The same numbers as on the page Metrics, under published names.
    for name in (
        "metric",
        "judged",
        "segments",
        "weight",
        "judgments_saved",
        "sample_p",
    ):
        assert section[name] == computed[name]
    names = {"amber": "System A"}
    scores = {row["system"]: row["score"] for row in section["systems"]}
    assert scores == {
        names.get(row["system"], row["system"]): row["score"]
        for row in computed["systems"]
    }
    page = text_of(Client().get(reverse("published-result", args=[result.address])))
    ranking, completed, rest = page.partition("Ranking completed by chrF (metric)")
    assert completed
    assert "System A" in ranking
    assert "random sample" in rest
    assert "amber" not in page
    file = PublishedFile(result.content, result.digest, "https://example.org/")
    assert "Ranking completed by chrF (metric)" in write(
        published_report(file),
        ReportFormat.MARKDOWN,
    )


def test_published_ranking_says_that_a_machine_judge_completes_it(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    machine = machine_judges(judged.campaign, judged.task)
    compute(judged.task, metric=str(machine))
    draft = published_draft(task=judged.task, choices=ResultChoices(sections=PREDICTED))
    [table] = metric_tables(draft.content)
    assert table.title == "Ranking completed by judgebot 1 (machine judge)"
    # Results published by older versions do not say what it is.
    section: Any = draft.content["sections"]["predicted_ranking"]
    del section["is_machine"]
    [older] = metric_tables(draft.content)
    assert older.title == "Ranking completed by judgebot 1"


def test_organisers_are_warned_if_judged_segments_are_no_random_sample(
    judged: TestSetWriter,
) -> None:
    metrics_store(judged)
    compute(judged.task)
    draft = published_draft(task=judged.task, choices=ResultChoices(sections=PREDICTED))
    section: Any = draft.content["sections"]["predicted_ranking"]

    def warnings(**check: Any) -> set[str]:
        sections: Any = {"predicted_ranking": {**section, **check}}
        return set(missing_in_words({**draft.content, "sections": sections}))

    usual = warnings(sample_p=0.05, is_drawn_at_random=True)
    assert usual < warnings(sample_p=0.01, is_drawn_at_random=True)
    assert usual < warnings(sample_p=0.05, is_drawn_at_random=False)
    # Every segment was judged, in whatever order.
    everything = warnings(
        sample_p=None,
        is_drawn_at_random=False,
        segments=section["judged"],
    )
    assert usual == everything


def test_rest_computes_the_prediction_powered_ranking_that_it_is_asked_for(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    metrics_store(judged)
    address = f"/api/v1/tasks/{judged.task.pk}/published-results/"
    sent = {"firmness": False, "metrics": False, "predicted_ranking": True}
    asked = as_organiser.post(address, sent, content_type="application/json")
    assert asked.status_code == 202
    jobs_run_waiting()
    published = as_organiser.post(address, sent, content_type="application/json").json()
    section = published["content"]["sections"]["predicted_ranking"]
    assert (section["judged"], section["segments"]) == (8, 12)
    by_people = published["content"]["ranking"]["systems"]
    assert {row["system"] for row in section["systems"]} == {
        row["system"] for row in by_people
    }


def test_rest_names_the_metric_that_completes_the_ranking(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    metrics_store(judged)
    # Otherwise it would be the one to publish.
    compute(judged.task, metric="COMET")
    address = f"/api/v1/tasks/{judged.task.pk}/published-results/"
    usual = {"firmness": False, "metrics": False}
    sent = {**usual, "predicted_ranking": True, "completed_by": "chrF"}
    kind = "application/json"
    assert as_organiser.post(address, sent, content_type=kind).status_code == 202
    jobs_run_waiting()
    published = as_organiser.post(address, sent, content_type=kind).json()
    section = published["content"]["sections"]["predicted_ranking"]
    assert section["metric"] == "chrF"
    for refused in (
        {**sent, "completed_by": "BLEURT"},
        {**usual, "completed_by": "chrF"},
    ):
        answer = as_organiser.post(address, refused, content_type=kind)
        assert answer.status_code == 400
        assert "completed_by" in answer.json()["errors"]
    assert PublishedResult.objects.count() == 1


def test_form_offers_metrics_and_machine_judges_for_the_completed_ranking(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    metrics_store(judged)
    metric_store(
        name="MQM",
        test_set=judged.task.test_set,
        is_human=True,
        file_name="human.tsv",
        systems=["amber"],
        values=np.ones((8, 1)),
    )
    machine = machine_judges(judged.campaign, judged.task)
    of = [judged.campaign.slug, judged.task.pk]
    form = as_organiser.get(reverse("publish", args=of)).context["form"]
    assert form.fields["completed_by"].choices == [
        ("", "Default"),
        ("COMET", "COMET (metric)"),
        ("chrF", "chrF (metric)"),
        (str(machine), f"{machine} (machine judge)"),
    ]
    compute(judged.task, metric="COMET")
    compute(judged.task, metric="chrF")
    chosen = {"predicted_ranking": "on", "completed_by": "COMET"}
    preview = as_organiser.post(reverse("publish-confirm", args=of), chosen)
    section = preview.context["draft"].content["sections"]["predicted_ranking"]
    assert section["metric"] == "COMET"
    # The confirmation sends it again.
    assert 'name="completed_by" value="COMET"' in preview.content.decode()


def metrics_store(judged: TestSetWriter) -> None:
    """Store two metrics that also score four segments that nobody judged."""
    test_set = judged.task.test_set
    for number in range(9, 13):
        judged.block(number, ["amber", "birch", "cobalt", "dune"])
    systems = ["amber", "birch", "cobalt", "dune"]
    random = np.random.default_rng(2)
    for name, noise in (("COMET", 1), ("chrF", 3)):
        values = random.normal([4, 3, 2, 1], noise, (12, 4))
        metric_store(
            name=name,
            file_name=f"{name}.tsv",
            test_set=test_set,
            systems=systems,
            values=values,
        )
