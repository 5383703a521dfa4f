"""The agreement of metrics with judges in a published result."""

from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from campaign.services.jobs import jobs_run_waiting
from ranking.models import PublishedResult
from ranking.reports.published import PublishedFile, published_report
from ranking.reports.writing import ReportFormat, write
from ranking.services.metrics import metric_store
from ranking.services.publishing.publish import published_draft
from tests.integration.machines.answering import machine_judges
from tests.integration.ranking.answered import answer
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_a_result_includes_the_table_of_metrics_unless_it_is_left_out(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    systems = ["amber", "birch", "cobalt", "dune"]
    values = np.random.default_rng(1).normal([4, 3, 2, 1], 1, (8, 4))
    given: dict[str, Any] = {"test_set": judged.task.test_set, "systems": systems, "values": values}
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
    draft = published_draft(task=judged.task, parts=["firmness"])
    assert "metrics" not in draft.content["sections"]
    again = as_organiser.post(confirm, sent)
    assert "without it" not in text_of(again).partition("Page preview")[0]
    as_organiser.post(confirm, {**sent, "act": "yes", "seen": again.context["draft"].seen})
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
