"""Whose judgments count in what a static copy tells of a test set: the same judges' on all its pages.

Of two answers of which one counts a judge and the other does not, the difference is what this judge said.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import JudgeTally
from annotation.selectors import excluded_judges
from campaign.models import Task
from ranking.models import RankingRun
from ranking.selectors.left_out import judges_not_counted


@dataclass(frozen=True, slots=True)
class CountedJudges:
    """The judges of a test set, by pseudonym, and those of them whom its present ranking leaves out."""

    judges: frozenset[str]
    left_out: frozenset[str]

    def are_those_of(self, judgments: Mapping[str, Any]) -> bool:
        """Return whether the same judges count in recorded judgments, apart from who judged nothing here."""
        return self.judges.isdisjoint(self.left_out.symmetric_difference(judgments["without"]))


def counted_judges(task: Task, run: RankingRun | None) -> CountedJudges:
    """Return who counts in the present ranking of a test set; without one, who is not excluded. Two queries."""
    left_out = (
        excluded_judges(campaign_id=task.test_set.campaign_id)
        if run is None
        else judges_not_counted(run.parameters)
    )
    judges = JudgeTally.objects.filter(task=task).values_list("judge__pseudonym", flat=True)
    return CountedJudges(frozenset(judges), frozenset(left_out))
