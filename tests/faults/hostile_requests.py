"""Faults that are requests: the same one many times at once, and one id for what two judges send."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from uuid import uuid4

from tests.faults.judges import submit
from tests.faults.ledger import Submission
from tests.faults.registry import fault
from tests.faults.server import Server
from tests.faults.stage import Stage

EQUAL, HITS = 16, 5
CROSSED_HITS = 16


def _lend(server: Server) -> list[dict[str, Any]]:
    answer = server.send("lend", "POST", "assignments/", {})
    return list(answer.body["blocks"]) if answer.outcome == "200" else []


def _at_once(sends: Sequence[Callable[[], str]]) -> list[str]:
    """Send from as many threads at the same moment; return the outcomes."""
    together = threading.Barrier(len(sends))

    def send(one: Callable[[], str]) -> str:
        together.wait()
        return one()

    with ThreadPoolExecutor(len(sends)) as pool:
        return list(pool.map(send, sends))


def _must_all(stage: Stage, right: int, of: int, what: str) -> None:
    said = f"{right} of {of} {what}"
    stage.notes.append(said)
    if right != of or not of:
        stage.failures.append(said)


@fault("equal-requests", short=True)
def equal_requests(stage: Stage) -> None:
    """Send each submission 16 times at once, from as many connections."""
    name, server = stage.spare_server(0)
    others = [stage.spare_server(0)[1] for _request in range(EQUAL)]
    outcomes = []
    for _hit in range(1 if stage.short else HITS):
        for block in _lend(server):
            labels = tuple(range(1, len(block["candidates"]) + 1))
            one = Submission(str(uuid4()), name, block["id"], labels)
            sends = [partial(submit, each, stage.ledger, one) for each in others]
            outcomes += _at_once(sends)
    _must_all(stage, outcomes.count("200"), len(outcomes), "answered 200")
    for each in (server, *others):
        each.close()


@fault("crossed-ids", short=True)
def crossed_ids(stage: Stage) -> None:
    """Send one id for blocks of two judges at the same moment, 48 times; one must be refused."""
    pairs = []
    judges = [stage.spare_server(number) for number in (0, 1)]
    for _hit in range(2 if stage.short else CROSSED_HITS):
        lent = [_lend(server) for _name, server in judges]
        pairs += [
            _crossed(stage, judges, blocks) for blocks in zip(*lent, strict=False)
        ]
        _finish(stage, judges, lent)
    right = sum(pair in (["200", "400"], ["200", "409"]) for pair in pairs)
    _must_all(stage, right, len(pairs), "pairs: one stored, one refused")
    for _name, server in judges:
        server.close()


def _crossed(
    stage: Stage,
    judges: list[tuple[str, Server]],
    blocks: tuple[dict[str, Any], ...],
) -> list[str]:
    client_id = str(uuid4())
    sends: list[Callable[[], str]] = []
    ones = []
    for (name, server), block in zip(judges, blocks, strict=True):
        labels = tuple(range(1, len(block["candidates"]) + 1))
        ones.append(Submission(client_id, name, block["id"], labels))
        sends.append(partial(_send_crossed, server, ones[-1]))
    outcomes = _at_once(sends)
    for one, outcome in zip(ones, outcomes, strict=True):
        if outcome == "200":
            noted = stage.ledger.sending(client_id, one.judge, one.block, one.labels)
            stage.ledger.acknowledged(noted)
    return sorted(outcomes)


def _send_crossed(server: Server, one: Submission) -> str:
    body = {"block": one.block, "labels": list(one.labels)}
    return server.send("crossed", "PUT", f"judgments/{one.client_id}/", body).outcome


def _finish(
    stage: Stage,
    judges: list[tuple[str, Server]],
    lent: list[list[dict[str, Any]]],
) -> None:
    """Judge all of both HITs properly, so that others are lent."""
    for (name, server), blocks in zip(judges, lent, strict=True):
        for block in blocks:
            labels = tuple(range(1, len(block["candidates"]) + 1))
            submit(
                server,
                stage.ledger,
                Submission(str(uuid4()), name, block["id"], labels),
            )
