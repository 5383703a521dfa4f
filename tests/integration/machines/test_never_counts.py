"""Judgments of machines change no number of people's: not on a page, in REST, in a file, or in another table."""

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.test import Client

from annotation.models import Block, MachineJudgment
from annotation.selectors.machines import MachineBlock
from annotation.services.machines import SentByMachine, machine_judgment_submit
from annotation.services.numbers import judgments_number
from campaign.models import Campaign, MachineJudge, Task, User
from campaign.services.machines import MachineTerms, machine_add
from tests.clocks import stop_process_clock
from tests.counters import counters_by_row, counters_stored
from tests.factories import make_campaign
from tests.integration.test_one_truth import several_kinds_of_judges, walked

pytestmark = pytest.mark.django_db(transaction=True)

MACHINES = 1_250
#: Own lists of machines, which state their numbers apart, and the list of all files with their sizes.
OF_MACHINES = re.compile(r"machine|/exports/$")
#: What differs between two requests of the same page.
OF_REQUEST = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]*"|"X-CSRFToken": "[^"]*"|nonce="[^"]*"|"preview/[0-9a-f]+"',
)


def machines_add(campaign: Campaign) -> list[MachineJudge]:
    """Add machine judges, as the activity log records."""
    by = User.objects.get(email="organiser@example.org")
    return MachineJudge.objects.bulk_create(
        MachineJudge(campaign=campaign, name="bot", version=str(number), created_by=by)
        for number in range(MACHINES)
    )


def machines_judge(machines: list[MachineJudge]) -> None:
    """Store 10,000 judgments of machines, which prefer what people rank last."""
    blocks = list(Block.objects.select_related("hit").order_by("pk"))
    assert len(blocks) == 4
    MachineJudgment.objects.bulk_create(
        MachineJudgment(
            client_id=uuid4(),
            machine=machine,
            task_id=block.hit.task_id,
            segment_id=block.segment_id,
            block=block,
            part=0,
            is_reversed=is_reversed,
            outputs=block.outputs,
            stands_for=block.stands_for,
            labels=[len(block.outputs) - place for place in range(len(block.outputs))],
            duration_ms=10,
        )
        for machine in machines
        for block in blocks
        for is_reversed in (False, True)
    )


def numbers_shown(client: Client, task: Task) -> dict[str, str]:
    """Return all pages, files and lists of REST of a campaign by address."""
    exports = f"/api/v1/tasks/{task.pk}/exports/"
    over_rest = f"/api/v1/tasks/{task.pk}/"
    kinds = client.get(f"{exports}kinds/").json()["results"]
    starts = [
        "/campaigns/",
        "/campaigns/museum/",
        *(
            f"/api/v1/campaigns/museum/{part}"
            for part in (
                "",
                "overview/",
                "time/",
                "alerts/",
                "judges/",
                "tables/",
                "activity/",
            )
        ),
        *(
            f"{over_rest}{part}"
            for part in (
                "",
                "rankings/latest/",
                "judges/",
                "hits/",
                "judgments/",
                "skips/",
            )
        ),
        *(
            f"{over_rest}{part}"
            for part in ("comparisons/", "segments/", "stopping-rule/")
        ),
        *(
            f"{exports}stream/?kind={kind['name']}&file_format={each['name']}"
            for kind in kinds
            for each in kind["formats"]
            # The others have the same rows.
            if each["name"] in ("jsonl", "five-way-csv", "pairwise-csv", "csv")
        ),
    ]
    return {
        address: OF_REQUEST.sub("", text)
        for address, text in walked(client, starts)
        if not OF_MACHINES.search(address)
    }


def rows_of_exports(client: Client, task: Task) -> dict[str, int]:
    """Return the numbers of rows of all exports, without those of machines and all files together."""
    kinds = client.get(f"/api/v1/tasks/{task.pk}/exports/kinds/").json()["results"]
    rows = {kind["name"]: kind["rows"] for kind in kinds}
    return {
        name: rows[name]
        for name in rows.keys() - {"machine-judgments", "machines", "everything"}
    }


def everything(client: Client, task: Task) -> dict[str, bytes]:
    """Return the files of an export of everything, without that of machines."""
    asked = f"/api/v1/tasks/{task.pk}/exports/stream/?kind=everything&file_format=zip"
    content = b"".join(client.get(asked))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {
            name: archive.read(name)
            for name in archive.namelist()
            if "machine" not in name
        }


def other_tables() -> Iterator[tuple[str, str]]:
    """Yield each table but those of machines with a hash of its rows."""
    with connection.cursor() as cursor:
        for model in apps.get_models():
            table = model._meta.db_table
            if model in (MachineJudge, MachineJudgment) or model._meta.proxy:
                continue
            cursor.execute(f'SELECT t::text FROM "{table}" t ORDER BY 1')
            rows = "\n".join(row for (row,) in cursor.fetchall())
            yield table, hashlib.sha256(rows.encode()).hexdigest()


def by_commands() -> str:
    """Return what commands print about the campaign."""
    out = io.StringIO()
    call_command("check_rankings", stdout=out)
    for analysis in ("agreement", "judges"):
        of_campaign = {
            "campaign": "museum",
            "test_set": "museum en-de",
            "format": "json",
        }
        call_command("analyse", analysis, **of_campaign, stdout=out)
    return out.getvalue()


def test_answers_of_a_machine_are_written_to_no_other_table() -> None:
    campaign = make_campaign("museum", state="open")
    several_kinds_of_judges(campaign)
    by = User.objects.get(email="organiser@example.org")
    machine, _token = machine_add(
        campaign=campaign,
        by=by,
        terms=MachineTerms(name="bot", version="1"),
    )
    tables = dict(other_tables())
    first, second, *_others = Block.objects.order_by("pk").select_related(
        "hit__task__test_set",
    )
    answers: list[tuple[Block, SentByMachine]] = [
        (first, {"labels": [3, 2, 1]}),
        (second, {"reason": "cannot_judge"}),
    ]
    for block, sent in answers:
        asked = MachineBlock(block, is_reversed=False)
        machine_judgment_submit(
            machine=machine,
            machine_block=asked,
            client_id=uuid4(),
            sent=sent,
        )
    assert MachineJudgment.objects.count() == 2
    assert dict(other_tables()) == tables


@pytest.mark.thorough
def test_no_number_changes_after_10000_judgments_of_machines(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stop_process_clock(monkeypatch, ahead_by=timedelta())
    campaign = make_campaign("museum", state="open")
    task = several_kinds_of_judges(campaign).task
    client.force_login(User.objects.get(email="organiser@example.org"))
    machines = machines_add(campaign)
    printed = by_commands()
    before = numbers_shown(client, task)
    files, rows = everything(client, task), rows_of_exports(client, task)
    tables = dict(other_tables())
    machines_judge(machines)
    assert MachineJudgment.objects.count() == 10_000
    assert dict(other_tables()) == tables
    assert judgments_number(task_id=task.pk) == 15
    assert counters_stored(task_id=task.pk) == counters_by_row(task_id=task.pk)
    after = numbers_shown(client, task)
    assert len(before) > 50
    assert after.keys() == before.keys()
    differing = {
        address: set(text.split()) ^ set(after[address].split())
        for address, text in before.items()
        if after[address] != text
    }
    assert differing == {}
    assert everything(client, task) == files
    assert rows_of_exports(client, task) == rows
    assert by_commands() == printed
