"""What a protocol leaves to choose in a task: the same by page, REST, command and file."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.services import design_ensure, hits_plan
from campaign.formats import FormatError
from campaign.models import ActivityEvent, Protocol, Task, User
from campaign.services import task_choose, task_create
from cells.campaign_file.applying import campaign_file_apply
from cells.campaign_file.writing import campaign_file
from cells.cloning import campaign_clone
from tests.at_work import lend
from tests.factories import make_analyst, make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db
TWO = Protocol.TWO_OUTPUTS
FOUR = {"four_answers": True}
BEGUN = "Judges have begun with this task"
LABEL = "“both fine” and “both wrong” instead of “the same”"

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


def by_page(client: Client, task: Task, rules: dict[str, Any]) -> str:
    ticked = {f"{TWO}_{name}": "on" for name, value in rules.items() if value}
    address = reverse("test-set-settings", args=[task.test_set.campaign.slug, task.pk])
    page = client.post(address, {"blocks_wanted": "", **LANGUAGES, **ticked})
    return "" if page.status_code == 302 else page.content.decode()


def by_rest(client: Client, task: Task, rules: dict[str, Any]) -> str:
    address = reverse("api-task", args=[task.pk])
    answer = client.patch(address, json.dumps({"rules": rules}), content_type="application/json")
    if answer.status_code == 200:
        return ""
    assert answer.status_code == 400
    return f"rules: {answer.json()['errors']['rules']}"


def by_command(_client: Client, task: Task, rules: dict[str, Any]) -> str:
    named = [f"--rule={name}={json.dumps(value)}" for name, value in rules.items()]
    where = ["--campaign=museum", "--test-set", task.test_set.name, f"--protocol={task.protocol}"]
    try:
        call_command("change_test_set", *where, *named, stdout=StringIO())
    except CommandError as error:
        return str(error)
    return ""


def by_file(_client: Client, task: Task, rules: dict[str, Any]) -> str:
    asked = {"protocol": task.protocol, "rules": rules}
    test_sets = [{"name": task.test_set.name, "tasks": [asked]}]
    said = {"slug": "museum", "name": "Museum", "test_sets": test_sets}
    try:
        campaign_file_apply(name="c.yaml", content=json.dumps(said).encode(), by=None)
    except FormatError as error:
        return str(error)
    return ""


LANGUAGES = {"source_language": "en", "target_language": "de"}
WAYS = pytest.mark.parametrize("way", [by_page, by_rest, by_command, by_file])
NAMING_WAYS = pytest.mark.parametrize("way", [by_rest, by_command, by_file])


class TestChanging:
    @WAYS
    def test_each_way_gives_the_same_row_and_event(
        self, client: Client, task: Task, way: Way
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
        assert rules_of(task) == {"four_answers": False}

    @NAMING_WAYS
    def test_what_is_not_named_stays(self, client: Client, task: Task, way: Way) -> None:
        by_rest(client, task, FOUR)
        assert way(client, task, {}) == ""
        assert rules_of(task) == FOUR

    @WAYS
    def test_it_is_refused_once_lent_and_what_is_chosen_already_is_not(
        self, client: Client, task: Task, way: Way
    ) -> None:
        begin(task)
        assert BEGUN in way(client, task, FOUR)
        assert rules_of(task) == {}
        assert way(client, task, {"four_answers": False}) == ""

    @NAMING_WAYS
    def test_an_unknown_rule_and_a_wrong_value_are_refused_at_their_place(
        self, client: Client, task: Task, way: Way
    ) -> None:
        unknown = way(client, task, {"five_answers": True})
        assert "This protocol has no rule “five_answers”" in unknown
        wrong = way(client, task, {"four_answers": "often"})
        assert "four_answers is true or false" in wrong
        if way is by_file:
            assert "test_sets.museum en-de.tasks.two_outputs.rules" in unknown
            assert "test_sets.museum en-de.tasks.two_outputs.rules" in wrong
        assert rules_of(task) == {}

    def test_nothing_is_changed_beside_a_refused_rule(self, client: Client, task: Task) -> None:
        address = reverse("api-task", args=[task.pk])
        for body in (
            {"blocks_wanted": 9, "rules": {"five_answers": True}},
            {"blocks_wanted": 0, "rules": FOUR},
        ):
            answer = client.patch(address, json.dumps(body), content_type="application/json")
            assert answer.status_code == 400
        task.refresh_from_db()
        assert (task.blocks_wanted, task.rules) == (None, {})


class TestPage:
    def test_it_shows_rules_and_once_lent_why_they_stay(
        self, client: Client, ranking: Task, task: Task
    ) -> None:
        slug = task.test_set.campaign.slug
        address = reverse("test-set-settings", args=[slug, task.pk])
        page = client.get(address).content.decode()
        assert LABEL in page
        assert BEGUN not in page
        begin(task)
        page = client.get(address).content.decode()
        assert BEGUN in page
        assert f'name="{TWO}_four_answers" disabled' in page
        of_ranking = client.get(reverse("test-set-settings", args=[slug, ranking.pk]))
        assert LABEL not in of_ranking.content.decode()
        client.force_login(make_analyst(task.test_set.campaign))
        page = client.get(address).content.decode()
        assert LABEL in page
        assert BEGUN in page
        assert by_page(client, task, FOUR)
        assert rules_of(task) == {}


class TestMaking:
    def by_page(self, client: Client, ranking: Task) -> None:
        address = reverse("task-add", args=["museum"])
        assert f"two outputs · {LABEL}" in client.get(address).content.decode()
        asked = {"test_set": ranking.test_set_id, "protocol": TWO, f"{TWO}_four_answers": "on"}
        assert client.post(address, asked).status_code == 302

    def by_rest(self, client: Client, ranking: Task) -> None:
        asked = {"test_set": ranking.test_set_id, "protocol": TWO, "rules": FOUR}
        address = reverse("api-tasks", args=["museum"])
        made = client.post(address, json.dumps(asked), content_type="application/json")
        assert (made.status_code, made.json()["rules"]) == (201, FOUR)

    def by_command(self, _client: Client, ranking: Task) -> None:
        named = ("museum", ranking.test_set.name, TWO, "--rule", "four_answers=true")
        call_command("add_task", *named, stdout=StringIO())

    def by_file(self, client: Client, ranking: Task) -> None:
        unsaved = Task(test_set=ranking.test_set, protocol=TWO)
        assert by_file(client, unsaved, FOUR) == ""

    @pytest.mark.parametrize("way", ["page", "rest", "command", "file"])
    def test_each_way_gives_the_same_row(self, client: Client, ranking: Task, way: str) -> None:
        getattr(self, f"by_{way}")(client, ranking)
        assert ranking.test_set.tasks.get(protocol=TWO).rules == FOUR

    def test_a_task_with_an_unknown_rule_is_not_made(self, client: Client, ranking: Task) -> None:
        asked = {"test_set": ranking.test_set_id, "protocol": TWO, "rules": {"five_answers": True}}
        address = reverse("api-tasks", args=["museum"])
        refused = client.post(address, json.dumps(asked), content_type="application/json")
        assert (refused.status_code, list(refused.json()["errors"])) == (400, ["rules"])
        named = ("museum", ranking.test_set.name, TWO, "--rule", "five_answers=true")
        with pytest.raises(CommandError, match="no rule “five_answers”"):
            call_command("add_task", *named, stdout=StringIO())
        assert ranking.test_set.tasks.get() == ranking


def test_rest_shows_rules_that_nobody_chose(client: Client, ranking: Task, task: Task) -> None:
    shown = [client.get(reverse("api-task", args=[each.pk])).json() for each in (ranking, task)]
    assert [each["rules"] for each in shown] == [{}, {"four_answers": False}]


def test_file_and_clone_have_the_rules(client: Client, task: Task) -> None:
    assert by_rest(client, task, FOUR) == ""
    campaign = task.test_set.campaign
    text = campaign_file(campaign=campaign, people=False).decode()
    assert text.count("rules:\n          four_answers: true") == 1
    clone = campaign_clone(
        source=campaign,
        slug="again",
        name="Again",
        texts=True,
        people=False,
        by=User.objects.earliest("pk"),
    ).campaign
    assert Task.objects.of(clone).get(protocol=TWO).rules == FOUR
