"""The table of judges: sorted, filtered and paged by the address; and the page of a judge."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import WorkedQuarterHour
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Judge
from ranking.models import JudgeMeasures
from tests.factories import make_campaign, make_organiser
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db
NAMES = ("ada", "ben", "cy", "dee", "eve")


@pytest.fixture
def writer() -> TestSetWriter:
    """Five judges: each next one has judged a block more; dee disagrees, ben is paused, eve warned."""
    writer = TestSetWriter(make_campaign("museum"), "news", ["A", "B"])
    blocks = [writer.block(number, ["A", "B"]) for number in range(1, 6)]
    for most, name in enumerate(NAMES, start=1):
        for block in blocks[:most]:
            writer.judgment(name, block, [1, 2], is_numbered=False)
    writer.skip("ada", writer.block(9, ["A", "B"]))
    for name, p, kappa in (("dee", 0.01, 0.1), ("cy", 0.9, 0.5), ("ada", 1.0, -0.08)):
        measured = {
            "disagrees": {
                "value": p,
                "evidence": 5,
                "low": None,
                "high": None,
                "p_value": None,
            },
            "inter": {
                "value": kappa,
                "evidence": 5,
                "low": kappa - 0.1,
                "high": kappa + 0.1,
                "p_value": None,
            },
        }
        JudgeMeasures.objects.create(
            task=writer.task,
            judge=writer.judge(name),
            measures=measured,
        )
    organiser = make_organiser(writer.campaign)
    for name, action in (("ben", "pause"), ("eve", "warn")):
        quality_action_take(
            judge=writer.judge(name),
            task=writer.task,
            decision=JudgeDecision(action=action, user=organiser, note="Odd."),
        )
    return writer


@pytest.fixture
def page(client: Client, writer: TestSetWriter) -> Client:
    client.force_login(writer.campaign.memberships.get().user)
    return client


def table_of(writer: TestSetWriter) -> str:
    return reverse("judge-quality", args=[writer.campaign.slug, writer.task.pk])


def page_of(writer: TestSetWriter, name: str) -> str:
    task = writer.task
    return reverse(
        "judge-page",
        args=[writer.campaign.slug, task.pk, writer.judge(name).pk],
    )


def rows(page: Client, address: str) -> list[str]:
    html = page.get(address).content.decode()
    return re.findall(
        r'<th role="rowheader"[^>]*>.*?<a href="[^"]+"><bdi>(\w+)</bdi></a>',
        html,
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", "ben eve dee ada cy"),
        ("sort=name", "ada ben cy dee eve"),
        ("sort=-judged", "eve dee cy ben ada"),
        ("sort=judged", "ada ben cy dee eve"),
        ("sort=-skipped", "ada ben cy dee eve"),
        # Without κ at the end, whichever way.
        ("sort=agreement", "ada dee cy ben eve"),
        ("sort=-agreement", "cy dee ada ben eve"),
        ("sort=flags", "ben eve dee ada cy"),
        ("sort=nonsense&page=x", "ben eve dee ada cy"),
        ("name=E", "ben eve dee"),
        ("status=paused", "ben"),
        ("status=good&sort=name", "ada cy dee"),
        ("flagged=yes&sort=-name", "eve dee ben"),
        ("flagged=no&sort=name", "ada cy"),
        ("name=e&flagged=yes&status=warned", "eve"),
    ],
)
def test_the_address_says_which_judges_and_in_which_order(
    page: Client,
    writer: TestSetWriter,
    query: str,
    names: str,
) -> None:
    assert rows(page, f"{table_of(writer)}?{query}") == names.split()


def test_fifty_judges_are_a_page(page: Client, writer: TestSetWriter) -> None:
    block = writer.block(20, ["A", "B"])
    for number in range(47):
        writer.judgment(f"j{number:02}", block, [1, 2], is_numbered=False)
    writer.judgment("j47", block, [1, 2])
    first = rows(page, f"{table_of(writer)}?sort=name")
    assert len(first) == 50
    assert rows(page, f"{table_of(writer)}?sort=name&page=2") == ["j45", "j46", "j47"]
    assert (
        'href="?sort=name&amp;page=2"'
        in page.get(table_of(writer), {"sort": "name"}).content.decode()
    )


def test_the_page_of_a_judge_has_their_time_their_languages_and_what_was_decided(
    page: Client,
    writer: TestSetWriter,
) -> None:
    eve = writer.judge("eve")
    Judge.objects.filter(pk=eve.pk).update(languages=["cs"], note="Prefers mornings.")
    for hour, sentences in ((7, 3), (9, 5)):
        WorkedQuarterHour.objects.create(
            task=writer.task,
            judge=eve,
            start=datetime(2026, 5, 4, hour, tzinfo=UTC),
            sentences=sentences,
            active_ms=sentences * 60_000,
            untimed=0,
        )
    html = page.get(page_of(writer, "eve")).content.decode()
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert "5 blocks judged, 0 skipped" in said
    assert "May 4, 2026 8 0:08:00" in said
    assert 'aria-label="7:00 3, 9:00 5"' in html
    assert "Czech" in said
    assert "Prefers mornings." in said
    assert "Odd." in said
    assert 'value="reinstate"' in html
    assert 'value="reinstate"' not in page.get(page_of(writer, "cy")).content.decode()
