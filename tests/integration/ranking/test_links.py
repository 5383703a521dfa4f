"""Numbers and names lead to what is behind them: on organisers' pages, and nowhere else."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Output, Segment
from ranking.analyses import ANALYSES
from ranking.pages.addresses import Addresses
from ranking.pages.report_shown import shown_tables
from ranking.reports.stored import report_in
from ranking.reports.tables import Column, Report, Table
from ranking.reports.writing import ReportFormat, write
from ranking.services import ranking_run_compute
from ranking.services.analyses import (
    AnalysisRefusedError,
    analysis_ask,
    analysis_choice,
    analysis_compute,
)
from tests.benchmarks.answered_pages import QUICK
from tests.factories import make_analyst, make_judge
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db

#: Those of protocols are tried in tests/integration/protocols.
OF_COMPARISONS = [name for name, kind in ANALYSES.items() if kind.protocols is None]


def links_of(page: str) -> list[str]:
    main = page.partition("<main")[2]
    return [each.replace("&amp;", "&") for each in re.findall(r'href="(/(?!static/)[^"#]*)', main)]


@pytest.fixture
def told(varied: TestSetWriter) -> TestSetWriter:
    """Texts, documents and a ranking, too."""
    documents_of(varied, 3)
    for segment in Segment.objects.filter(test_set_id=varied.task.test_set_id):
        Segment.objects.filter(pk=segment.pk).update(source_text="word " * segment.number)
    ranking_run_compute(task_id=varied.task.pk)
    return varied


@pytest.mark.parametrize("kind", OF_COMPARISONS)
def test_whatever_an_answer_leads_to_is_there(
    kind: str, told: TestSetWriter, as_organiser: Client
) -> None:
    given = QUICK.get(kind, {})
    asked = analysis_ask(task=told.task, choice=analysis_choice(kind, given), is_queued=False)
    try:
        answer = analysis_compute(analysis=asked)
    except AnalysisRefusedError:
        pytest.fail("the small campaign is enough for every kind")
    address = reverse("analysis", args=[told.campaign.slug, told.task.pk, kind], query=given)
    page = as_organiser.get(address).content.decode()
    places = {each for each in links_of(page) if "/analyses/" not in each}
    for each in places:
        assert as_organiser.get(each).status_code == 200, each
    named = [
        column
        for table in report_in(answer.reports or {}, "en").tables
        for column in table.columns
        if column.names or column.counts
    ]
    # Where systems, judges, sentences or documents are named, they are links.
    assert bool(named) == bool([each for each in places if "/tasks/" in each])


def test_cells_lead_to_what_they_name_and_count(told: TestSetWriter) -> None:
    told.judge("j – 9")
    table = Table(
        name="t",
        title="T",
        columns=[
            Column("system", "System", is_text=True, names="system"),
            Column("other", "Other", is_text=True, names="other"),
            Column("won", "Won", counts="won"),
            Column("all", "All", counts="judgments"),
            Column("who", "Who", is_text=True, names="judges"),
            Column("segment", "Segment", names="segment"),
            Column("day", "Day", is_text=True, names="day"),
            Column("score", "Score"),
            Column("skipped", "Skipped", counts="skipped"),
        ],
        rows=[
            ("A", "B", 1234, 0, "j0 – j1", 3, "2026-01-02", 0.5, 7),
            ("gone", "B", 5, 6, "nobody – j1", 4, None, None, 0),
        ],
    )
    report = Report(tables=[table], data={})
    (shown,) = shown_tables(report, addresses=Addresses(told.task))
    first, second = ([row.head, *row.cells] for row in shown.rows)
    at = reverse("judgments", args=[told.campaign.slug, told.task.pk])
    assert str(first[2].markup) == (
        f'<a href="{at}?system=A&amp;other=B&amp;outcome=won&amp;counts=yes">1,234</a>'
    )
    # Nothing is behind a nought.
    assert (first[3].markup, first[7].markup) == ("0", "0.500")
    assert re.fullmatch(r'<a href="[^"]+">j0</a> – <a href="[^"]+">j1</a>', str(first[4].markup))
    assert str(first[5].markup).endswith('/segments/3/">3</a>')
    assert str(first[6].markup) == f'<a href="{at}?day=2026-01-02&amp;counts=yes">2026-01-02</a>'
    # Who is not there any more leads nowhere, and neither do their figures.
    assert [each.markup for each in second[:4]] == ["gone", second[1].markup, "5", "6"]
    assert "href" in str(second[1].markup)
    assert str(second[4].markup).startswith("nobody – <a")
    skips = reverse("skips", args=[told.campaign.slug, told.task.pk])
    assert (first[8].markup, second[8].markup) == (f'<a href="{skips}">7</a>', "0")
    (plain,) = shown_tables(report)
    assert not any("href" in str(cell.markup) for row in plain.rows for cell in row.cells)
    assert all("href" not in write(report, each) for each in ReportFormat)


def test_the_ranking_leads_to_systems_and_judgments(
    told: TestSetWriter, as_organiser: Client
) -> None:
    of = [told.campaign.slug, told.task.pk]
    page = as_organiser.get(reverse("test-set-dashboard", args=of)).content.decode()
    system = told.task.test_set.systems.get(name="A")
    places = links_of(page)
    assert reverse("system-results", args=[*of, system.pk]) in places
    assert f"{reverse('judgments', args=of)}?system=A&outcome=won&counts=yes" in places
    part = as_organiser.get(reverse("test-set-live", args=of)).content.decode()
    assert reverse("system-results", args=[*of, system.pk]) in part


def test_lengths_lead_to_the_judgments_of_such_sentences(told: TestSetWriter) -> None:
    table = Table(
        name="t",
        title="T",
        columns=[
            Column("words", "Words", is_text=True, names="words"),
            Column("comparable", "Comparable", counts="judgments"),
        ],
        rows=[("3–4", 12), ("30+", 1)],
    )
    (shown,) = shown_tables(Report(tables=[table], data={}), addresses=Addresses(told.task))
    at = reverse("judgments", args=[told.campaign.slug, told.task.pk])
    few, many = (
        f"{at}?min_words=3&amp;max_words=4&amp;counts=yes",
        f"{at}?min_words=30&amp;counts=yes",
    )
    assert str(shown.rows[0].head.markup) == f'<a href="{few}">3–4</a>'
    assert str(shown.rows[0].cells[0].markup) == f'<a href="{few}">12</a>'
    assert str(shown.rows[1].cells[0].markup) == f'<a href="{many}">1</a>'


def test_progress_and_judges_of_the_dashboard_lead_to_their_judgments_and_skips(
    told: TestSetWriter, as_organiser: Client
) -> None:
    told.judge("h & m")
    told.judgment("h & m", told.block(1, ["A", "B"]), [1, 2])
    told.skip("h & m", told.block(2, ["A", "B"]))
    ranking_run_compute(task_id=told.task.pk)
    of = [told.campaign.slug, told.task.pk]
    page = as_organiser.get(reverse("test-set-dashboard", args=of)).content.decode()
    judgments, skips, judges = (
        reverse(name, args=of) for name in ("judgments", "skips", "judge-quality")
    )
    expected = [
        (f"{judgments}?counts=yes", r"\d+ comparisons"),
        (f"{judgments}?counts=yes", r"\d+ blocks"),
        (judges, r"\d judges"),
        (judgments, r"\d+"),
        (f"{skips}?judged_later=no", "1"),
        (judges, r"\d"),
        (f"{judges}?sort=-seen", r"\d"),
        (f"{judgments}?judge=j1", r"\d+"),
        (f"{judgments}?judge=h+%26+m", "1"),
        (f"{skips}?judge=h+%26+m&amp;judged_later=no", "1"),
    ]
    for address, words in expected:
        assert re.search(f'<a href="{re.escape(address)}">{words}</a>', page), address
        found = as_organiser.get(address.replace("&amp;", "&"))
        assert found.status_code == 200, address
    # Who skipped nothing has nothing to lead to.
    assert f"{skips}?judge=j1" not in page


# --- The page of a segment ----------------------------------------------------------------------


@pytest.fixture
def segment(told: TestSetWriter) -> str:
    """Segment 20: two of three outputs are the same; a correction, a skip and a report."""
    block = told.block(20, ["A,B", "C"])
    Output.objects.filter(segment__number=20, system__name__in="AB").update(text="Gleich.")
    Output.objects.filter(segment__number=20, system__name="C").update(text="Anders.")
    first = told.judgment("j1", block, [2, 1])
    told.judgment("j1", block, [1, 2], supersedes=first)
    told.judgment("j2", block, [1, 3], active_ms=12_300)
    told.judgment("j3", block, [2, 2])
    told.skip("j4", block)
    problem_report_of(told, block)
    return reverse("segment", args=[told.campaign.slug, told.task.pk, 20])


def problem_report_of(writer: TestSetWriter, block: Any) -> None:
    from uuid import uuid4

    from annotation.models import ProblemReport

    ProblemReport.objects.create(
        client_id=uuid4(),
        judge=writer.judge("j5"),
        block=block,
        task=writer.task,
        kind="source",
        comment="Cut off.",
    )


def test_a_segment_has_its_outputs_in_the_order_of_its_judges(
    told: TestSetWriter, segment: str, as_organiser: Client
) -> None:
    page = as_organiser.get(segment).content.decode()
    # A correction replaces: three judgments count. A and B won two of two that were decided.
    assert "of 3 judgments that count" in page
    assert page.count("Gleich.") == 1
    assert page.index("Gleich.") < page.index("Anders.")
    assert "mean rank 1.3 · 2 won, 0 lost, 1 tied · 1.00" in re.sub(r"\s+", " ", page)
    assert page.count('<tr role="row">') == 1 + 4
    assert "corrected later" in page
    assert "12.3 s" in page
    assert "Another reason" in page
    assert "Cut off." in page
    for each in links_of(page):
        assert as_organiser.get(each).status_code == 200, each
    before = reverse("segment", args=[told.campaign.slug, told.task.pk, 12])
    assert f'rel="prev" href="{before}"' in page
    assert 'rel="next"' not in page


def test_a_segment_over_rest(told: TestSetWriter, segment: str, as_organiser: Client) -> None:
    del segment
    address = f"/api/v1/tasks/{told.task.pk}/segments/20/"
    found = as_organiser.get(address).json()
    assert (found["number"], found["counted"], found["skips"], found["problem_reports"]) == (
        20,
        3,
        1,
        1,
    )
    assert len(found["judgments"]) == 4
    assert found["outputs"][0] == {
        "text": "Gleich.",
        "systems": ["A", "B"],
        "judgments": 3,
        "mean_rank": pytest.approx(4 / 3),
        "won": 2,
        "lost": 0,
        "tied": 1,
        "expected_wins": 1.0,
    }
    assert as_organiser.get(address.replace("/20/", "/21/")).status_code == 404


def test_who_reads_segments(told: TestSetWriter, segment: str, organiser: Any) -> None:
    del organiser
    client = Client()
    client.force_login(make_analyst(told.campaign))
    assert client.get(segment).status_code == 200
    judge = make_judge(told.campaign, "someone")
    assert judge.user is not None
    client.force_login(judge.user)
    assert client.get(segment).status_code == 404
    missing = reverse("segment", args=[told.campaign.slug, told.task.pk, 99])
    assert client.get(missing).status_code == 404


def test_system_over_rest_is_that_of_the_page(told: TestSetWriter, as_organiser: Client) -> None:
    address = f"/api/v1/tasks/{told.task.pk}/analyses/"
    asked = as_organiser.post(
        address,
        {"kind": "system", "options": {"system": "A"}},
        content_type="application/json",
    )
    assert asked.status_code == 202
    analysis_compute(analysis=told.task.analyses.get())
    answer = as_organiser.get(asked.json()["address"]).json()["answer"]
    assert (answer["system"], answer["all"]["won"]) == ("A", 120)
    system = told.task.test_set.systems.get(name="A")
    page = as_organiser.get(
        reverse("system-results", args=[told.campaign.slug, told.task.pk, system.pk])
    ).content.decode()
    assert "144 comparisons: 120 won, 24 lost, 0 tied, from 72 blocks by 6 judges." in page
