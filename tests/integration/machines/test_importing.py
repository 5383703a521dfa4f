"""Answers of machine judges come from the files and through the door of people's answers, and are stored apart."""

import json
from functools import partial
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.importing.answers import AnswersImported, ImportOptions, answers_import
from annotation.importing.machine_answers import DIFFERING
from annotation.models import HITSequence, Judgment, MachineJudgment
from annotation.services.numbers import judgments_number
from campaign.formats import FormatError
from campaign.formats.streams import StoredFile
from campaign.importing.errors import ImportRefusedError
from campaign.models import Campaign, CampaignState, Judge, MachineJudge, Task
from campaign.services.machines import MachineTerms, machine_add
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from tests.exporting import exported
from tests.factories import make_campaign, make_organiser
from tests.integration.machines.test_judging import SYSTEMS, Machine
from tests.integration.machines.test_never_counts import other_tables
from tests.integration.protocols.test_files_of_every_protocol import COMMANDS
from tests.integration.ranking.writing import TestSetWriter
from whole_campaigns.cloning import campaign_clone

pytestmark = pytest.mark.django_db


@pytest.fixture
def writer() -> TestSetWriter:
    """Two blocks judged by a person, and a segment that nobody has judged."""
    campaign = make_campaign("museum", state=CampaignState.OPEN)
    make_organiser(campaign)
    writer = TestSetWriter(campaign, "museum en-de", SYSTEMS)
    for segment in (1, 2):
        writer.judgment("ada", writer.block(segment, SYSTEMS), [1, 2, 3])
    last = writer.block(3, SYSTEMS)
    HITSequence.objects.create(task=writer.task, last_number=last.hit.number)
    return writer


def machine_of(
    campaign: Campaign,
    name: str = "judgebot",
    version: str = "1",
) -> MachineJudge:
    by = campaign.memberships.get().user
    machine, _token = machine_add(
        campaign=campaign,
        by=by,
        terms=MachineTerms(name=name, version=version),
    )
    return machine


def line(
    judge: str,
    segment: int,
    candidates: list[Any],
    labels: list[int | None],
) -> str:
    values = {
        "source_language": "cs",
        "target_language": "en",
        "segment": segment,
        "judge": judge,
        "candidates": candidates,
        "labels": labels,
    }
    return json.dumps(values) + "\n"


def imports(task: Task, *lines: str, **options: Any) -> AnswersImported:
    file = StoredFile("answers.jsonl", partial(BytesIO, "".join(lines).encode()))
    return answers_import(task=task, files=[file], options=ImportOptions(**options))


def rows(task: Task, kind: str) -> list[dict[str, Any]]:
    content = b"".join(
        export_bytes(requested_export(task=task, kind=kind, file_format="jsonl")),
    )
    return [json.loads(text) for text in content.splitlines()]


def contents(task: Task, kind: str, author: str) -> list[str]:
    """Return the answers of an export in a form that people's and machines' have in common."""
    found = []
    for row in rows(task, kind):
        if row.get("current", True) and not row.get("control"):
            ranks = zip(row["candidates"], row["labels"], strict=True)
            # Files of comparisons do not have the order in which outputs were shown.
            is_sort = task.protocol == "sorting"
            said = sorted(ranks) if is_sort else [*ranks, row["answer"]]
            found.append(
                json.dumps([row[author], row["segment"], said], sort_keys=True),
            )
    return sorted(found)


@pytest.mark.parametrize("protocol", COMMANDS)
def test_answers_of_every_protocol_are_read_back_as_exported(protocol: str) -> None:
    make, file_format, _command = COMMANDS[protocol]
    task = make(make_campaign())
    make_organiser(task.test_set.campaign)
    judgments_number(task_id=task.pk)
    text = exported(task, file_format)
    if protocol == "editing":
        # Acceptances are about answers of people.
        edits = [{**json.loads(each), "acceptances": []} for each in text.splitlines()]
        text = "".join(json.dumps(edit) + "\n" for edit in edits)
    text = by_machines(text)
    people = Judgment.objects.count()
    tables = dict(other_tables())
    imported = imports(task, text)
    assert imported.machines == MachineJudge.objects.count() > 0
    assert imported.by_machines > 0
    assert (imported.judgments, imported.skips, imported.already_there) == (0, 0, 0)
    assert Judgment.objects.count() == people
    changed = {table for table, digest in other_tables() if tables[table] != digest}
    assert changed <= {"campaign_upload", "annotation_hitsequence", *MADE}
    answers = [each.replace("bot of ", "") for each in machine_contents(task)]
    assert answers
    assert set(answers) <= set(contents(task, "judgments", "judge"))
    assert len(answers) == imported.by_machines
    again = imports(task, text)
    assert (again.machines, again.by_machines) == (0, 0)
    assert again.already_there == imported.by_machines
    written = exported_judgments(task)
    other = copy_of(task)
    copied = imports(other, written)
    assert (copied.machines, copied.by_machines) == (imported.machines, len(answers))
    assert without_ids(exported_judgments(other)) == without_ids(written)
    assert imports(other, written).already_there == len(answers)


#: The activity log has the machine judges.
MADE = ("campaign_activityevent",)


def by_machines(text: str) -> str:
    """Return a file of people's answers in which each judge is a machine judge."""
    lines = []
    for each in text.splitlines():
        values = json.loads(each)
        judge = f"bot of {values['judge']}"
        lines.append(
            json.dumps({**values, "judge": judge, "machine": True, "version": "1"}),
        )
    return "\n".join(lines) + "\n"


def copy_of(task: Task) -> Task:
    """Return the same task in a copy of its campaign without answers."""
    clone = campaign_clone(
        source=task.test_set.campaign,
        slug="copy",
        name="Copy",
        texts=True,
        people=False,
        by=None,
    )
    tasks = Task.objects.of(clone.campaign)
    return tasks.get(protocol=task.protocol, test_set__name=task.test_set.name)


def machine_contents(task: Task) -> list[str]:
    return contents(task, "machine-judgments", "machine")


def exported_judgments(task: Task) -> str:
    """Return the export of judgments by machine judges."""
    asked = requested_export(task=task, kind="machine-judgments", file_format="jsonl")
    return b"".join(export_bytes(asked)).decode()


def without_ids(text: str) -> list[dict[str, Any]]:
    return [{**json.loads(each), "number": 0, "id": ""} for each in text.splitlines()]


def test_file_names_people_and_machine_judges(writer: TestSetWriter) -> None:
    machine = machine_of(writer.campaign, "judgebot", "2026-11")
    imported = imports(
        writer.task,
        line("judgebot 2026-11", 1, SYSTEMS, [3, 2, 1]),
        line("eve", 1, SYSTEMS, [1, 1, 2]),
        line("judgebot 2026-11", 3, SYSTEMS, [1, None, 2]),
    )
    assert (imported.judgments, imported.by_machines) == (1, 2)
    assert Judgment.objects.filter(judge__pseudonym="eve").count() == 1
    assert not Judge.objects.filter(pseudonym__startswith="judgebot").exists()
    stored = MachineJudgment.objects.filter(machine=machine).order_by("pk")
    assert [row.labels for row in stored] == [[3, 2, 1], [1, None, 2]]
    assert [row.segment.number for row in stored] == [1, 3]


def test_machine_is_not_asked_what_a_file_has(writer: TestSetWriter) -> None:
    machine = Machine(writer.campaign)
    imports(
        writer.task,
        line("whoever", 1, SYSTEMS[::-1], [1, 2, 3]),
        machine=str(machine.judge),
    )
    segments = []
    for block in machine.blocks():
        segments.append(block["source"]["text"])
        assert machine.put(block["id"]).status_code == 200
    assert len(segments) == 1
    assert MachineJudgment.objects.filter(machine=machine.judge).count() == 2


def test_answers_in_both_orders_are_two(writer: TestSetWriter) -> None:
    machine = machine_of(writer.campaign)
    imported = imports(
        writer.task,
        line("gpt", 1, SYSTEMS, [1, 2, 3]),
        line("gpt", 1, SYSTEMS[::-1], [1, 2, 3]),
        machine=str(machine),
    )
    assert imported.by_machines == 2
    stored = MachineJudgment.objects.order_by("pk")
    assert [row.is_reversed for row in stored] == [False, True]
    other = [SYSTEMS[1], SYSTEMS[0], SYSTEMS[2]]
    again = imports(
        writer.task,
        line("gpt", 1, SYSTEMS, [1, 2, 3]),
        line("gpt", 2, other, [1, 2, 3]),
        line("gpt", 1, SYSTEMS[::-1], [3, 2, 1]),
        machine=str(machine),
    )
    # Each answer of the file is in one of these numbers.
    assert (again.by_machines, again.already_there) == (1, 1)
    assert [(loss.what, loss.count) for loss in again.losses] == [(DIFFERING, 1)]


def test_answers_that_all_differ_from_stored_ones_change_nothing(
    writer: TestSetWriter,
) -> None:
    machine = machine_of(writer.campaign)
    imports(writer.task, line("gpt", 1, SYSTEMS, [1, 2, 3]), machine=str(machine))
    again = imports(
        writer.task,
        line("gpt", 1, SYSTEMS, [3, 2, 1]),
        machine=str(machine),
    )
    assert (again.by_machines, again.already_there) == (0, 0)
    assert [(loss.what, loss.count) for loss in again.losses] == [(DIFFERING, 1)]
    assert MachineJudgment.objects.get().labels == [1, 2, 3]


@pytest.mark.parametrize("other", [SYSTEMS, [SYSTEMS[1], SYSTEMS[0], SYSTEMS[2]]])
def test_two_answers_to_one_question_in_a_file_are_refused_with_both_lines(
    writer: TestSetWriter,
    other: list[str],
) -> None:
    machine = machine_of(writer.campaign)
    with pytest.raises(
        FormatError,
        match=r"differs from that in answers\.jsonl, line 1",
    ) as refused:
        imports(
            writer.task,
            line("gpt", 1, SYSTEMS, [1, 2, 3]),
            line("gpt", 1, other, [3, 2, 1]),
            machine=str(machine),
        )
    assert refused.value.line == 2
    assert not MachineJudgment.objects.exists()


def test_import_reads_stored_answers_of_the_same_machines_about_the_same_segments(
    writer: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With all machines and segments of a batch, the time of an import grew with the square of its lines."""
    machine_of(writer.campaign, "a")
    machine_of(writer.campaign, "b")
    read = []
    from_db = MachineJudgment.from_db

    def counted(*row: Any) -> MachineJudgment:
        judgment = from_db(*row)
        read.append((str(judgment.machine), judgment.segment.number))
        return judgment

    monkeypatch.setattr("annotation.importing.answers._BATCH", 2)
    monkeypatch.setattr(MachineJudgment, "from_db", counted)
    lines = []
    for judge, segment in (("a", 1), ("b", 2), ("a", 2), ("b", 1), ("a", 2), ("b", 1)):
        lines.append(line(f"{judge} 1", segment, SYSTEMS, [1, 2, 3]))
    imported = imports(writer.task, *lines)
    assert (imported.by_machines, imported.losses[0].count) == (4, 2)
    # The last batch repeats the lines before it, which are no answers of their own.
    assert read == []
    again = line("a 1", 1, SYSTEMS, [3, 2, 1]), line("b 1", 3, SYSTEMS, [1, 2, 3])
    imports(writer.task, *again)
    assert read == [("a 1", 1)]


def test_import_stores_the_answers_of_machines_at_once_and_checks_constraints(
    writer: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A later batch may have a later answer; and each rolls back to a savepoint, after which PostgreSQL checks again."""
    machine_of(writer.campaign)
    monkeypatch.setattr("annotation.importing.answers._BATCH", 1)
    lines = []
    for segment in (1, 2, 3):
        lines.append(line("judgebot 1", segment, SYSTEMS, [1, 2, 3]))
    with CaptureQueriesContext(connection) as queries:
        imports(writer.task, *lines)
    statements = [query["sql"] for query in queries]
    after = []
    for statement, following in pairwise(statements):
        if statement.startswith('INSERT INTO "annotation_machinejudgment"'):
            after.append(following[:29])
    assert after == ["SET CONSTRAINTS ALL IMMEDIATE"]


def test_skip_in_a_file_is_answered_by_a_later_file(writer: TestSetWriter) -> None:
    machine = machine_of(writer.campaign)
    skip = line("gpt", 1, SYSTEMS, [None, None, None])
    imports(writer.task, skip, machine=str(machine))
    assert [row["skip_reason"] for row in rows(writer.task, "machine-judgments")] == [
        "not_stated",
    ]
    for _time in range(2):
        imports(writer.task, line("gpt", 1, SYSTEMS, [1, 2, 3]), machine=str(machine))
    assert [row["labels"] for row in rows(writer.task, "machine-judgments")] == [
        [1, 2, 3],
    ]
    assert imports(writer.task, skip, machine=str(machine)).by_machines == 0


def test_error_in_a_file_stores_nothing(writer: TestSetWriter) -> None:
    machine = machine_of(writer.campaign)
    with pytest.raises(FormatError, match="line 2"):
        imports(
            writer.task,
            line("gpt", 1, SYSTEMS, [1, 2, 3]),
            line("gpt", 1, ["nobody", *SYSTEMS[1:]], [1, 2, 3]),
            machine=str(machine),
        )
    assert not MachineJudgment.objects.exists()


def test_span_outside_of_its_text_is_refused_in_a_file() -> None:
    make, file_format, _command = COMMANDS["spans"]
    task = make(make_campaign())
    make_organiser(task.test_set.campaign)
    judgments_number(task_id=task.pk)
    machine = machine_of(task.test_set.campaign)
    values = json.loads(exported(task, file_format).splitlines()[0])
    values["outputs"][0].pop("text", None)
    values["outputs"][0]["spans"] = [{"start": 1, "end": 99_999, "severity": "minor"}]
    with pytest.raises((FormatError, ImportRefusedError), match=r"99,?999"):
        imports(task, json.dumps(values), machine=str(machine))
    assert not MachineJudgment.objects.exists()


def test_page_and_rest_import_for_a_machine_judge(
    writer: TestSetWriter,
    client: Client,
) -> None:
    machine = machine_of(writer.campaign)
    client.force_login(writer.campaign.memberships.get().user)
    page = f"/campaigns/museum/tasks/{writer.task.pk}/answers/"
    assert "judgebot 1" in client.get(page).content.decode()

    def sent(segment: int) -> dict[str, Any]:
        content = line("gpt", segment, SYSTEMS, [1, 2, 3]).encode()
        return {"file": SimpleUploadedFile("a.jsonl", content), "machine": str(machine)}

    assert client.post(page, sent(1)).status_code == 302
    rest = f"/api/v1/tasks/{writer.task.pk}/answers/"
    answer = client.post(rest, sent(2)).json()
    assert (answer["judgments"], answer["by_machines"]) == (0, 1)
    assert MachineJudgment.objects.filter(machine=machine).count() == 2
    assert client.get(rest).json()["imports"][0]["by_machines"] == 1
    other = make_campaign("zoo")
    make_organiser(other, "zoe@example.org")
    foreign = machine_of(other, "zoobot")
    for address in (page, rest):
        refused = client.post(address, {**sent(3), "machine": str(foreign)})
        assert refused.status_code in (400, 404), address
    assert MachineJudgment.objects.count() == 2


def test_command_imports_for_a_machine_judge(
    writer: TestSetWriter,
    tmp_path: Path,
) -> None:
    machine_of(writer.campaign)
    path = tmp_path / "answers.jsonl"
    path.write_text(line("gpt", 1, SYSTEMS, [1, 2, 3]))
    out = StringIO()
    arguments = {"campaign": "museum", "test_set": "museum en-de", "verbosity": 1}
    with pytest.raises(CommandError, match="judgebot 1"):
        call_command(
            "import_answers",
            path,
            **arguments,
            machine="judgebot 2",
            stdout=out,
        )
    call_command("import_answers", path, **arguments, machine="judgebot 1", stdout=out)
    assert "1 answer by machine judges" in out.getvalue()
    assert MachineJudgment.objects.count() == 1
