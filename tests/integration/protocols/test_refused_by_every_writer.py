"""Wrong answers get an error in words and change nothing, whoever writes them: a judge, a machine or a file."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest

from annotation.importing.answers import ImportOptions, answers_import
from annotation.models import Block, Judgment, MachineJudgment
from annotation.protocols import answer_files
from annotation.protocols.submissions import SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.machines import MachineBlock
from annotation.services.machines import machine_judgment_submit
from annotation.services.numbers import judgments_number
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.formats import FormatError
from campaign.formats.streams import StoredFile
from campaign.models import MachineJudge, Output, Protocol, Task
from campaign.services.machines import MachineTerms, machine_add
from tests.at_work import lend
from tests.exporting import exported
from tests.factories import make_campaign, make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import said_about
from tests.integration.protocols.test_files_of_every_protocol import COMMANDS


@dataclass(frozen=True)
class Wrong:
    """A wrong answer to a block, made from the candidates' texts, and the error."""

    answer: Callable[[list[str]], Any]
    words: str


def _span_after_the_end(texts: list[str]) -> dict[str, Any]:
    return {
        "outputs": [
            {
                "score": 50,
                "spans": [
                    {
                        "start": 0,
                        "end": len(text) + 1,
                        "severity": "minor",
                        "kind": "error",
                    },
                ],
            }
            for text in texts
        ],
    }


WRONG = {
    Protocol.RANKING: Wrong(
        lambda texts: [7 for _text in texts],
        "Ranks must be between",
    ),
    Protocol.TWO_OUTPUTS: Wrong(
        lambda _texts: {"verdict": "both_fine"},
        "not an answer",
    ),
    Protocol.TOP: Wrong(
        lambda texts: {"top": [False for _text in texts]},
        "at least one output",
    ),
    Protocol.RATING: Wrong(
        lambda _texts: {"criterion": "fluency", "value": 9},
        "9 is not a whole",
    ),
    Protocol.SPANS: Wrong(_span_after_the_end, "marks no part of the text"),
    Protocol.EDITING: Wrong(
        lambda texts: {"outcome": "edited", "text": texts[0], "keystrokes": None},
        "The text is unchanged",
    ),
    Protocol.QUIZ: Wrong(
        lambda _texts: {"answers": [True] * 7},
        "Send one answer per statement",
    ),
}
#: The reader of quiz files checks the number of answers itself.
IN_FILES = [protocol for protocol in WRONG if protocol != Protocol.QUIZ]


def _texts(block_id: int) -> list[str]:
    outputs = Block.objects.values_list("outputs", flat=True).get(pk=block_id)
    texts = dict(Output.objects.filter(pk__in=outputs).values_list("pk", "text"))
    return [texts[output] or "" for output in outputs]


def refused_then_stored(protocol: Protocol, make_task_of: MakeTask) -> None:
    wrong = WRONG[protocol]
    task = make_task_of(protocol)
    block = assigned_blocks(lend(make_judge(task.test_set.campaign)))[0]
    field = "labels" if protocol == Protocol.RANKING else "answer"
    answer = {field: wrong.answer(_texts(block.block_id))}
    client_id = uuid4()
    with pytest.raises(SubmissionRefusedError, match=wrong.words) as refusal:
        judgment_submit(
            assigned=block,
            client_id=client_id,
            sent=SentJudgment(**answer),
        )
    assert refusal.value.field == field
    assert not Judgment.objects.exists()
    stored = judgment_submit(
        assigned=block,
        client_id=client_id,
        sent=SentJudgment(**said_about(block)),
    )
    assert Judgment.objects.get() == stored


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", WRONG)
def test_judge_is_refused_inside_a_transaction(
    protocol: Protocol,
    make_task_of: MakeTask,
) -> None:
    refused_then_stored(protocol, make_task_of)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_judge_is_refused_outside_a_transaction(make_task_of: MakeTask) -> None:
    refused_then_stored(Protocol.SPANS, make_task_of)


def _machine(task: Task) -> MachineJudge:
    """Return a machine judge of the task's campaign."""
    campaign = task.test_set.campaign
    organiser = make_organiser(campaign)
    machine, _token = machine_add(
        campaign=campaign,
        by=organiser,
        terms=MachineTerms(name="judgebot", version="1"),
    )
    return machine


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", WRONG)
def test_machine_is_refused_in_both_orders(
    protocol: Protocol,
    make_task_of: MakeTask,
) -> None:
    task = make_task_of(protocol)
    machine = _machine(task)
    blocks = Block.objects.filter(hit__task=task, control="", hit__repeats=None)
    block = blocks.select_related("hit__task__test_set__campaign").order_by("pk")[0]
    texts = _texts(block.pk)
    wrong = WRONG[protocol]
    field = "labels" if protocol == Protocol.RANKING else "answer"
    for is_reversed in (False, True):
        answer = wrong.answer(texts[::-1] if is_reversed else texts)
        sent: Any = {field: answer}
        with pytest.raises(SubmissionRefusedError, match=wrong.words):
            machine_judgment_submit(
                machine=machine,
                machine_block=MachineBlock(block, is_reversed),
                client_id=uuid4(),
                sent=sent,
            )
    assert not MachineJudgment.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", IN_FILES)
def test_file_is_refused_even_if_its_reader_accepts_the_answer(
    protocol: Protocol,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file of a person's answers, and one of a machine's."""
    make, file_format, _command = COMMANDS[protocol]
    task = make(make_campaign())
    if protocol == Protocol.TWO_OUTPUTS:
        Task.objects.filter(pk=task.pk).update(rules={"four_answers": False})
        task.refresh_from_db()
    judgments_number(task_id=task.pk)
    machine = _machine(task)
    wrong = WRONG[protocol]
    files = answer_files.answer_files(protocol)
    assert files is not None
    careless = replace(
        files,
        answer=lambda _said, texts, _rules, _lose: wrong.answer(
            [text or "" for text in texts],
        ),
    )
    monkeypatch.setitem(answer_files._FILES, protocol, careless)
    lines = [json.loads(text) for text in exported(task, file_format).splitlines()]
    line = next(each for each in lines if each.get("criterion", "fluency") == "fluency")
    line["judge"] = "newcomer"
    if "acceptances" in line:
        line["acceptances"] = []
    file = StoredFile("answers.jsonl", partial(BytesIO, json.dumps(line).encode()))
    judgments = Judgment.objects.count()
    for answering in ("", str(machine)):
        options = ImportOptions(machine=answering)
        with pytest.raises(FormatError, match=f"line 1.*{wrong.words}"):
            answers_import(task=task, files=[file], options=options)
    assert Judgment.objects.count() == judgments
    assert not MachineJudgment.objects.exists()
