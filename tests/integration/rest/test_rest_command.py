"""`rest`: the API from the shell, with its refusals, as the user who is named."""

import json
import shlex
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command, load_command_class
from django.test import Client

from campaign.database.acting import command_acts
from campaign.models import ActivityEvent, ApiToken, Campaign, Instructions, Judge, Task
from ranking.models import StoppingRule
from tests.documentation.pages import read_page
from tests.factories import (
    make_analyst,
    make_campaign,
    make_judge,
    make_organiser,
    make_task,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    made = make_task(make_campaign("museum"), documents=(2,))
    make_organiser(made.test_set.campaign)
    return made


@pytest.fixture
def campaign(task: Task) -> Campaign:
    return task.test_set.campaign


def rest(*arguments: str, **options: Any) -> Any:
    out = StringIO()
    call_command("rest", *arguments, stdout=out, stderr=StringIO(), **options)
    return json.loads(out.getvalue()) if out.getvalue() else None


def test_commands_of_the_documentation_do_what_they_say(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of docs/rest.md that a comment leaves to this test."""
    museum = make_campaign("museum")
    make_organiser(museum, "rosa@example.org")
    campaign = make_campaign("wmt26")
    make_organiser(campaign, "you@example.org")
    task = make_task(campaign, documents=(2,), systems=("amber", "birch"), planned=0)
    monkeypatch.chdir(tmp_path)
    Path("en.md").write_text("Judge fairly.\n")
    Path("fjord.de").write_text("Eins.\nZwei.\n")
    mine = "run by tests/integration/rest/test_rest_command.py"
    blocks = [
        block for block in read_page("docs/rest.md").blocks if block.marker == mine
    ]
    for command in (command for block in blocks for command in block.commands):
        program, *words = shlex.split(command.replace("tasks/12/", f"tasks/{task.pk}/"))
        assert program == "./quintet"
        call_command(*words, stdout=StringIO())

    token = ApiToken.objects.get()
    assert (token.name, token.scope, token.campaign) == ("notebook", "read", museum)
    campaign.refresh_from_db()
    assert (campaign.lease_minutes, campaign.show_reference) == (90, False)
    assert Instructions.objects.get().text == "Judge fairly."
    assert task.test_set.systems.filter(name="fjord").exists()
    assert StoppingRule.objects.get(task=task).pairs_share == 0.9


def test_fields_are_text_json_or_the_text_of_a_file(
    campaign: Campaign,
    tmp_path: Path,
) -> None:
    judge = make_judge(campaign)
    changed = rest(
        *("PATCH", f"campaigns/museum/judges/{judge.pk}/"),
        *('languages:=["en"]', "address=ada@example.org", "confirm=true"),
    )
    assert (changed["languages"], changed["address"]) == (["en"], "ada@example.org")
    text = tmp_path / "en.md"
    text.write_text("# Judge *fairly* = at all times")
    rest("POST", "campaigns/museum/instructions/", "language=en", f"text=@{text}")
    assert Instructions.objects.get().text == "# Judge *fairly* = at all times"


def test_a_body_is_json_or_a_file_and_an_address_may_be_short(
    campaign: Campaign,
    tmp_path: Path,
) -> None:
    assert (
        rest("PATCH", "campaigns/museum/", '{"lease_minutes": 90}')["lease_minutes"]
        == 90
    )
    body = tmp_path / "body.json"
    body.write_text('{"lease_minutes": 45}')
    assert rest("patch", "/api/v1/campaigns/museum", f"@{body}")["lease_minutes"] == 45
    assert rest("GET", "campaigns/museum")["lease_minutes"] == 45


def test_a_file_is_sent_as_a_browser_sends_it(task: Task, tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    path.write_text("One.\nTwo.\n")
    added = rest("POST", f"tasks/{task.pk}/systems/", "name=new", f"file@{path}")
    assert added["name"] == "new"


def test_files_come_byte_for_byte(task: Task, client: Client) -> None:
    address = f"tasks/{task.pk}/exports/stream/?kind=texts&file_format=jsonl"
    client.force_login(task.test_set.campaign.memberships.get().user)
    served = client.get(f"/api/v1/{address}")
    out, said = TextIOWrapper(BytesIO()), StringIO()
    call_command("rest", "GET", address, stdout=out, stderr=said)
    out.seek(0)
    assert out.buffer.read() == b"".join(served.streaming_content)  # type: ignore[attr-defined]
    assert "Quintet-Watermark: " in said.getvalue()


REFUSALS = [
    (("PATCH", "campaigns/museum/", "lease_minutes=0"), "lease_minutes: "),
    (("PATCH", "campaigns/museum/", "minutes=9"), "minutes: "),
    (
        ("PATCH", "campaigns/museum/", "show_source:=yes"),
        "show_source: 'yes' is not JSON",
    ),
    (
        ("PATCH", "campaigns/museum/", "show_source"),
        "“show_source” is not a valid field",
    ),
    (("PATCH", "campaigns/museum/", "pay=@nowhere.md"), "nowhere.md: No such file"),
    (("GET", "campaigns/nowhere/"), "Campaign not found"),
    (("GET", "nothing/here/"), "Page not found"),
]


def test_a_refusal_says_what_and_changes_nothing(
    campaign: Campaign,
    subtests: pytest.Subtests,
) -> None:
    del campaign
    before = rest("GET", "campaigns/museum/")
    for arguments, said in REFUSALS:
        with subtests.test(arguments=arguments, said=said):
            with pytest.raises(CommandError, match=said):
                rest(*arguments)
            assert rest("GET", "campaigns/museum/") == before


def test_a_conflict_says_what_would_be_done(campaign: Campaign) -> None:
    judge = make_judge(campaign)
    address = f"campaigns/museum/judges/{judge.pk}/link/"
    with pytest.raises(CommandError, match=r"words: Links that stop working: 0"):
        rest("POST", address)
    made = rest("POST", address, "confirm=true", "--address", "https://localhost/")
    assert made["link"].startswith("https://localhost/i/")


def test_changes_are_the_owners_unless_another_user_is_named(
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("campaign.database.acting._of_process", [])
    monkeypatch.setenv("LOGNAME", "ivo")
    command_acts("rest")
    second = make_organiser(campaign, "second@example.org")
    for by, minutes in (("", "90"), ("second@example.org", "45")):
        named = {"by": by} if by else {}
        rest("PATCH", "campaigns/museum/", f"lease_minutes={minutes}", **named)
    events = ActivityEvent.objects.filter(kind="campaign.campaign").order_by("-pk")[:2]
    users = [campaign.memberships.get(role="owner").user_id, second.pk]
    assert [event.user_id for event in reversed(events)] == users
    for event in events:
        assert (event.origin, event.through, event.operator) == (
            "command",
            "rest",
            "ivo",
        )


def test_rest_command_reports_missing_permission(campaign: Campaign) -> None:
    make_analyst(campaign)
    with pytest.raises(CommandError):
        rest("PATCH", "campaigns/museum/", "lease_minutes=90", by="rita@example.org")
    make_organiser(make_campaign("other"), "other@example.org")
    with pytest.raises(CommandError, match="not a member"):
        rest("PATCH", "campaigns/museum/", "lease_minutes=90", by="other@example.org")


def test_without_a_user_nothing_is_asked() -> None:
    with pytest.raises(CommandError, match="has no organiser"):
        rest("GET", "campaigns/")
    make_campaign("museum")
    with pytest.raises(CommandError, match="has no owner"):
        rest("POST", "campaigns/museum/judges/", "list=ada@example.org")
    assert not Judge.objects.exists()


def test_fields_may_follow_an_option() -> None:
    """Argparse by itself takes only the fields before it."""
    parser = load_command_class("campaign", "rest").create_parser("manage.py", "rest")
    options = parser.parse_args(
        ["POST", "tokens/", "--as", "a@example.org", "name=a", "days:=9"],
    )
    assert options.body == ["name=a", "days:=9"]


def test_the_organiser_of_a_demo_acts_where_there_is_no_other() -> None:
    make_organiser(make_campaign("museum"), email="organiser@demo.invalid")
    assert [each["slug"] for each in rest("GET", "campaigns/")["results"]] == ["museum"]


def test_an_address_may_be_of_another_host(campaign: Campaign) -> None:
    made = rest(
        *("POST", "campaigns/museum/panels/", "kind=prolific", "name=pilot"),
        *(
            "blocks_asked=30",
            "minutes_allowed=90",
            "--address",
            "https://judge.example.org",
        ),
    )
    assert "https://judge.example.org/" in json.dumps(made)
