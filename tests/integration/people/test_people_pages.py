"""The pages of a campaign's judges: the list, adding by a list, one judge, and groups."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.services.lending.lend import assignment_lend
from campaign.models import GroupMember, Invitation, Task
from campaign.services.judge_groups import (
    judge_group_create,
)
from campaign.services.judges import (
    judge_link_create,
)
from tests.factories import make_campaign, make_judge, make_organiser
from tests.page_tables import page_tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(task: Task) -> Client:
    client = Client()
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def page(name: str, task: Task, *more: int) -> str:
    return reverse(name, args=[task.test_set.campaign.slug, *more])


def test_list_leaves_out_columns_without_a_value(client: Client, task: Task) -> None:
    judge = make_judge(task.test_set.campaign, "judge-a")
    optional = {"Expertise", "Groups", "Conflicts of interest"}
    address = page("campaign-judges", task)
    (table,) = page_tables(client.get(address).content.decode())
    assert not optional & set(table.headings)
    judge.expertise = ["law"]
    judge.save()
    (table,) = page_tables(client.get(address).content.decode())
    assert optional & set(table.headings) == {"Expertise"}


@pytest.mark.thorough
def test_judges_are_listed_filtered_and_put_into_groups(
    client: Client,
    task: Task,
) -> None:
    campaign = task.test_set.campaign
    judges = [make_judge(campaign, f"judge-{each}") for each in "abc"]
    stranger = make_judge(make_campaign("elsewhere"), "stranger")
    group = judge_group_create(campaign=campaign, name="experts")
    address = page("campaign-judges", task)
    body = client.get(address).content.decode()
    assert [name in body for name in ("judge-a", "judge-b", "judge-c", "stranger")] == [
        *[True] * 3,
        False,
    ]
    ticked = {
        "judge": [judges[0].pk, stranger.pk, "x"],
        "group": group.pk,
        "who": "ticked",
    }
    assert client.post(address, {**ticked, "act": "add"}).status_code == 302
    assert [member.judge for member in GroupMember.objects.all()] == judges[:1]
    found = client.get(address, {"group": "Experts"}).content.decode()
    assert "judge-a" in found
    assert "judge-b" not in found
    client.post(
        f"{address}?name=judge-",
        {"group": group.pk, "who": "found", "act": "add"},
    )
    assert GroupMember.objects.count() == 3
    client.post(
        f"{address}?name=judge-b",
        {"group": group.pk, "who": "found", "act": "remove"},
    )
    assert {member.judge.pseudonym for member in GroupMember.objects.all()} == {
        "judge-a",
        "judge-c",
    }
    elsewhere = judge_group_create(campaign=stranger.campaign, name="experts")
    assert (
        client.post(
            address,
            {"group": elsewhere.pk, "who": "found", "act": "add"},
        ).status_code
        == 400
    )
    for query in (
        "sort=-seen",
        "sort=address",
        "state=expected",
        "language=de",
        "page=9",
    ):
        assert client.get(f"{address}?{query}").status_code == 200
    assert client.get(f"{address}?state=no").status_code == 400


@pytest.mark.thorough
def test_changing_a_judge_previews_its_effects(client: Client, task: Task) -> None:
    judge = make_judge(task.test_set.campaign)
    group = judge_group_create(campaign=task.test_set.campaign, name="experts")
    lent = assignment_lend(judge=judge)
    assert lent is not None
    address = page("campaign-judge", task, judge.pk)
    assert client.get(address).status_code == 200
    harmless = {
        "address": "ada@example.org",
        "expertise": "Law,  art ",
        "groups": [group.pk],
    }
    assert client.post(address, harmless).status_code == 302
    judge.refresh_from_db()
    assert (judge.address, judge.expertise) == ("ada@example.org", ["art", "law"])
    assert judge.group_members.get().group == group
    system = lent.assignment.hit.system_ids[0]
    asked = client.post(address, {**harmless, "conflicts": [system]})
    assert "go to other judges" in asked.content.decode()
    assert not judge.conflicts.exists()
    assert (
        client.post(
            address,
            {**harmless, "conflicts": [system], "act": "yes"},
        ).status_code
        == 302
    )
    assert judge.conflicts.get().system_id == system
    assert client.post(address, {**harmless, "act": "yes"}).status_code == 302
    assert not judge.conflicts.exists()
    other = make_judge(task.test_set.campaign, "other")
    taken = client.post(
        page("campaign-judge", task, other.pk),
        {"address": "ADA@example.org"},
    )
    assert taken.status_code == 400
    elsewhere = make_judge(make_campaign("elsewhere"))
    assert client.get(page("campaign-judge", task, elsewhere.pk)).status_code == 404


def test_a_new_link_ends_the_old_ones_and_says_so_first(
    client: Client,
    task: Task,
) -> None:
    judge = make_judge(task.test_set.campaign)
    old, _token = judge_link_create(judge=judge)
    address = page("campaign-judge-link", task, judge.pk)
    asked = client.post(address)
    assert "1 link" in asked.content.decode()
    old.refresh_from_db()
    assert old.revoked_at is None
    made = client.post(address, {"act": "yes"})
    assert made.status_code == 201
    assert Client().get(made.context["new_link"]).status_code == 200
    assert not Invitation.objects.valid().filter(pk=old.pk).exists()
    assert Invitation.objects.valid().count() == 1
