"""Pages of tables over the test sets of a campaign: every row, where it leads, the plot, and what a page costs."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign
from ranking.pages.formats import TableAddresses
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.tabled import told
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def places_of(
    client: Client,
    campaign: Campaign,
    kind: str,
    **given: Any,
) -> dict[str, list[str]]:
    """Where the cells of each row of a page lead, by the words of its first cell; all of these pages are there."""
    address = reverse("campaign-table", args=[campaign.slug, kind], query=given)
    found: dict[str, list[str]] = {}
    for row in re.findall(
        r"<tr[^>]*>(<th scope=\"row\">.*?)</tr>",
        text_in(client, address),
    ):
        name = re.sub("<[^>]+>", "", row.partition("</th>")[0])
        places = [
            each.replace("&amp;", "&") for each in re.findall(r'href="([^"]+)"', row)
        ]
        assert all(client.get(each).status_code == 200 for each in places)
        found.setdefault(name, []).extend(places)
    return found


def text_in(client: Client, address: str) -> str:
    page = client.get(address, headers={"HX-Request": "true"})
    assert page.status_code == 200
    return page.content.decode()


@pytest.mark.thorough
def test_rows_lead_to_their_tasks_and_to_the_judgments_they_count(
    three: list[TestSetWriter],
    write_test_set: WriteTestSet,
    campaign: Campaign,
    as_organiser: Client,
) -> None:
    told(campaign, "agreement")
    told(campaign, "agreement", skipped_blocks="count")
    told(campaign, "methods", methods=["expected_wins", "bojar"])
    of = {each.task.test_set.name: [campaign.slug, each.task.pk] for each in three}
    rankings = {name: reverse("test-set-dashboard", args=of[name]) for name in of}
    lists = {name: f"{reverse('judgments', args=of[name])}?counts=yes" for name in of}
    # One of a later judgment than the ranking counts, and one that is called otherwise by now.
    three[1].judgment("j1", three[1].block(5, ["A", "B", "C"]), [1, 2, 3])
    three[2].task.test_set.name = "third"
    three[2].task.test_set.save(update_fields=["name"])
    assert places_of(as_organiser, campaign, "collected") == {
        "one": [rankings["one"], lists["one"]],
        "two": [rankings["two"]],
        "third": [rankings["three"], lists["three"]],
        "Total": [],
    }
    assert len(as_organiser.get(lists["one"]).context["page"].rows) == 8
    computed = places_of(as_organiser, campaign, "agreement")
    # Below Table 1 stand two of intervals.
    assert {name: computed[name] for name in [*of, "Average"]} == {
        **{name: [rankings[name], lists[name], *[rankings[name]] * 2] for name in of},
        "Average": [],
    }
    skipped = places_of(as_organiser, campaign, "agreement", skipped_blocks="count")
    assert skipped["one"] == [rankings["one"]] * 3
    systems = places_of(as_organiser, campaign, "clusters")
    assert systems["D"] == [
        reverse(
            "system-results",
            args=[*of["three"], three[2].task.test_set.systems.get(name="D").pk],
        ),
    ]
    assert len(set(systems["A"])) == 3
    methods = places_of(
        as_organiser,
        campaign,
        "methods",
        methods=["expected_wins", "bojar"],
    )
    assert set(methods["three"]) == {rankings["three"]}
    # One that was deleted is on no list, and leads nowhere.
    there = [(each.task.pk, each.task.test_set.name) for each in three[:2]]
    addresses = TableAddresses(campaign, told(campaign, "collected"), there=there)
    assert addresses("one") is not None
    assert (addresses("third"), addresses("Total")) == (None, None)
