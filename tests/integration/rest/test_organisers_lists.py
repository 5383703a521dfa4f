"""What organisers read on the pages of texts, time and overview, and change of a test set, over REST."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotation.selectors import time_sheet
from campaign.models import Campaign, Judge, Task, User
from tests.factories import make_judge
from tests.unchanged import nothing_changes

Judged = Callable[[Judge, int], None]


@pytest.fixture
def organiser(
    campaign: Campaign, make_member: Callable[..., User], client_of: Callable[[User], Client]
) -> Client:
    return client_of(make_member(campaign, "organiser"))


def test_texts_come_by_number_with_what_each_system_wrote(organiser: Client, task: Task) -> None:
    address = f"/api/v1/tasks/{task.pk}/segments/"
    page = organiser.get(f"{address}?page_size=2").json()
    assert [row["number"] for row in page["results"]] == [1, 2]
    following = organiser.get(page["next"]).json()["results"]
    assert following[0]["number"] == 3
    segment = task.test_set.segments.get(number=1)
    row = page["results"][0]
    assert row["source"] == segment.source_text
    assert row["document"] == segment.document.name
    assert row["references"] == [each.text for each in segment.references.order_by("number")]
    assert row["outputs"] == dict(segment.outputs.values_list("system__name", "text"))


def test_time_is_that_of_the_time_sheet(
    organiser: Client, campaign: Campaign, judge: Judge, judge_hits: Judged
) -> None:
    judge_hits(judge, 2)
    answer = organiser.get(f"/api/v1/campaigns/{campaign.slug}/time/").json()
    (row,), (sheet,) = answer["results"], time_sheet(campaign=campaign)
    assert row["judge"] == judge.pseudonym
    assert row["total"]["sentences"] == sheet.total.sentences == 6
    assert row["total"]["active_seconds"] == sheet.total.active_seconds > 0
    assert [day["day"] for day in row["days"]] == [day.isoformat() for day in sheet.days]
    nobody = organiser.get(f"/api/v1/campaigns/{campaign.slug}/time/?last=2020-01-01").json()
    assert nobody["results"] == []


def test_time_comes_in_pages_by_pseudonym(
    organiser: Client, campaign: Campaign, judge: Judge, judge_hits: Judged
) -> None:
    others = [make_judge(campaign, name) for name in ("zoe", "abel")]
    for each in (*others, judge):
        judge_hits(each, 1)
    address = f"/api/v1/campaigns/{campaign.slug}/time/"
    found, follow = [], f"{address}?page_size=2"
    while follow:
        page = organiser.get(follow).json()
        assert page["time_zone"]
        assert len(page["results"]) <= 2
        found += [row["judge"] for row in page["results"]]
        follow = page["next"]
    assert found == sorted(["zoe", "abel", judge.pseudonym])
    assert organiser.get(f"{address}?cursor=nonsense").status_code == 404


@pytest.mark.parametrize("days", ["first=2026-13-01", "first=2026-02-02&last=2026-02-01"])
def test_days_that_are_none_are_refused(organiser: Client, campaign: Campaign, days: str) -> None:
    answer = organiser.get(f"/api/v1/campaigns/{campaign.slug}/time/?{days}")
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) & {"first", "last"}


def test_the_overview_counts_what_was_judged(
    organiser: Client, campaign: Campaign, task: Task, judge: Judge, judge_hits: Judged
) -> None:
    judge_hits(judge, 2)
    # Whoever reads judgments gives them their numbers, by which they are counted.
    organiser.get(f"/api/v1/tasks/{task.pk}/judgments/")
    (row,) = organiser.get(f"/api/v1/campaigns/{campaign.slug}/overview/").json()["results"]
    assert (row["id"], row["judged"], row["at_work"]) == (task.pk, 4, 1)
    assert [day["judged"] for day in row["days"]] == [0] * 13 + [4]
    assert row["end"] is None


def test_a_task_is_changed_as_on_its_page(organiser: Client, task: Task) -> None:
    address = f"/api/v1/tasks/{task.pk}/"
    sent = {"blocks_wanted": 90, "expertise": ["law"], "target_language": "PT_br"}
    answer = organiser.patch(address, sent, content_type="application/json")
    assert answer.status_code == 200
    task.refresh_from_db()
    assert (task.blocks_wanted, task.test_set.expertise) == (90, ["law"])
    assert answer.json()["target_language"] == task.test_set.target_language == "pt-BR"


@pytest.mark.parametrize(
    "sent",
    [
        {"blocks_wanted": 0},
        {"blocks_per_segment": -3},
        {"blocks_wanted": 2**31},
        {"blocks_wanted": "many"},
        {"target_language": "klingon"},
        {"source_language": "de", "target_language": "de"},
    ],
)
def test_what_no_task_can_ask_for_is_refused(
    organiser: Client, task: Task, sent: dict[str, object]
) -> None:
    with nothing_changes():
        answer = organiser.patch(f"/api/v1/tasks/{task.pk}/", sent, content_type="application/json")
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) <= {*sent}


def test_a_judged_task_keeps_its_languages(
    organiser: Client, task: Task, judge: Judge, judge_hits: Judged
) -> None:
    judge_hits(judge, 1)
    answer = organiser.patch(
        f"/api/v1/tasks/{task.pk}/",
        {"target_language": "fr"},
        content_type="application/json",
    )
    assert answer.status_code == 400
    assert "its languages stay" in answer.json()["errors"]["source_language"][0]
