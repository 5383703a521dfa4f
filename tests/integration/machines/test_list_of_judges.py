"""Lists of judges add machine judges beside people, and exports of machine judges are such lists."""

import csv
import io
import re

import pytest
from django.test import Client

from campaign.models import Campaign, Judge, MachineJudge, User
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db

PROMPT = 'Rank the "outputs";\nanswer as {"labels": [1, 2]}, or write to me@example.org'


def listed(*rows: tuple[str, ...]) -> str:
    text = io.StringIO()
    columns = ("name", "machine", "version", "prompt", "settings", "asked_twice")
    csv.writer(text).writerows([columns, *rows])
    return text.getvalue()


@pytest.fixture
def campaign(client: Client) -> Campaign:
    campaign = make_task(make_campaign("museum")).test_set.campaign
    client.force_login(make_organiser(campaign))
    return campaign


def test_rest_adds_people_and_machine_judges(
    client: Client,
    campaign: Campaign,
) -> None:
    sent = {
        "list": listed(
            ("Ada Lovelace", "", "", "", "", ""),
            ("judgebot", "true", "2026-11", PROMPT, "temp 0", "yes"),
            ("judgebot", "TRUE", "2026-12", "", "", ""),
            ("judgebot", "true", "2026-12", "", "", ""),
        ),
    }
    address = "/api/v1/campaigns/museum/judges/"
    preview = client.post(
        address,
        {**sent, "dry_run": True},
        content_type="application/json",
    )
    assert [row["state"] for row in preview.json()["rows"]] == [
        "new",
        "new",
        "new",
        "again",
    ]
    assert not MachineJudge.objects.exists()
    added = client.post(address, sent, content_type="application/json")
    assert added.status_code == 201, added.json()
    rows = added.json()["rows"]
    assert [row["machine"] for row in rows] == [False, True, True, True]
    assert [bool(row["link"]) for row in rows] == [True, False, False, False]
    machine = MachineJudge.objects.get(version="2026-11")
    assert (machine.name, machine.prompt, machine.settings, machine.asked_twice) == (
        "judgebot",
        PROMPT,
        "temp 0",
        True,
    )
    assert machine.created_by is not None
    assert Judge.objects.filter(campaign=campaign).count() == 1
    again = client.post(address, sent, content_type="application/json")
    assert (again.json()["new"], again.json()["known"]) == (0, 3)


def test_page_previews_and_adds_machine_judges(
    client: Client,
    campaign: Campaign,
) -> None:
    address = "/campaigns/museum/people/judges/add/"
    text = listed(("judgebot", "true", "1", "Rank.", "", ""))
    sent = {"text": text, "how": "mail", "language": "en", "note": ""}
    preview = client.post(address, sent).content.decode()
    assert "judgebot 1</bdi> · Machine judge" in preview
    added = client.post(address, {**sent, "act": "add", "new": "1"})
    page = added.content.decode()
    assert added.status_code == 201
    assert "Machine judges have no token yet" in page
    assert "Invitations are being sent" not in page
    assert MachineJudge.objects.get().prompt == "Rank."


CONTRADICTIONS = [
    (("Ada", "true", "1", "", "", ""), "is a person who judges"),
    (("judgebot", "", "", "", "", ""), "is a machine judge"),
    (("judgebot", "true", "1", "Another.", "", ""), "exists with another prompt"),
    (("otherbot", "true", "", "", "", ""), "Enter the name and the version"),
    (("b" * 61, "true", "1", "", "", ""), "longer than 60 characters"),
    (("otherbot", "maybe", "1", "", "", ""), "'maybe' is not true or false"),
    (("bot\u200b", "true", "1", "", "", ""), "U\\+200B"),
]


def test_contradiction_is_refused_and_changes_nothing(
    client: Client,
    campaign: Campaign,
    subtests: pytest.Subtests,
) -> None:
    judge = make_judge(campaign)
    User.objects.filter(judges=judge).update(name="Ada")
    address = "/api/v1/campaigns/museum/judges/"
    first = {"list": listed(("judgebot", "true", "1", "Rank.", "", ""))}
    client.post(address, first, content_type="application/json")
    for row, problem in CONTRADICTIONS:
        with subtests.test(row=row, problem=problem):
            sent = {"list": listed(("newbot", "true", "1", "", "", ""), row)}
            refused = client.post(address, sent, content_type="application/json")
            assert refused.status_code == 400
            assert re.search(problem, " ".join(refused.json()["errors"]["list"]))
            assert MachineJudge.objects.count() == 1
            assert Judge.objects.filter(campaign=campaign).count() == 1


def test_export_of_machine_judges_adds_them_to_another_campaign(
    client: Client,
    campaign: Campaign,
) -> None:
    rows = (
        ("judgebot", "true", "1", PROMPT, "", ""),
        ("判定者", "true", "=1+1", "=cmd()", "", "true"),
        ("long", "true", "1", "x" * 90_000, "", ""),
    )
    address = "/api/v1/campaigns/{}/judges/"
    client.post(
        address.format("museum"),
        {"list": listed(*rows)},
        content_type="application/json",
    )
    [task] = [test_set.tasks.get() for test_set in campaign.test_sets.all()]
    asked = requested_export(task=task, kind="machines", file_format="csv")
    text = b"".join(export_bytes(asked)).decode()
    other = make_campaign("copy")
    client.force_login(make_organiser(other, "zoe@example.org"))
    added = client.post(
        address.format("copy"),
        {"list": text},
        content_type="application/json",
    )
    assert added.status_code == 201, added.json()

    def terms(of: Campaign) -> list[tuple[object, ...]]:
        machines = MachineJudge.objects.filter(campaign=of).order_by("name")
        return list(
            machines.values_list(
                "name",
                "version",
                "prompt",
                "settings",
                "asked_twice",
            ),
        )

    assert len(terms(campaign)) == len(rows)
    assert terms(other) == terms(campaign)
