"""Judges whom rankings leave out."""

from django.db.models import Q

from annotation.models import Judgment
from ranking.models import RankingRun


def judges_left_out(*runs: RankingRun) -> dict[int, list[str]]:
    """Return, by the id of each run, the pseudonyms of judges whose judgments it leaves out.

    A run records all judges who were excluded in the campaign; these are those of them who had
    judged this test set. One query, none if nobody was excluded.
    """
    excluded = {run.pk: run.parameters.get("excluded_judges", []) for run in runs}
    left_out: dict[int, list[str]] = {run.pk: [] for run in runs}
    concerned = [run for run in runs if excluded[run.pk]]
    if not concerned:
        return left_out
    judged = Q()
    for run in concerned:
        judged |= Q(
            test_set=run.test_set_id,
            number__lte=run.watermark,
            judge__pseudonym__in=excluded[run.pk],
        )
    rows = Judgment.objects.counted().filter(judged).order_by()
    found = set(rows.values_list("test_set", "judge__pseudonym").distinct())
    for run in concerned:
        left_out[run.pk] = sorted(
            name for name in excluded[run.pk] if (run.test_set_id, name) in found
        )
    return left_out
