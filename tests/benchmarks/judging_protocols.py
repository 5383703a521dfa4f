"""What a judged item of each protocol costs the server: processor time of web processes and PostgreSQL together.

    python -m tests.benchmarks.judging_protocols [--protocols spans rating] [--stored 100 20000] [--turns 18] [--items 40]
        [--starts 3] [--beside /folder/of/another/version]

Each protocol has a web server and a PostgreSQL of its own (`judging_turn`), all are up at once, and they take turns in random
order: runs that follow each other differ by a tenth with the machine, which the ratios of turns do not. Ratios are to the first: a
ranked block of the other version if there is one, of this one otherwise. Servers differ from start to start as well, by where their
memory came to lie, so that all are started several times: the mean of the starts' medians, with intervals by bootstrap of starts and
of turns in them (95 %). In each, eight judges answer as a judge of the protocol does.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import numpy as np

from tests.benchmarks.judging_server import BLOCKS_A_HIT, JUDGES, JudgingBrowser, say
from tests.benchmarks.judging_turn import BLOCK

ROOT: Final = Path(__file__).parents[2]
TURN: Final = ROOT / "tests/benchmarks/judging_turn.py"
PROTOCOLS: Final = (
    *("ranking", "two_outputs", "sorting", "rating", "top", "spans", "editing", "quiz"),
)
_STATEMENTS = ("It is open.", "It is closed.", "It is old.")


def answer_to(protocol: str, hit: dict[str, Any], block: dict[str, Any]) -> dict[str, Any]:
    """Return what a request says of a block."""
    shown = len(block["candidates"])
    if protocol == "ranking":
        return {"labels": [1 + place % 5 for place in range(shown)]}
    spans = [
        {"start": 0, "end": 3, "severity": "minor", "kind": "error"},
        {"start": 5, "end": 9, "severity": "major", "kind": "error"},
    ]
    is_asked = hit["rules"].get("asked_with") == block["id"]
    answers: dict[str, dict[str, Any]] = {
        "two_outputs": {"verdict": "first"},
        "sorting": {"verdict": "second"},
        "top": {"top": [place == 0 for place in range(shown)]},
        "rating": {"value": 4},
        "spans": {"outputs": [{"score": 80, "spans": spans}] * shown},
        "editing": {"outcome": "edited", "text": f"An edit. {uuid4()}", "keystrokes": 40},
        "quiz": {"answers": [True] * len(_STATEMENTS) if is_asked else []},
    }
    return {"answer": answers[protocol]}


def _campaign_of(protocol: str) -> str:
    return protocol.replace("_", "-")


class Judging(JudgingBrowser):
    """A judge's page of any protocol."""

    def __init__(self, port: int, token: str, protocol: str) -> None:
        self.protocol = protocol
        self.campaign = _campaign_of(protocol)
        self._hits: dict[str, dict[str, Any]] = {}
        super().__init__(port, token)

    def judge_block(self) -> None:
        if not self._blocks:
            self._take(
                self._request("POST", "/api/v1/judging/assignments/", {"campaign": self.campaign})
            )
        block = self._blocks.pop(0)
        body = {
            "block": block["id"],
            **answer_to(self.protocol, self._hits[block["id"]], block),
            "duration_ms": 41_000,
            "active_ms": 38_000,
            "comment": "",
        }
        if len(self._blocks) == BLOCKS_A_HIT - 1:
            body["after"] = self._last
        stored = self._request("PUT", f"/api/v1/judging/judgments/{uuid4()}/", body)
        if stored["next"]:
            self._take(stored["next"])

    def _take(self, hit: dict[str, Any]) -> None:
        self._hits |= {block["id"]: hit for block in hit["blocks"]}
        super()._take(hit)


def make_world(protocol: str) -> tuple[int, list[str]]:
    """Make a task of the protocol with work for all; its id and the judges' links."""
    from annotation.services import assignment_lend, design_ensure, hits_plan
    from campaign.models import InvitationRole, Protocol
    from campaign.services import invitation_create, task_close, task_create
    from protocols.quiz.snippet_files import GivenSnippet
    from protocols.quiz.snippets import snippets_replace
    from tests import factories

    campaign = factories.make_campaign(_campaign_of(protocol), blocks_per_judge=100_000)
    task = factories.make_task(campaign, documents=(90,) * 6, identical=())
    if protocol != Protocol.RANKING:
        task_close(task=task)
        task = task_create(test_set=task.test_set, protocol=Protocol(protocol), by=None)
        design_ensure(task=task, seed=7)
    if protocol == Protocol.QUIZ:
        snippets = [
            GivenSnippet(
                f"{document} {first}",
                f"document {document}",
                first,
                first + 2,
                _STATEMENTS,
                (True,) * 3,
            )
            for document in range(1, 7)
            for first in range(1, 90, 3)
        ]
        snippets_replace(task=task, given=snippets)
    hits_plan(task_id=task.pk, count=40)
    assignment_lend(judge=factories.make_judge(campaign, "model"))
    tokens = []
    for number in range(JUDGES):
        judge = factories.make_judge(campaign, f"judge{number:02}")
        assert judge.user is not None
        _, token = invitation_create(campaign=campaign, user=judge.user, role=InvitationRole.JUDGE)
        tokens.append(token)
    return task.pk, tokens


def store_answers(protocol: str) -> None:
    """Give the judgments that `store` copied the answer of one that a judge gave."""
    from django.apps import apps
    from django.db import connection

    from annotation.protocols import answer_kind

    if not answer_kind(protocol).keeps_answers or protocol == "ranking":
        return
    model = apps.get_model(protocol, "Answer")
    table = model._meta.db_table
    columns = ", ".join(
        str(each.column) for each in model._meta.concrete_fields if not each.primary_key
    )
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            f"INSERT INTO {table} (judgment_id, {columns}) SELECT j.id, {columns} FROM annotation_judgment j "
            f"JOIN campaign_task k ON k.id = j.task_id AND k.protocol = %s, (SELECT {columns} FROM {table} LIMIT 1) a "
            f"WHERE NOT EXISTS (SELECT FROM {table} o WHERE o.judgment_id = j.id)",
            [protocol],
        )
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM (ANALYZE)")


@dataclass
class Contestant:
    """A protocol, or the ranked block of another version, with its server.

    Attributes
    ----------
    protocol, stored : str, int
        What is judged, with so many judgments stored before.
    folder : Path
        The checkout whose code serves.
    spent : list of list of (float, float)
        For each start and turn, milliseconds an item of the web processes and of PostgreSQL.
    """

    protocol: str
    stored: int
    folder: Path = ROOT
    spent: list[list[tuple[float, float]]] = field(default_factory=list)

    def start(self, items: int) -> subprocess.Popen[str]:
        """Start its server, which is to judge so many items in all."""
        python = str(self.folder / ".venv/bin/python")
        turn = [python, "-P", str(TURN), self.protocol, str(self.stored), str(items)]
        self._process = subprocess.Popen(
            [python, "-m", "launcher", "run", "--temporary", "--", *turn],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.spent.append([])
        return self._process

    def wait(self) -> None:
        """Wait until it has judged enough for its caches and plans to be there."""
        while self._read() != "ready":
            pass

    def judge(self, items: int) -> None:
        """Take a turn."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{items}\n")
        self._process.stdin.flush()
        web, database = map(float, self._read().split())
        self.spent[-1].append((web, database))

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"The server of {self.protocol} ended.")
        return line.strip()


def row(one: Contestant, first: Contestant) -> str:
    """Return a contestant's costs, and their ratio to those of the first."""
    rng = np.random.default_rng(0)
    web, database = np.median(one.spent, axis=(0, 1))
    ratios = np.sum(one.spent, axis=2) / np.sum(first.spent, axis=2)
    starts, turns = ratios.shape
    drawn = rng.integers(starts, size=(10_000, starts))
    resampled = np.median(
        ratios[drawn[..., None], rng.integers(turns, size=(10_000, starts, turns))], axis=2
    )
    low, high = np.quantile(np.mean(resampled, axis=1), [0.025, 0.975])
    medians = np.median(ratios, axis=1)
    return (
        f"{one.protocol:12} {one.stored:9,} stored: {web + database:5.2f} ms (web {web:.2f}, PostgreSQL {database:.2f}), "
        f"{np.mean(medians):.3f} of the first ({low:.3f} to {high:.3f}; starts {' '.join(f'{each:.3f}' for each in medians)})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--turns", type=int, default=18)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--stored", type=int, nargs="+", default=[100])
    parser.add_argument("--protocols", nargs="+", default=PROTOCOLS)
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    first = Contestant(BLOCK, options.stored[0], options.beside or ROOT)
    contestants = [first] + [
        Contestant(protocol, stored) for protocol in options.protocols for stored in options.stored
    ]
    rng = np.random.default_rng(0)
    for _start in range(options.starts):
        with ExitStack() as started:
            for one in contestants:
                started.enter_context(one.start(options.turns * (options.items + JUDGES)))
            for one in contestants:
                one.wait()
            for _turn in range(options.turns):
                for place in rng.permutation(len(contestants)):
                    contestants[place].judge(options.items)
    for one in contestants:
        say(row(one, first))


if __name__ == "__main__":
    main()
