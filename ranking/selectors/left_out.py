"""Judges whom rankings leave out: excluded ones, and those outside of the group that a ranking is of."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from annotation.models import JudgeTally
from campaign.models import GroupMember
from ranking.models import LatestRanking, RankingRun


def judges_outside(*, task_id: int, group_id: int) -> list[str]:
    """Return the pseudonyms, sorted, of judges who judged a test set and are not in a group. One query."""
    inside = GroupMember.objects.filter(group=group_id).values("judge")
    tallies = JudgeTally.objects.filter(task=task_id).exclude(judge__in=inside)
    return sorted(tallies.values_list("judge__pseudonym", flat=True))


def judges_not_counted(parameters: Mapping[str, Any]) -> list[str]:
    """Return the pseudonyms of judges whose judgments do not count, from the parameters of a run."""
    # Those of a published result name nobody.
    excluded: list[str] = parameters.get("excluded_judges", [])
    if "judge_group" not in parameters:
        return excluded
    return sorted({*excluded, *parameters["judge_group"]["others"]})


def judges_left_out(*runs: RankingRun | LatestRanking) -> dict[int, list[str]]:
    """Return, by test set, the pseudonyms of judges whose judgments its run leaves out.

    A run records all judges who were excluded in the campaign; these are those of them who had
    judged this test set. One run a test set. One query, none if nobody was excluded.
    """
    excluded = {run.task_id: run.parameters["excluded_judges"] for run in runs}
    left_out: dict[int, list[str]] = {run.task_id: [] for run in runs}
    concerned = [run for run in runs if excluded[run.task_id]]
    if not concerned:
        return left_out
    judged = Q()
    for run in concerned:
        judged |= Q(
            task=run.task_id,
            first_number__lte=run.watermark,
            judge__pseudonym__in=excluded[run.task_id],
        )
    rows = JudgeTally.objects.filter(judged)
    found = set(rows.values_list("task", "judge__pseudonym"))
    for run in concerned:
        left_out[run.task_id] = sorted(
            name for name in excluded[run.task_id] if (run.task_id, name) in found
        )
    return left_out
