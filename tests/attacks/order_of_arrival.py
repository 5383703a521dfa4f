"""Compare by order of arrival which judges get attention checks, and when.

    python -m tests.attacks.order_of_arrival [--hits 25]

The review's case: a check every five HITs, a rate of 0.3, four judges one after the other.
"""

from __future__ import annotations

import argparse
from uuid import uuid4

from tests.attacks.foreseen_checks import approve_all
from tests.attacks.table import Figure, attack_run

EVERY = 5
RATE = 0.3
JUDGES = 4
POOL = 100
# Of 25 HITs, on the version before.
BEFORE = ("14", "23", "21", "23")


def attack() -> list[Figure]:
    """Let judges work one after the other; return which HITs of each held a check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hits", type=int, default=25)
    hits = parser.parse_args().hits
    figures = []
    for number, held in enumerate(judges_in_turn(hits)):
        # Chances of one in five: three standard deviations.
        expected, spread = hits / EVERY, 3 * (hits * (EVERY - 1)) ** 0.5 / EVERY
        figures.append(
            Figure(
                f"HITs with a check, judge {number + 1}",
                BEFORE[number],
                f"{len(held)}: {', '.join(map(str, held))}",
                f"{expected:.0f} ± {spread:.0f}",
                abs(len(held) - expected) <= spread,
            )
        )
    return figures


def judges_in_turn(hits: int) -> list[list[int]]:
    """Return the places, from 1, of the HITs with a check of each judge."""
    from annotation.selectors import assigned_blocks
    from annotation.services import design_change, judgment_submit, pool_fill
    from tests.at_work import lend
    from tests.factories import make_campaign, make_judge, make_task

    task = make_task(
        make_campaign(), documents=(30,) * -(-12 * hits // 30), identical=(), planned=0
    )
    approve_all(task)
    design_change(task=task, bad_reference_rate=RATE, attention_every=EVERY)
    found = []
    for number in range(JUDGES):
        judge = make_judge(task.test_set.campaign, f"judge{number:02}")
        held = []
        for place in range(1, hits + 1):
            if place % 5 == 1:
                pool_fill(task_id=task.pk, size=POOL)
            assignment = lend(judge)
            if assignment.hit.blocks.filter(control="attention").exists():
                held.append(place)
            for block in assigned_blocks(assignment):
                labels = [1] * len(block.candidates)
                judgment_submit(assigned=block, client_id=uuid4(), labels=labels)
        found.append(held)
    return found


if __name__ == "__main__":
    attack_run("tests.attacks.order_of_arrival", attack)
