"""What a judged item of each protocol costs the server: processor time of web processes and PostgreSQL together.

    python -m tests.benchmarks.judging_protocols [--items 240] [--stored 100 20000] [--protocols spans rating]

As `judging_server` does for rankings, whose cost stands in the first row: eight judges take turns, and each answer is what a
judge of the protocol sends. A database of its own for all, a campaign for each.
"""

from __future__ import annotations

import argparse
from typing import Any
from uuid import uuid4

from tests.benchmarks.judging_server import (
    BLOCKS_A_HIT,
    JUDGES,
    WARM_ROUNDS,
    JudgingBrowser,
    measure,
    say,
    store,
)
from tests.benchmarks.web_server import prepare_django, with_services

_HIT_BLOCKS = 3
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


class Judging(JudgingBrowser):
    """A judge's page of any protocol."""

    protocol = ""

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
        self._hits = getattr(self, "_hits", {}) | {block["id"]: hit for block in hit["blocks"]}
        super()._take(hit)


def make_world(protocol: str) -> tuple[int, list[str]]:
    """Make a task of the protocol with work for all; its id and the judges' links."""
    from annotation.services import assignment_lend, design_ensure, hits_plan
    from campaign.models import InvitationRole, Protocol
    from campaign.services import invitation_create, task_close, task_create
    from protocols.quiz.snippet_files import GivenSnippet
    from protocols.quiz.snippets import snippets_replace
    from tests import factories

    campaign = factories.make_campaign(protocol.replace("_", "-"), blocks_per_judge=100_000)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=240)
    parser.add_argument("--stored", type=int, nargs="+", default=[100, 20_000])
    parser.add_argument("--protocols", nargs="+")
    options = parser.parse_args()
    with_services("tests.benchmarks.judging_protocols")
    prepare_django(STATIC_HASHED="0")
    from annotation.protocols import answer_kinds
    from annotation.services import hits_plan
    from annotation.services.planning.blocks import hits_prepare

    for protocol in options.protocols or [kind.protocol for kind in answer_kinds()]:
        task_id, tokens = make_world(protocol)
        Judging.protocol, Judging.campaign = protocol, protocol.replace("_", "-")
        totals = []
        for number, stored in enumerate(options.stored):
            if number:
                store(task_id, stored)
                store_answers(protocol)
            needed = JUDGES * WARM_ROUNDS + options.items
            # HITs that repeat others wait: of blind editing, two of three.
            hits_plan(task_id=task_id, count=3 * (needed // _HIT_BLOCKS + JUDGES))
            hits_prepare(task_id=task_id, count=1000)
            totals.append(
                measure(tokens, options.items, lambda one: one.judge_block(), browser=Judging)
            )
        say(
            f"{protocol:12} "
            + "  ".join(
                f"{stored:9,} stored: {sum(total):5.2f} ms (web {total[0]:.2f}, PostgreSQL {total[1]:.2f})"
                for stored, total in zip(options.stored, totals, strict=True)
            )
        )


if __name__ == "__main__":
    main()
