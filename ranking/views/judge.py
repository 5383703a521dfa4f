"""A judge of a test set: what was measured, what they worked, and what was decided about them."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.export.work_time import clock_time
from annotation.judge_measures import JudgeMeasure
from annotation.selectors import JudgeStatus, hours_worked, judge_status, work_time
from annotation.selectors.replica_reads import ReadAt, test_set_answer
from annotation.selectors.training import training_rounds
from campaign.models import Judge, TestSet
from campaign.texts.languages import language_name
from campaign.views.access import organised_test_set
from ranking.models import QualityReport
from ranking.pages.action_lines import action_lines
from ranking.pages.hour_plot import hour_plot
from ranking.pages.judge_measures import reference_missing_in_words
from ranking.pages.judge_strips import drawn_measures
from ranking.selectors.judge_list import JudgeListed, has_low_agreement, judges_listed
from ranking.selectors.judge_measures import measures_of, values_by_measure
from ranking.selectors.quality import quality_actions

# The latest; the time sheet has all.
DAYS_SHOWN = 14


@require_safe
@never_cache
@login_required
def judge_page(request: HttpRequest, slug: str, test_set_id: int, judge_id: int) -> HttpResponse:
    """Show a judge of the campaign, as they judged in a test set."""
    test_set = organised_test_set(request, slug, test_set_id)
    judges = Judge.objects.select_related("campaign").prefetch_related(
        "conflicts__system__test_set"
    )
    judge = get_object_or_404(judges, pk=judge_id, campaign=test_set.campaign_id)
    return test_set_answer(
        lambda at: _judge_page(request, test_set, judge, at), test_set_id=test_set.pk
    )


def _judge_page(
    request: HttpRequest, test_set: TestSet, judge: Judge, at: ReadAt | None
) -> HttpResponse:
    rows = judges_listed(test_set=test_set).filter(judge=judge)
    tally = rows.values_list(*JudgeListed._fields, named=True).first()
    own = measures_of(judge=judge, test_set=test_set)
    values = values_by_measure(test_set_id=test_set.pk)
    status = judge_status(judge)
    context = {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "section": "judges",
        "judge": judge,
        "languages": [language_name(tag) for tag in judge.languages],
        "status": status,
        "is_flagged": status != JudgeStatus.GOOD,
        "row": tally,
        "has_low_agreement": tally is not None and has_low_agreement(tally.disagrees),
        "measures": drawn_measures(own, values),
        "no_reference": reference_missing_in_words(test_set)
        if own and not values.get(JudgeMeasure.REFERENCE)
        else "",
        "report": QualityReport.objects.filter(test_set=test_set).first(),
        "training": training_rounds(test_set_id=test_set.pk, judges=[judge.pk]).get(judge.pk, []),
        "actions": action_lines(
            quality_actions(test_set=test_set).filter(judge=judge), test_set=test_set
        ),
        "read_at": at,
        **_worked(judge),
    }
    return render(request, "organiser/judge.html", context)


def _worked(judge: Judge) -> dict[str, Any]:
    worked = work_time(judge)
    days = sorted(worked.days.items(), reverse=True)
    return {
        "days": [(day, each, clock_time(each.active_seconds)) for day, each in days[:DAYS_SHOWN]],
        "more_days": len(days) > DAYS_SHOWN,
        "total": worked.total,
        "total_time": clock_time(worked.total.active_seconds),
        "hours": hour_plot(hours_worked(judge)),
        "time_zone": settings.TIME_ZONE,
    }
