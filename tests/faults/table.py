"""The table of outcomes, as Markdown for the terminal; docs/reliability.md sums it up."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime

from tests.faults.run import Outcome

HEADER = (
    *(
        "fault",
        "sent",
        "acknowledged",
        "stored",
        "doubled",
        "lost",
        "invented",
        "not one current",
    ),
    *(
        "not the last",
        "gaps",
        "sent again",
        "silent s",
        "failing s",
        "p99 ms",
        "ranked s",
    ),
    "other answers",
)


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the table with a line of sums."""
    return "\n".join([head(), *map(line, outcomes), sums(outcomes)])


def head() -> str:
    """Return the first two lines of the table."""
    return f"| {' | '.join(HEADER)} |\n|---{'|--:' * (len(HEADER) - 2)}|---|"


def line(outcome: Outcome) -> str:
    """Return the line of one run."""
    return f"| {' | '.join(_cells(outcome))} |"


def sums(outcomes: Sequence[Outcome]) -> str:
    """Return the line that adds up what can be added up."""
    columns = [
        str(sum(_counts(each)[column] for each in outcomes)) for column in range(9)
    ]
    return f"| **all** | {' | '.join(columns)} |{' |' * (len(HEADER) - 10)}"


def _counts(outcome: Outcome) -> list[int]:
    found = outcome.comparison
    return [
        *(found.sent, found.acknowledged, found.stored, found.doubled, found.lost),
        *(found.invented, found.not_one_current, found.not_the_last, found.gaps),
    ]


def _cells(outcome: Outcome) -> list[str]:
    ranked = outcome.comparison.ranked_seconds
    unusual = [
        f"{answer} × {number}" for answer, number in sorted(outcome.outcomes.items())
    ]
    return [
        outcome.fault,
        *map(str, _counts(outcome)),
        str(outcome.retried),
        f"{outcome.silence_seconds:.1f}",
        "–" if outcome.failing_seconds is None else f"{outcome.failing_seconds:.1f}",
        f"{outcome.p99_ms:.0f}",
        "never" if ranked is None else f"{ranked:.1f}",
        "; ".join(
            [*unusual, *outcome.notes, *(f"**{each}**" for each in outcome.failures)],
        ),
    ]


def machine() -> str:
    """Return the sentence that says when and on what the figures were measured."""
    one, five, _fifteen = os.getloadavg()
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} on {os.cpu_count()} cores ({platform.machine()}, "
        f"{platform.system()}); the load at the end was {one:.1f} (over five minutes {five:.1f})."
    )
