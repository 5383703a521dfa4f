"""Answers that the database refuses get an error in words and change nothing, in a request and in a transaction."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from annotation.models import Block, Judgment
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Output, Protocol
from tests.at_work import lend
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import said_about


def _output(block: AssignedBlock) -> str:
    outputs = Block.objects.values_list("outputs", flat=True).get(pk=block.block_id)
    return Output.objects.get(pk=outputs[0]).text or ""


def _span_after_the_end(block: AssignedBlock) -> dict[str, Any]:
    length = len(_output(block))
    span = {"start": 0, "end": length + 1, "severity": "minor", "kind": "error"}
    return {"outputs": [{"score": 50, "spans": [span]} for _each in block.candidates]}


#: Answers that only the triggers of a protocol refuse, and the errors.
REFUSED: dict[Protocol, tuple[Callable[[AssignedBlock], dict[str, Any]], str]] = {
    Protocol.SPANS: (_span_after_the_end, "marks no part of the text"),
    Protocol.EDITING: (
        lambda block: {"outcome": "edited", "text": _output(block)},
        "The text is unchanged",
    ),
    Protocol.QUIZ: (
        lambda _block: {"answers": [True] * 7},
        "Send one answer per statement",
    ),
}


def refused_then_stored(protocol: Protocol, make_task_of: MakeTask) -> None:
    wrong, words = REFUSED[protocol]
    task = make_task_of(protocol)
    block = assigned_blocks(lend(make_judge(task.test_set.campaign)))[0]
    client_id = uuid4()
    with pytest.raises(SubmissionRefusedError, match=words) as refusal:
        judgment_submit(
            assigned=block,
            client_id=client_id,
            sent=SentJudgment(answer=wrong(block)),
        )
    assert refusal.value.field == "answer"
    assert not Judgment.objects.exists()
    stored = judgment_submit(
        assigned=block,
        client_id=client_id,
        sent=SentJudgment(**said_about(block)),
    )
    assert Judgment.objects.get() == stored


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", REFUSED)
def test_inside_a_transaction(protocol: Protocol, make_task_of: MakeTask) -> None:
    refused_then_stored(protocol, make_task_of)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_alone(make_task_of: MakeTask) -> None:
    refused_then_stored(Protocol.SPANS, make_task_of)
