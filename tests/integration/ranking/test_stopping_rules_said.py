"""Where a stopping rule is set and said: the dashboard, answers, published results, page, REST and command."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ranking.reports.stored import report_in
from ranking.reports.wording.published_method import method_sentences
from ranking.selectors.runs import latest_run
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from ranking.services.published_results.content import (
    FrontMatter,
    PublishedVersion,
    published_content,
    published_facts,
)
from ranking.services.ranking_settings import stopping_rule_set
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.ruled import judged, ranked
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "given"),
    [("ranking", {"resamples": 100}), ("stopping", {"experiments": 40, "limit": 1000})],
)
def test_answers_with_a_ranking_say_how_far_the_rule_was(
    as_organiser: Client,
    writer: TestSetWriter,
    kind: str,
    given: dict[str, Any],
) -> None:
    said = "Stopping rule: Stop at 65 judgments. Set before the first judgment. Not met yet. 60 judgments counted."
    task = writer.task
    stopping_rule_set(task=task, judgments=65)
    judged(writer, range(1, 11))
    ranked(writer)
    choice = analysis_choice(kind, given)
    asked = analysis_ask(task=task, choice=choice, is_queued=False)
    # What comes later is no part of the answer, also where that is computed afterwards.
    judged(writer, range(11, 13))
    ranked(writer)
    found = analysis_compute(analysis=asked)
    assert found.data is not None
    assert found.data["stopping_rule"]["found"]["judgments"] == 60
    assert not found.data["stopping_rule"]["is_met"]
    assert said in report_in(found.reports or {}, "en").notes
    data, reports = analysis_reproduce(found)
    assert (json.loads(json.dumps(data)), json.loads(json.dumps(reports))) == (
        found.data,
        found.reports,
    )
    where = [writer.campaign.slug, task.pk]
    file = as_organiser.get(reverse("analysis-file", args=[*where, found.pk, "md"]))
    assert said in file.content.decode()
    rest = as_organiser.get(reverse("api-analysis", args=[task.pk, found.pk])).json()
    assert rest["answer"]["stopping_rule"]["rule"]["judgments"] == 65
    # Beside it the page says how far it is now.
    page = text_of(as_organiser.get(reverse("test-set-progress", args=where)))
    assert "First met on" in page
    # Without a rule nothing is said of one.
    stopping_rule_set(task=task, reason="It was a mistake.")
    later = analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )
    assert later.data is not None
    assert "stopping_rule" not in later.data
    assert "Stopping rule:" not in " ".join(report_in(later.reports or {}, "en").notes)


def published(writer: TestSetWriter) -> tuple[dict[str, Any], str]:
    run = latest_run(task_id=writer.task.pk)
    assert run is not None
    content = published_content(
        published_facts(task=writer.task, run=run),
        labels={"A": "System 1", "B": "B", "C": "C"},
        front_matter=FrontMatter(),
        version=PublishedVersion(number=1, published_at=timezone.now(), sections={}),
    )
    section: Any = content["sections"]["stopping_rule"]
    return section, " ".join(method_sentences(content))


def test_a_published_result_says_whether_its_rule_is_met(writer: TestSetWriter) -> None:
    stopping_rule_set(task=writer.task, judgments=60)
    judged(writer, range(1, 11))
    run = ranked(writer)
    judged(writer, range(11, 13))
    ranked(writer)
    section, said = published(writer)
    assert section["met"]["run"] == run.pk
    assert section["found"]["judgments"] == 72
    assert {row["system"] for row in section["anytime"]["systems"]} == {
        "System 1",
        "B",
        "C",
    }
    assert "Stopping rule: Stop at 60 judgments. Set before the first judgment." in said
    assert "with 60 judgments: 60 judgments" in said
    assert "12 more judgments since then." in said
    stopping_rule_set(task=writer.task, judgments=100, reason="More money.")
    ranked(writer)
    section, said = published(writer)
    assert [row["judgments"] for row in section["history"]] == [60, 100]
    assert "Stop at 60 judgments." in said
    assert "Set after 72 judgments. Reason: More money." in said


def test_the_page_sets_the_rule(as_organiser: Client, writer: TestSetWriter) -> None:
    page = reverse("stopping-rule", args=[writer.campaign.slug, writer.task.pk])
    sent = {"pairs": "90", "judgments": "3000", "until": "2999-12-12"}
    sent |= {"tests": "holm", "confidence": "95"}
    answer = as_organiser.post(page, sent, follow=True)
    assert (
        "Stop at 90% of pairs told apart (Holm, 95%), or 3,000 judgments, or Dec. 12, 2999, "
        "whichever comes first. Set before the first judgment." in text_of(answer)
    )
    assert "No changes." in text_of(as_organiser.post(page, sent, follow=True))
    judged(writer, range(1, 2))
    refused = as_organiser.post(page, {**sent, "judgments": "2000"})
    assert refused.status_code == 400
    assert "judging has started" in text_of(refused)
    as_organiser.post(page, {**sent, "judgments": "2000", "reason": "Less money."})
    shown = text_of(as_organiser.get(page))
    assert "after 6 judgments" in shown
    assert "Less money." in shown
    assert "Olga" in shown
