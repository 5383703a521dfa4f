"""A page reads an answer in one language, and says what the whole answer says in it."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ranking.models import Analysis
from ranking.reports.stored import report_in
from ranking.selectors.analyses import answer_for_people, answered
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def analysis(judged: TestSetWriter) -> Analysis:
    choice = analysis_choice("judges", {"resamples": 100})
    asked = analysis_ask(task=judged.task, choice=choice, is_queued=False)
    return analysis_compute(analysis=asked)


def test_an_answer_in_a_language_is_that_of_the_whole_answer(judged: TestSetWriter) -> None:
    # Names and figures alone, so that rows in Chinese are those in English.
    choice = analysis_choice("ranking", {"resamples": 100})
    asked = analysis_ask(task=judged.task, choice=choice, is_queued=False)
    analysis = analysis_compute(analysis=asked)
    assert analysis.reports is not None
    kept_with_english = [
        language
        for language, said in analysis.reports.items()
        if any(table["rows"] == "en" for table in said["tables"])
    ]
    assert kept_with_english
    shown_in = {language: language for language in analysis.reports}
    for language, shown in {**shown_in, "de-at": "de", "tlh": "en"}.items():
        with CaptureQueriesContext(connection) as queries:
            said = answer_for_people(analysis=analysis, language=language)
        expected = report_in(analysis.reports, language)
        assert (said.notes, said.tables) == (expected.notes, expected.tables), language
        assert len(queries) == 1 + (shown in kept_with_english), language


def test_an_answer_in_none_of_the_languages_is_shown_in_what_there_is(analysis: Analysis) -> None:
    assert analysis.reports is not None
    report = analysis.reports["en"]
    Analysis.objects.update(reports={"fr": {**report, "notes": ["Bonjour"]}})
    analysis.refresh_from_db()
    assert list(answer_for_people(analysis=analysis, language="de").notes) == ["Bonjour"]


def test_a_page_reads_neither_other_languages_nor_the_whole_answer(
    analysis: Analysis, as_organiser: Client
) -> None:
    task = analysis.task
    address = reverse("analysis", args=[task.test_set.campaign.slug, task.pk, "judges"])
    with CaptureQueriesContext(connection) as queries:
        page = as_organiser.get(address, {"resamples": 100})
    assert b"table-judges" in page.content
    words = [query["sql"] for query in queries]
    # A column that is read as it is, not by a key.
    whole = [
        re.findall(r'"(data|reports)"(?=,| FROM| AS)', each.partition(" FROM ")[0] + " FROM")
        for each in words
    ]
    assert [name for names in whole for name in names] == []
    found = answered(task=task, choice_digest=analysis.choice_digest)
    assert found.shown is not None
    assert found.shown.get_deferred_fields() == {"data", "reports"}
