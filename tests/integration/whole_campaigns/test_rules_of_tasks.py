"""What a protocol leaves to choose in a task: the same by page, REST, command and file."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.formats import FormatError
from campaign.models import ActivityEvent, Protocol, Task
from campaign.services.campaigns import task_create
from campaign.services.judges import task_choose
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from whole_campaigns.campaign_file.applying import campaign_file_apply

pytestmark = pytest.mark.django_db
TWO = Protocol.TWO_OUTPUTS
FOUR = {"question": "", "four_answers": True}
BEGUN = "judging has started"

#: Asks for four answers, or others, and returns what was refused: its place and its words.
Way = Callable[[Client, Task, dict[str, Any]], str]


@pytest.fixture
def ranking(client: Client) -> Task:
    ranking = make_task(make_campaign(), documents=(4,), planned=2)
    client.force_login(make_organiser(ranking.test_set.campaign))
    return ranking


@pytest.fixture
def task(ranking: Task) -> Task:
    return task_create(test_set=ranking.test_set, protocol=TWO, by=None)


def begin(task: Task) -> None:
    design_ensure(task=task)
    hits_plan(task_id=task.pk, count=2)
    judge = make_judge(task.test_set.campaign)
    task_choose(judge=judge, task=task)
    assert lend(judge).hit.task == task


def rules_of(task: Task) -> dict[str, Any]:
    rules: dict[str, Any] = Task.objects.get(pk=task.pk).rules
    return rules


def by_rest(client: Client, task: Task, rules: dict[str, Any]) -> str:
    address = reverse("api-task", args=[task.pk])
    answer = client.patch(
        address,
        json.dumps({"rules": rules}),
        content_type="application/json",
    )
    if answer.status_code == 200:
        return ""
    assert answer.status_code == 400
    return f"rules: {answer.json()['errors']['rules']}"


def by_file(_client: Client, task: Task, rules: dict[str, Any]) -> str:
    asked = {"protocol": task.protocol, "rules": rules}
    test_sets = [{"name": task.test_set.name, "tasks": [asked]}]
    said = {"slug": "museum", "name": "Museum", "test_sets": test_sets}
    try:
        campaign_file_apply(name="c.yaml", content=json.dumps(said).encode(), by=None)
    except FormatError as error:
        return str(error)
    return ""


WAYS = pytest.mark.parametrize("way", [by_rest, by_file])


class TestChanging:
    @pytest.mark.thorough
    @WAYS
    def test_page_and_rest_give_the_same_row_and_event(
        self,
        client: Client,
        task: Task,
        way: Way,
    ) -> None:
        assert way(client, task, FOUR) == ""
        assert rules_of(task) == FOUR
        events = ActivityEvent.objects.filter(kind="campaign.task", object_id=task.pk)
        count = events.count()
        assert events.latest("pk").changes["rules"] == [{}, FOUR]
        # The same again writes nothing.
        assert way(client, task, FOUR) == ""
        assert events.count() == count
        assert way(client, task, {"four_answers": False}) == ""
        assert rules_of(task) == {**FOUR, "four_answers": False}

    @WAYS
    def test_omitted_fields_stay_unchanged(
        self,
        client: Client,
        task: Task,
        way: Way,
    ) -> None:
        by_rest(client, task, FOUR)
        assert way(client, task, {}) == ""
        assert rules_of(task) == FOUR

    @WAYS
    def test_choice_is_refused_once_lent_unless_unchanged(
        self,
        client: Client,
        task: Task,
        way: Way,
    ) -> None:
        begin(task)
        assert BEGUN in way(client, task, FOUR)
        assert rules_of(task) == {}
        assert way(client, task, {"four_answers": False}) == ""

    @WAYS
    def test_an_unknown_rule_and_a_wrong_value_are_refused_at_their_place(
        self,
        client: Client,
        task: Task,
        way: Way,
    ) -> None:
        unknown = way(client, task, {"five_answers": True})
        assert "Unknown rule: five_answers" in unknown
        wrong = way(client, task, {"four_answers": "often"})
        assert "four_answers must be true or false" in wrong
        if way is by_file:
            assert "test_sets.museum en-de.tasks.two_outputs.rules" in unknown
            assert "test_sets.museum en-de.tasks.two_outputs.rules" in wrong
        assert rules_of(task) == {}
