"""Files of answers describe machine judges, which are added; contradictions are refused and change nothing."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Judgment, MachineJudgment
from campaign.formats import FormatError
from campaign.formats.judge_lists import judge_list_read
from campaign.models import Judge, MachineJudge
from campaign.services.judge_lists import RowState, judge_list_check
from campaign.services.machines import (
    MachineRefusedError,
    MachineTerms,
    machine_add,
)
from tests.integration.machines.test_importing import (
    imports,
    line,
    machine_of,
    rows,
    writer,
)
from tests.integration.machines.test_judging import SYSTEMS
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db
__all__ = ["writer"]

TERMS = {"version": "2026-11", "prompt": "Rank.\nBe fair.", "settings": "temp 0"}


def described(judge: str = "judgebot", segment: int = 1, **more: Any) -> str:
    values = json.loads(line(judge, segment, SYSTEMS, [1, 2, 3]))
    return json.dumps({**values, "machine": True, **TERMS, **more}) + "\n"


def test_machine_judge_is_added_with_its_terms(writer: TestSetWriter) -> None:
    without: dict[str, Any] = {"prompt": None, "settings": None}
    imported = imports(
        writer.task,
        described(),
        described(segment=2, **without),
        line("eve", 1, SYSTEMS, [1, 1, 2]),
        described(segment=3, version="2026-12"),
    )
    assert (imported.machines, imported.by_machines, imported.judgments) == (2, 3, 1)
    machine = MachineJudge.objects.get(version="2026-11")
    assert machine.name == "judgebot"
    assert (machine.prompt, machine.settings) == (TERMS["prompt"], TERMS["settings"])
    assert not machine.asked_twice
    assert machine.token_digest == ""
    assert not Judge.objects.filter(pseudonym__startswith="judgebot").exists()
    assert imports(writer.task, described()).machines == 0


def test_whole_numbers_are_versions_and_false_is_a_person(
    writer: TestSetWriter,
) -> None:
    person = {**json.loads(line("eve", 2, SYSTEMS, [1, 2, 3])), "machine": False}
    imports(writer.task, described(version=4), json.dumps(person) + "\n")
    assert MachineJudge.objects.get().version == "4"
    assert Judgment.objects.filter(judge__pseudonym="eve").count() == 1


CONTRADICTIONS = [
    ([described("ada")], "“ada” is a person who judges in this campaign"),
    (
        [line("judgebot", 1, SYSTEMS, [1, 2, 3]), described()],
        r'"judgebot" is a machine judge of this campaign \(judgebot 2026-11\)',
    ),
    (
        [described(), line("judgebot", 2, SYSTEMS, [1, 2, 3])],
        r'"judgebot" is a machine judge of this campaign \(judgebot 2026-11\)',
    ),
    (
        [described(), described(segment=2, prompt="Rank badly.")],
        "exists with another prompt or other settings",
    ),
    ([described(version=None)], "line 1.*version.*the key is missing"),
    ([described(version=1.5)], "line 1.*version"),
    ([described(version="v" * 61)], "longer than 60 characters"),
    ([described(machine="yes")], "version|machine"),
    ([line("eve", 1, SYSTEMS, [1, 2, 3]), described(machine=1)], "line 2.*machine"),
    ([described(machine=False)], "version.*the key is unknown"),
    ([described("judge\u200bbot")], "U\\+200B"),
    ([described(prompt="p" * 100_001)], "100000|100,000"),
    ([described(prompt=3)], "line 1.*prompt"),
    ([described(asked_twice="no")], "line 1.*asked_twice"),
]


def test_contradiction_is_refused_and_changes_nothing(
    writer: TestSetWriter,
    subtests: pytest.Subtests,
) -> None:
    judges = Judge.objects.count()
    for lines, problem in CONTRADICTIONS:
        with subtests.test(lines=lines, problem=problem):
            with pytest.raises(FormatError, match=problem):
                imports(writer.task, *lines)
            assert not MachineJudge.objects.exists()
            assert not MachineJudgment.objects.exists()
            assert Judge.objects.count() == judges


def test_names_and_versions_that_read_alike_are_refused(writer: TestSetWriter) -> None:
    first = described(judge="a b", version="c")
    second = described(judge="a", segment=2, version="b c")
    with pytest.raises(FormatError, match="machine judge “a b” with the version “c”"):
        imports(writer.task, first, second)
    assert not MachineJudge.objects.exists()
    imports(writer.task, first)
    with pytest.raises(FormatError, match="machine judge “a b” with the version “c”"):
        imports(writer.task, second)
    with pytest.raises(MachineRefusedError, match="“a b” with the version “c”"):
        machine_add(
            campaign=writer.task.test_set.campaign,
            by=None,
            terms=MachineTerms(name="a", version="b c"),
        )
    checked = judge_list_check(
        campaign=writer.task.test_set.campaign,
        judges=judge_list_read("name,machine,version\na,true,b c\n"),
    )
    assert [row.state for row in checked.rows] == [RowState.WRONG]
    assert MachineJudgment.objects.count() == 1


def test_person_may_not_have_the_name_of_a_machine_that_is_there(
    writer: TestSetWriter,
) -> None:
    machine_of(writer.campaign, "judgebot", "1")
    with pytest.raises(FormatError, match="is a machine judge of this campaign"):
        imports(writer.task, line("judgebot", 1, SYSTEMS, [1, 2, 3]))


def test_machine_may_not_have_the_name_of_a_person(writer: TestSetWriter) -> None:
    by = writer.campaign.memberships.get().user
    for terms in (
        MachineTerms(name="ada", version="2"),
        MachineTerms(name="judge\u00adbot", version="2"),
    ):
        with pytest.raises(MachineRefusedError):
            machine_add(campaign=writer.campaign, by=by, terms=terms)
    machine_of(writer.campaign, "judge bot", "1")
    # Files name both “judge bot 1”.
    with pytest.raises(MachineRefusedError, match="is already the machine judge"):
        machine_of(writer.campaign, "judge", "bot 1")


def test_exported_judgments_describe_a_machine_judge(writer: TestSetWriter) -> None:
    skip = {
        "machine": "判定者",
        "version": "1",
        "prompt": "Rank.",
        "asked_twice": True,
        "segment": 1,
        "candidates": SYSTEMS,
        "skip_reason": "cannot_judge",
        "submitted_at": "2026-11-30T12:00:00.123457Z",
        "comment": "The model refused.",
    }
    answer = {
        **skip,
        "segment": 2,
        "labels": [2, 1, None],
        "skip_reason": "",
        "duration_ms": 900,
    }
    text = "".join(json.dumps(row) + "\n" for row in (skip, answer))
    imported = imports(writer.task, text)
    assert (imported.machines, imported.by_machines) == (1, 2)
    assert MachineJudge.objects.get().asked_twice
    [skipped, answered] = rows(writer.task, "machine-judgments")
    for sent, stored in ((skip, skipped), (answer, answered)):
        for key in sent.keys() - {"candidates", "prompt", "asked_twice"}:
            assert stored[key] == sent[key], key
    # As a person's answer, it would be another file.
    for values, problem in (
        ({**skip, "skip_reason": "tired"}, "skip_reason"),
        ({**answer, "labels": [1, 2]}, "2 labels for 3 candidates"),
        ({**answer, "labels": [1, 2, 6]}, "out of range"),
        ({**answer, "labels": None}, "the labels are missing"),
        ({**answer, "submitted_at": "yesterday"}, "is not a time"),
        ({**answer, "score": 3}, "score.*the key is unknown"),
        ({**answer, "version": ""}, "version"),
    ):
        with pytest.raises(FormatError, match=problem):
            imports(writer.task, json.dumps(values) + "\n")


def test_page_and_rest_add_machine_judges_of_files(
    writer: TestSetWriter,
    client: Client,
) -> None:
    user = writer.campaign.memberships.get().user
    client.force_login(user)
    page = f"/campaigns/museum/tasks/{writer.task.pk}/answers/"
    file = SimpleUploadedFile("a.jsonl", described().encode())
    answer = client.post(page, {"file": file}, follow=True)
    assert "1 machine judge added." in answer.content.decode()
    file = SimpleUploadedFile("b.jsonl", described(version="3").encode())
    rest = f"/api/v1/tasks/{writer.task.pk}/answers/"
    answer = client.post(rest, {"file": file})
    assert (answer.json()["machines"], answer.json()["by_machines"]) == (1, 1)
    assert set(MachineJudge.objects.values_list("created_by", flat=True)) == {user.pk}
    refused = client.post(
        rest,
        {"file": SimpleUploadedFile("c.jsonl", described("ada").encode())},
    )
    assert refused.status_code == 400
    assert "line 1" in refused.content.decode()
