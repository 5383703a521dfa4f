"""Every protocol, from its registry, and answers of judges in each."""

from collections.abc import Sequence
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from annotation.models import HIT, Block, HITSequence
from annotation.protocols.answer_kinds import AnswerKind, answer_kind, answer_kinds
from annotation.protocols.submissions import AssignedBlock
from annotation.services.simulation import (
    SimulatedJudge,
    blocks_asked,
    simulated_answer,
)
from campaign.models import Protocol, Task
from tests.some_now import some_now

JUDGING = "/api/v1/judging"
#: Parametrises a test by `protocol`.
EVERY_PROTOCOL = pytest.mark.parametrize(
    "protocol",
    [
        pytest.param(Protocol(kind.protocol), id=kind.protocol)
        for kind in answer_kinds()
    ],
)
#: For expensive tests: two protocols; all of them with `make test-thorough`.
TWO_NOW = pytest.mark.parametrize(
    "protocol",
    some_now((Protocol(kind.protocol) for kind in answer_kinds()), most=2),
)
#: One protocol whose judges compare outputs, and one whose judges assess a single output.
TWO_PROTOCOLS = pytest.mark.parametrize("protocol", [Protocol.RANKING, Protocol.RATING])
#: Stated qualities of outputs in shown order, and others, about which something else is said.
FINE, POOR = (95.0, 70.0, 45.0, 20.0, 5.0), (5.0, 60.0, 90.0, 55.0, 40.0)

_EXACT = SimulatedJudge("exact", noise=0, ties_within=0)


def said_about(
    block: AssignedBlock,
    qualities: Sequence[float] = FINE,
) -> dict[str, Any]:
    """Return an answer about a block with outputs of these qualities, as requests and `judgment_submit` take it."""
    kind = answer_kind(block.protocol)
    stored = Block.objects.select_related("hit__task").get(pk=block.block_id)
    [asked] = [
        each for each in blocks_asked(stored.hit) if each.block_id == block.block_id
    ]
    said = simulated_answer(
        asked,
        qualities[: len(asked.outputs)],
        _EXACT,
        # Not by id: those depend on the tests that ran before.
        Random(f"{stored.hit.number} {stored.position}"),
        kind=kind,
    )
    return {_field(kind): said}


def asked_first(blocks: Sequence[AssignedBlock]) -> list[AssignedBlock]:
    """Return blocks, first one with a question: most blocks of a quiz are only read."""
    return sorted(
        blocks,
        key=lambda block: said_about(block) == said_about(block, POOR),
    )


def field_of(protocol: str) -> str:
    """Return the name of the answer in requests of a protocol."""
    return _field(answer_kind(protocol))


def hit_asked(judging: Client, **body: Any) -> Any:
    """Ask for a HIT as a judge's browser does; return it, or the status of an answer without one."""
    answer = judging.post(
        f"{JUDGING}/assignments/",
        body,
        content_type="application/json",
    )
    return answer.json() if answer.status_code == 200 else answer.status_code


def judgment_put(
    judging: Client,
    block: Any,
    id_: UUID | None = None,
    **body: Any,
) -> Any:
    """Send an answer about a block as a judge's browser does, with a new id if none is given."""
    address = f"{JUDGING}/judgments/{id_ or uuid4()}/"
    return judging.put(
        address,
        {"block": block["id"], **body},
        content_type="application/json",
    )


def _field(kind: AnswerKind) -> str:
    return "answer" if kind.has_answers else "labels"


def plans_delete(task: Task) -> None:
    """Delete the planned HITs of a task, none of which is lent, so that its design can change."""
    planned = HIT.objects.filter(task=task)
    planned.exclude(repeats=None).delete()
    planned.delete()
    HITSequence.objects.filter(task=task).update(turns=0)
