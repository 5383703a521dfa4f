"""What a task that sorts leaves to choose."""

from collections.abc import Mapping
from typing import Any, Final

from campaign.models import Task
from protocols.sorting.statistics.verdicts import VerdictRule

#: Seven judges with 100 sentences each (Vilar et al. 2007); extended once by what one of them gives.
DEFAULTS: Final[Mapping[str, int]] = {"judgments": 700, "extension": 100, "most_of_a_judge": 0}
LOWEST: Final[Mapping[str, int]] = {"judgments": 1, "extension": 0, "most_of_a_judge": 0}
MOST: Final = 100_000


def _chosen(task: Task) -> dict[str, Any]:
    return {**DEFAULTS, **task.rules}


def verdict_rule(task: Task) -> VerdictRule:
    """Return when the comparisons of a task are closed."""
    rules = _chosen(task)
    return VerdictRule(quota=rules["judgments"], extension=rules["extension"])


def most_of_a_judge(rules: Mapping[str, Any]) -> int:
    """Return how many judgments of a judge count for a comparison, and how many sentences of it they are given; 0: no limit."""
    return int({**DEFAULTS, **rules}["most_of_a_judge"])


def judgments_of_a_comparison(rules: Mapping[str, Any]) -> int:
    """Return with how many judgments a comparison is closed, if it is not even then."""
    return int({**DEFAULTS, **rules}["judgments"])
