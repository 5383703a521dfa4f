"""The judges of a test set, as a table."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.judge_measures import JudgeMeasure
from annotation.selectors.replica_reads import ReadAt, test_set_answer
from campaign.models import TestSet
from campaign.pages.rights import rights
from campaign.views.access import organised_test_set
from ranking.models import QualityReport
from ranking.pages.action_lines import action_line
from ranking.pages.judge_measures import reference_missing_in_words
from ranking.pages.judge_table import JudgeFilter, JudgeTable
from ranking.selectors.judge_list import judges_listed
from ranking.selectors.judge_measures import lacks_measure
from ranking.selectors.quality import actions_in_force, exclusions_in_force


@require_safe
@never_cache
@login_required
def judges_page(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show a row for each judge, those that something is amiss with first.

    `?sort=` and `?page=` as any table, `?name=`, `?status=` and `?flagged=` as `JudgeFilter` has them.
    """
    test_set = organised_test_set(request, slug, test_set_id)
    return test_set_answer(lambda at: _judges_page(request, test_set, at), test_set_id=test_set.pk)


def _judges_page(request: HttpRequest, test_set: TestSet, at: ReadAt | None) -> HttpResponse:
    asked = JudgeFilter.of(request, judges_listed(test_set=test_set))
    table = JudgeTable(asked.found, test_set=test_set)
    table.of(request)
    if rights(request)["may_change"]:
        table.chosen_by = "decide"
    flagged = [row.record.judge_id for row in table.page if row.record.gravity]
    table.actions = actions_in_force(test_set=test_set, judges=flagged)
    lacks_reference = lacks_measure(test_set_id=test_set.pk, measure=JudgeMeasure.REFERENCE)
    context = {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "section": "judges",
        "filter": asked,
        "table": table,
        "no_reference": reference_missing_in_words(test_set) if lacks_reference else "",
        "left_out": [action_line(action) for action in exclusions_in_force(test_set=test_set)],
        "report": QualityReport.objects.filter(test_set=test_set).first(),
        "read_at": at,
    }
    return render(request, "organiser/judges.html", context, status=asked.status)
