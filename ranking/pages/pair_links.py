"""Links from pairs of judges to their outcomes side by side."""

from django.urls import reverse

from campaign.models import Task
from ranking.analyses import ANALYSES
from ranking.models import Analysis
from ranking.pages.analysis_form import given_of, question_query

#: Pairs that are linked, those beside the band first; of others one asks by name.
MOST_LINKED = 40


def pair_links(analysis: Analysis, task: Task, *, watermark: int | None) -> list[tuple[str, str]]:
    """Return the names of two judges and the address that sets them side by side; none of other kinds."""
    if analysis.kind != "judge_pairs" or analysis.data is None:
        return []
    given = given_of(ANALYSES[analysis.kind], analysis.choice)
    address = reverse("analysis", args=[task.test_set.campaign.slug, task.pk, analysis.kind])
    found = []
    for each in analysis.data["pairs"][:MOST_LINKED]:
        judge, other = each["pair"]["judges"]
        query = question_query({**given, "judge": judge, "other": other}, watermark)
        found.append((f"{judge} – {other}", f"{address}?{query}"))
    return found
