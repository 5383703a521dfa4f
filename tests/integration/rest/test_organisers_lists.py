"""What organisers read on the pages of texts, time and overview, and change of a test set, over REST."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotation.selectors.work_time import time_sheet
from campaign.models import Campaign, Judge, Task, User

Judged = Callable[[Judge, int], None]


@pytest.fixture
def organiser(
    campaign: Campaign,
    make_member: Callable[..., User],
    client_of: Callable[[User], Client],
) -> Client:
    return client_of(make_member(campaign, "organiser"))


def test_texts_come_by_number_with_what_each_system_wrote(
    organiser: Client,
    task: Task,
) -> None:
    address = f"/api/v1/tasks/{task.pk}/segments/"
    page = organiser.get(f"{address}?page_size=2").json()
    assert [row["number"] for row in page["results"]] == [1, 2]
    following = organiser.get(page["next"]).json()["results"]
    assert following[0]["number"] == 3
    segment = task.test_set.segments.get(number=1)
    row = page["results"][0]
    assert row["source"] == segment.source_text
    assert row["document"] == segment.document.name
    assert row["references"] == [
        each.text for each in segment.references.order_by("number")
    ]
    assert row["outputs"] == dict(segment.outputs.values_list("system__name", "text"))


def test_time_is_that_of_the_time_sheet(
    organiser: Client,
    campaign: Campaign,
    judge: Judge,
    judge_hits: Judged,
) -> None:
    judge_hits(judge, 2)
    answer = organiser.get(f"/api/v1/campaigns/{campaign.slug}/time/").json()
    (row,), (sheet,) = answer["results"], time_sheet(campaign=campaign)
    assert row["judge"] == judge.pseudonym
    assert row["total"]["sentences"] == sheet.total.sentences == 6
    assert row["total"]["active_seconds"] == sheet.total.active_seconds > 0
    assert [day["day"] for day in row["days"]] == [
        day.isoformat() for day in sheet.days
    ]
    nobody = organiser.get(
        f"/api/v1/campaigns/{campaign.slug}/time/?last=2020-01-01",
    ).json()
    assert nobody["results"] == []


@pytest.mark.thorough
def test_the_overview_counts_what_was_judged(
    organiser: Client,
    campaign: Campaign,
    task: Task,
    judge: Judge,
    judge_hits: Judged,
) -> None:
    judge_hits(judge, 2)
    # Whoever reads judgments gives them their numbers, by which they are counted.
    organiser.get(f"/api/v1/tasks/{task.pk}/judgments/")
    (row,) = organiser.get(f"/api/v1/campaigns/{campaign.slug}/overview/").json()[
        "results"
    ]
    assert (row["id"], row["judged"], row["at_work"]) == (task.pk, 4, 1)
    assert [day["judged"] for day in row["days"]] == [0] * 13 + [4]
    assert row["end"] is None
