"""A judge who knows the source code tries to foresee their attention checks and repeats.

    python -m tests.attacks.foreseen_checks [--judges 4] [--hits 100]

Judges do a hundred HITs each, through the judging API. What their browser got goes to the ways of
`foreseeing`, each of which says before every HIT how likely it is a check, or a repeat.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any
from uuid import uuid4

from tests.attacks.foreseeing import WAYS, Outcome, Seen, outcome
from tests.attacks.table import Figure, attack_run

JUDGING = "/api/v1/judging/"
EVERY = 10
SHARE = 0.1
GAP = 10
# A seed nobody knows, but the same each time, so that the figures are.
SEED = 0xC0FFEE_0123_4567_89AB_CDEF_0000_0001


def attack() -> list[Figure]:
    """Let judges work and return how well each way foresaw their checks and repeats."""
    options = arguments()
    judges = judges_at_work(judges=options.judges, hits=options.hits)
    figures = [
        Figure(
            "HITs, of these with checks, repeats",
            f"{sum(map(len, judges))}, {total(judges, 'is_check')}, {total(judges, 'is_repeat')}",
            "-",
            held=True,
        )
    ]
    for what, repeats in (("checks", False), ("repeats", True)):
        for name, way in WAYS.items():
            found = outcome(way, judges, repeats=repeats)
            figures.append(Figure(f"{what}: {name}", in_words(found), "AUC 0.5", found.is_chance))
    return figures


def in_words(found: Outcome) -> str:
    """Return area under the curve with its standard error, and lift."""
    return f"AUC {found.auc:.2f} ± {found.error:.2f}, lift {found.lift:.1f}"


def total(judges: list[list[Seen]], what: str) -> int:
    """Return of how many HITs something is true."""
    return sum(getattr(each, what) for seen in judges for each in seen)


def arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judges", type=int, default=4)
    parser.add_argument("--hits", type=int, default=100)
    return parser.parse_args()


def judges_at_work(*, judges: int, hits: int) -> list[list[Seen]]:
    """Let judges of very different pace do HITs of one test set; return what each of them got."""
    from annotation.services import design_change, pool_fill
    from tests.factories import make_campaign, make_judge, make_task

    task = make_task(
        make_campaign(blocks_per_judge=None),
        documents=(30,) * -(-2 * hits // 30),
        identical=(),
        planned=0,
    )
    approve_all(task)
    design_change(
        task=task,
        seed=SEED,
        segments_per_hit=1,
        bad_reference_rate=0.1,
        attention_every=EVERY,
        intra_share=SHARE,
        inter_share=SHARE,
        repeat_gap=GAP,
    )
    browsers = [Browser(make_judge(task.test_set.campaign, f"judge{n:02}")) for n in range(judges)]
    for number in range(hits):
        # The first is a day ahead of the others, as they come in turn.
        for browser in browsers[:1] * 2 if number % 2 == 0 else browsers[1:] * 2:
            pool_fill(task_id=task.pk, size=40)
            browser.judge_a_hit()
    for browser in browsers:
        while len(browser.seen) < hits:
            pool_fill(task_id=task.pk, size=40)
            browser.judge_a_hit()
    return [browser.seen[:hits] for browser in browsers]


def approve_all(task: Any) -> None:
    """Give each segment a damaged reference that may be shown."""
    from campaign.models import BadReference
    from campaign.services import bad_reference_review, bad_references_make

    bad_references_make(test_set=task.test_set, seed=5)
    for row in BadReference.objects.of(task.test_set_id):
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)


class Browser:
    """A judge's browser, which keeps what it got of each HIT."""

    def __init__(self, judge: Any) -> None:
        from django.test import Client

        self.client = Client(HTTP_HOST="localhost")
        self.client.force_login(judge.user)
        self.seen: list[Seen] = []

    def judge_a_hit(self) -> None:
        """Ask for a HIT, note what came, and rank all its blocks."""
        begun = time.perf_counter()
        answer = self.send("POST", "assignments/")
        seconds = time.perf_counter() - begun
        data = answer.json()
        self.seen.append(what_came(data, size=len(answer.content), seconds=seconds))
        for block in data["blocks"]:
            labels = [1] * len(block["candidates"])
            self.send("PUT", f"judgments/{uuid4()}/", block=block["id"], labels=labels)

    def send(self, method: str, path: str, **body: Any) -> Any:
        """Send a request and return the answer, which must be a good one."""
        answer = self.client.generic(
            method, JUDGING + path, json.dumps(body), content_type="application/json"
        )
        assert answer.status_code == 200, (path, answer.status_code, answer.content[:300])
        return answer


def what_came(data: dict[str, Any], *, size: int, seconds: float) -> Seen:
    """Return a HIT as it came, with what it was, which the attacker learns afterwards."""
    from annotation.models import Assignment

    hit = Assignment.objects.get(public_id=data["id"]).hit
    is_repeat = hit.purpose == "intra"
    return Seen(
        is_check=not is_repeat and hit.blocks.filter(control="attention").exists(),
        is_repeat=is_repeat,
        size=size,
        seconds=seconds,
        blocks=len(data["blocks"]),
        counter=max(numbers({**data, "blocks": None}), default=0),
    )


def numbers(data: Any) -> list[int]:
    """Return all numbers in an answer."""
    if isinstance(data, dict):
        return [number for value in data.values() for number in numbers(value)]
    if isinstance(data, list):
        return [number for value in data for number in numbers(value)]
    return [data] if type(data) is int else []


if __name__ == "__main__":
    attack_run("tests.attacks.foreseen_checks", attack)
