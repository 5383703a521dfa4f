"""Organisers read judgments: a list that the address filters, and each with its texts."""

import re
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Judgment, ProblemReport, QualityAction
from annotation.services.numbers import judgments_number
from campaign.models import Output, Reference, Segment
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from tests.factories import make_campaign, make_organiser
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def writer() -> TestSetWriter:
    """Judgments 1 to 5: the third corrects the first, the fourth has a comment, the fifth a report and a tie."""
    writer = TestSetWriter(make_campaign("museum"), "news", ["A", "B", "C"])
    one, two = writer.block(1, ["A", "B"]), writer.block(2, ["C", "A,B"])
    first = writer.judgment("ada", one, [1, 2], active_ms=9_000)
    writer.judgment("ben", one, [2, 1], active_ms=1_500)
    writer.judgment("ada", one, [2, 1], supersedes=first)
    Judgment.objects.create(
        task=writer.task,
        client_id=uuid4(),
        judge=writer.judge("ben"),
        block=two,
        labels=[2, 1],
        comment="Odd <b>source</b>.",
        active_ms=20_000,
        duration_ms=25_000,
    )
    judgments_number(task_id=writer.task.pk)
    writer.judgment("cy", two, [3, 3])
    ProblemReport.objects.create(
        client_id=uuid4(),
        judge=writer.judge("cy"),
        block=two,
        task=writer.task,
        kind="source",
        comment="Cut off.",
    )
    documents_of(writer, 1)
    for number, text in ((1, " One  two\nthree. "), (2, "One two.")):
        Segment.objects.filter(number=number).update(source_text=text)
    experts = judge_group_create(campaign=writer.campaign, name="experts")
    judge_group_members_change(group=experts, add=[writer.judge("ben")])
    return writer


@pytest.fixture
def page(client: Client, writer: TestSetWriter) -> Client:
    client.force_login(make_organiser(writer.campaign))
    return client


def at(name: str, writer: TestSetWriter, *more: int) -> str:
    return reverse(name, args=[writer.campaign.slug, writer.task.pk, *more])


def listed(page: Client, writer: TestSetWriter, query: str) -> list[int]:
    html = page.get(f"{at('judgments', writer)}?{query}").content.decode()
    return [
        int(n)
        for n in re.findall(r'<th role="rowheader"[^>]*><a [^>]+>(\d+)</a>', html)
    ]


FILTERS = [
    ("", [5, 4, 3, 2, 1]),
    ("judge=ada", [3, 1]),
    ("judge=nobody", []),
    ("system=C", [5, 4]),
    ("system=B", [5, 4, 3, 2, 1]),
    ("segment=1", [3, 2, 1]),
    ("document=d98", [5, 4]),
    ("ties=yes", [5]),
    ("ties=no", [4, 3, 2, 1]),
    ("min_seconds=9", [4, 1]),
    ("max_seconds=1.5", [2]),
    ("min_seconds=2&max_seconds=10", [1]),
    ("comment=yes", [4]),
    ("comment=no&judge=ben", [2]),
    ("reported=yes", [5]),
    ("reported=no&system=C", [4]),
    # A and B stand for one candidate in the second block, and are not compared there.
    ("system=A&other=B", [3, 2, 1]),
    ("system=A&other=B&outcome=won", [1]),
    ("system=A&other=B&outcome=lost", [3, 2]),
    ("system=B&other=C", [5, 4]),
    ("system=B&other=C&outcome=won", [4]),
    ("system=C&other=B&outcome=lost", [4]),
    ("system=B&other=C&outcome=tied", [5]),
    ("system=A&other=nobody", []),
    ("system=A&outcome=won", [4, 1]),
    ("system=A&outcome=lost", [3, 2]),
    ("system=C&outcome=tied", [5]),
    ("counts=yes", [5, 4, 3, 2]),
    ("counts=no", [1]),
    ("system=A&other=B&outcome=won&counts=yes", []),
    ("day=2001-01-01", []),
    ("group=experts", [4, 2]),
    ("group=nobodies", []),
    ("domain=d", []),
    ("min_words=3", [3, 2, 1]),
    ("max_words=2", [5, 4]),
    ("min_words=3&max_words=3&judge=ada", [3, 1]),
]


def test_the_address_says_which_judgments(
    page: Client,
    writer: TestSetWriter,
    subtests: pytest.Subtests,
) -> None:
    for query, numbers in FILTERS:
        with subtests.test(query=query):
            assert listed(page, writer, query) == numbers
            assert listed(page, writer, f"{query}&sort=oldest") == numbers[::-1]
            address = f"/api/v1/tasks/{writer.task.pk}/judgments/?{query}"
            found: Any = page.get(address).json()["results"]
            assert [each["number"] for each in found] == numbers[::-1]


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["", "&sort=oldest"])
def test_judgments_of_a_day_are_found_among_many(
    page: Client,
    writer: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
    order: str,
) -> None:
    """The list begins near the day; what lies elsewhere is not looked through first."""
    monkeypatch.setattr("annotation.selectors.judgment_list.WINDOW", 4)
    monkeypatch.setattr("annotation.selectors.judgment_list._LOOKED_AT", 10)
    block = writer.block(3, ["A", "B"])
    for day in range(1, 31):
        at_noon = datetime(2030, 6, day, 23, 59, tzinfo=UTC)
        writer.judgment(f"judge{day}", block, [1, 2], at=at_noon)
    # Five of today are before them.
    assert listed(page, writer, f"day=2030-06-15{order}") == [20]
    assert listed(page, writer, f"day=2031-01-01{order}") == []


def test_judgments_of_excluded_judges_do_not_count(
    page: Client,
    writer: TestSetWriter,
) -> None:
    QualityAction.objects.create(
        judge=writer.judge("ben"),
        task=writer.task,
        action="exclude",
        created_by=writer.campaign.memberships.get().user,
    )
    assert listed(page, writer, "counts=yes") == [5, 3]
    assert listed(page, writer, "counts=no") == [4, 2, 1]


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["", "&sort=oldest"])
@pytest.mark.parametrize(
    ("query", "pages"),
    [("", 3), ("judge=ada", 1), ("ties=no", 2), ("ties=yes", 2)],
)
def test_pages_go_on_until_all_were_looked_through(
    page: Client,
    writer: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
    query: str,
    pages: int,
    order: str,
) -> None:
    everything = listed(page, writer, query + order)
    monkeypatch.setattr("annotation.selectors.judgment_list.ROWS", 2)
    monkeypatch.setattr("annotation.selectors.judgment_list.WINDOW", 3)
    found, address, seen = [], f"{query}{order}", 0
    while True:
        seen += 1
        found += listed(page, writer, address)
        html = page.get(f"{at('judgments', writer)}?{address}").content.decode()
        following = re.search(r'rel="next" href="\?([^"]+)"', html)
        if following is None:
            break
        address = following[1].replace("&amp;", "&")
    assert found == everything
    assert seen >= pages


def test_a_row_says_the_order_of_systems_the_time_and_what_is_of_note(
    page: Client,
    writer: TestSetWriter,
) -> None:
    html = page.get(at("judgments", writer)).content.decode()
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert "A, B &gt; C" in said
    assert "A, B &gt; C 20.0 s" in said
    assert "C = A, B" in said
    assert "Odd &lt;b&gt;source&lt;/b&gt;." in html
    assert "Problem reported" in said
    assert said.count("Revised later") == 1
    assert f'href="{at("judge-page", writer, writer.judge("ben").pk)}"' in html


@pytest.mark.thorough
def test_a_judgment_has_its_texts_in_the_order_in_which_they_were_shown(
    page: Client,
    writer: TestSetWriter,
) -> None:
    segment = Segment.objects.get(test_set_id=writer.task.test_set_id, number=2)
    Segment.objects.filter(pk=segment.pk).update(source_text="Dobrý den.")
    Reference.objects.create(segment=segment, number=1, text="Good day.")
    for name, text in (("A", "Hello."), ("B", "Hello."), ("C", "Good <i>day</i>.")):
        Output.objects.filter(segment=segment, system__name=name).update(text=text)
    html = page.get(at("judgment", writer, 4)).content.decode()
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert (
        "Source Dobrý den. Reference Good day. rank 2 C Good &lt;i&gt;day&lt;/i&gt;. rank 1 A , B Hello."
        in said
    )
    assert "20.0 s" in said
    assert "25.0 s elapsed" in said
    assert "Odd &lt;b&gt;source&lt;/b&gt;." in html
    assert "Cut off." not in said
    reported = page.get(at("judgment", writer, 5)).content.decode()
    assert "Cut off." in reported
    assert (
        f'href="{at("judgment", writer, 3)}"'
        in page.get(at("judgment", writer, 1)).content.decode()
    )
    assert (
        f'href="{at("judgment", writer, 1)}"'
        in page.get(at("judgment", writer, 3)).content.decode()
    )
    assert page.get(at("judgment", writer, 6)).status_code == 404
    assert page.get(at("judgment", writer, 2**40)).status_code == 404
