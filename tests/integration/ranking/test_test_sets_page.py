"""The test sets of a campaign as a table: sorted, filtered and paged."""

import re

import pytest
from django.db.models.functions import Now
from django.test import Client

from campaign.models import Campaign, Task
from tests.factories import make_campaign, make_organiser, make_task

PAGE = "/campaigns/museum/test-sets/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser(client: Client) -> Client:
    """Of a campaign of three test sets: the first of 7 segments, the second of 3, the third of 5 and closed."""
    campaign = make_campaign()
    for name, target, documents, systems in (
        ("News", "de", (4, 3), ("amber", "birch", "cobalt")),
        ("talks", "cs", (3,), ("amber", "birch")),
        ("Chats", "de", (5,), ("amber", "birch")),
    ):
        make_task(
            campaign,
            name=name,
            target_language=target,
            documents=documents,
            systems=systems,
            planned=0,
        )
    Task.objects.filter(test_set__name="Chats").update(closed_at=Now(), blocks_wanted=20)
    client.force_login(make_organiser(campaign))
    return client


def rows_of(page: str) -> list[list[str]]:
    body = page.partition("<tbody")[2].partition("</tbody>")[0]
    lines = re.findall(r'<tr role="row">(.*?)</tr>', body, re.DOTALL)
    cells = (re.findall(r"<t[hd].*?>(.*?)</t[hd]>", line, re.DOTALL) for line in lines)
    return [[re.sub(r"<[^>]+>", "", cell) for cell in line] for line in cells]


def test_each_row_says_what_a_task_consists_of(organiser: Client) -> None:
    rows = rows_of(organiser.get(PAGE).content.decode())
    # The reference is ranked like a system.
    assert [row[:8] for row in rows] == [
        ["News", "English → German", "7", "2", "4", "uniform", "0", "–"],
        ["talks", "English → Czech", "3", "1", "3", "uniform", "0", "–"],
        ["Chats", "English → German", "5", "1", "3", "uniform", "0", "20"],
    ]
    assert [row[8].startswith("closed on ") for row in rows] == [False, False, True]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("sort=name", ["Chats", "News", "talks"]),
        ("sort=-segments", ["News", "Chats", "talks"]),
        ("sort=documents", ["talks", "Chats", "News"]),
        ("sort=-systems", ["News", "talks", "Chats"]),
        ("sort=-wanted", ["Chats", "News", "talks"]),
        ("sort=state", ["Chats", "News", "talks"]),
        ("name=S", ["News", "talks", "Chats"]),
        ("name=alk", ["talks"]),
        ("language=de", ["News", "Chats"]),
        ("language=cs", ["talks"]),
        ("language=de&sort=name", ["Chats", "News"]),
        ("name=nothing", []),
    ],
)
def test_it_is_sorted_and_filtered(organiser: Client, asked: str, names: list[str]) -> None:
    page = organiser.get(f"{PAGE}?{asked}").content.decode()
    assert [row[0] for row in rows_of(page)] == names
    assert ("No test set is like this." in page) is (not names)


def test_languages_are_those_of_the_campaign(organiser: Client) -> None:
    other = make_campaign("other")
    make_task(other, name="elsewhere", target_language="fr", planned=0)
    page = organiser.get(PAGE).content.decode()
    assert re.findall(r'<option value="(\w+)"', page) == ["cs", "de", "en"]
    assert organiser.get(f"{PAGE}?language=fr").status_code == 400


def test_many_have_pages(organiser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaign.pages.tables.ROWS", 2)
    page = organiser.get(f"{PAGE}?page=2").content.decode()
    assert [row[0] for row in rows_of(page)] == ["Chats"]
    assert "3 to 3 of 3" in page


def test_a_campaign_without_says_so(client: Client) -> None:
    empty: Campaign = make_campaign("empty")
    client.force_login(make_organiser(empty))
    page = client.get("/campaigns/empty/test-sets/").content.decode()
    assert "No test set yet." in page
