"""Every page of organisers stands in one room of the house plan, and the way back keeps the test set."""

import re

import pytest
from django.test import Client

from campaign.models import Campaign, Protocol, Task
from campaign.pages.task_seen import MOST
from tests.factories import make_campaign, make_organiser, make_task
from tests.filled_world import FilledWorld, filled_world
from tests.filling import Filling
from tests.permissions.addresses import ADDRESSES

pytestmark = pytest.mark.usefixtures("as_owner", "db")

PAGES = [
    route
    for route, roles in ADDRESSES.items()
    if route.startswith("campaigns/<slug:slug>/")
    and roles["organiser"] == 200
    # A part of a page, and files.
    and not route.endswith(
        ("live/", "progress/", ".csv", ".jsonl", ".yaml", ".zip", ".<slug:ending>")
    )
    and not route.endswith("/exports/<int:export_id>/")
    # What judges see.
    and "/as-judge/" not in route
]
TABS = [
    "Overview",
    "Test sets",
    "Tables",
    "People",
    "Instructions",
    "Quality",
    "Settings",
    "Activity",
]


def bars(page: str) -> list[tuple[list[str], list[str]]]:
    """Return of each bar its words, and those of what is marked as current."""
    found = []
    for _kind, bar in re.findall(r'<(nav|div) class="tabs[^>]*>(.*?)</\1>', page, re.DOTALL):
        links = re.findall(r"<a ([^>]+)>(.*?)</a>", bar, re.DOTALL)
        words = [re.sub(r"[ \d]+$", "", re.sub(r"<[^>]+>", "", each)) for _at, each in links]
        marked = [
            word
            for word, (attributes, _each) in zip(words, links, strict=True)
            if "aria-current" in attributes
        ]
        found.append((words, marked))
    return found


@pytest.fixture
def filled() -> FilledWorld:
    return filled_world("museum", Filling(blocks=120, judges=4, segments=240))


def test_every_page_is_in_one_room(filled: FilledWorld, client: Client) -> None:
    client.force_login(filled.users["organiser"])
    quiz = Task.objects.create(test_set=filled.task.test_set, protocol=Protocol.QUIZ)
    assert len(PAGES) > 15
    for route in PAGES:
        # Snippets are of quizzes alone.
        of_quiz = route.replace("<int:task_id>", str(quiz.pk))
        response = client.get(filled.address(of_quiz if "/snippets/" in route else route))
        assert response.status_code == 200, route
        first, *below = bars(response.content.decode())
        assert first[0] == TABS, route
        assert len(first[1]) == 1, route
        assert len(below) <= 1, route
        for _words, marked in below:
            assert len(marked) == 1, route


def crumbs(page: str) -> list[str]:
    found = re.search(r'<nav class="crumbs".*?</nav>', page, re.DOTALL)
    assert found is not None
    return re.findall(r'href="([^"]+)"', found[0])


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    for name in ("first", "second"):
        make_task(campaign, name=name, planned=0)
    return campaign


def test_the_way_back_keeps_the_task(campaign: Campaign, client: Client) -> None:
    client.force_login(make_organiser(campaign))
    settings = "/campaigns/museum/settings/"
    assert crumbs(client.get(settings).content.decode()) == ["/campaigns/", "/campaigns/museum/"]
    _first, second = Task.objects.of(campaign).order_by("pk")
    own = f"/campaigns/museum/tasks/{second.pk}/"
    client.get(f"{own}judges/")
    page = client.get(settings).content.decode()
    assert crumbs(page) == ["/campaigns/", "/campaigns/museum/", own]
    rules = client.get("/campaigns/museum/rules/").content.decode()
    assert f'href="{own}training/"' in rules
    second.delete()
    assert crumbs(client.get(settings).content.decode()) == ["/campaigns/", "/campaigns/museum/"]


def test_it_is_kept_for_some_campaigns_only(campaign: Campaign, client: Client) -> None:
    user = make_organiser(campaign)
    client.force_login(user)
    first = Task.objects.of(campaign).earliest("pk")
    client.get(f"/campaigns/museum/tasks/{first.pk}/hits/")
    for number in range(MOST):
        other = make_campaign(f"other-{number}")
        other.memberships.create(user=user, role="owner")
        seen = make_task(other, planned=0, documents=(1,))
        client.get(f"/campaigns/{other.slug}/tasks/{seen.pk}/hits/")
    assert len(crumbs(client.get("/campaigns/museum/settings/").content.decode())) == 2
    assert len(crumbs(client.get(f"/campaigns/{other.slug}/settings/").content.decode())) == 3
