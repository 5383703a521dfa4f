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
from annotation.selectors.replica_reads import ReadAt, task_answer
from annotation.selectors.training import training_rounds
from campaign.models import Judge, Task
from campaign.texts.languages import language_name
from campaign.views.access import organised_task
from ranking.models import QualityReport
from ranking.pages.acting import action_lines
from ranking.pages.hour_plot import hour_plot
from ranking.pages.judge_measures import reference_missing_in_words
from ranking.pages.judge_strips import drawn_measures
from ranking.pages.page_plots import links_of_judge
from ranking.selectors.judge_list import JudgeListed, has_low_agreement, judges_listed
from ranking.selectors.judge_measures import measures_of, values_by_measure
from ranking.selectors.quality import quality_actions

# The latest; the time sheet has all.
DAYS_SHOWN = 14


@require_safe
@never_cache
@login_required
def judge_page(request: HttpRequest, slug: str, task_id: int, judge_id: int) -> HttpResponse:
    """Show a judge of the campaign, as they judged in a test set."""
    task = organised_task(request, slug, task_id)
    judges = Judge.objects.select_related("campaign").prefetch_related(
        "conflicts__system__test_set"
    )
    judge = get_object_or_404(judges, pk=judge_id, campaign=task.test_set.campaign_id)
    return task_answer(lambda at: _judge_page(request, task, judge, at), task_id=task.pk)


def _judge_page(request: HttpRequest, task: Task, judge: Judge, at: ReadAt | None) -> HttpResponse:
    rows = judges_listed(task=task).filter(judge=judge)
    tally = rows.values_list(*JudgeListed._fields, named=True).first()
    own = measures_of(judge=judge, task=task)
    values = values_by_measure(task_id=task.pk)
    status = judge_status(judge)
    measures = drawn_measures(own, values)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "judges",
        "judge": judge,
        "languages": [language_name(tag) for tag in judge.languages],
        "status": status,
        "is_flagged": status != JudgeStatus.GOOD,
        "row": tally,
        "has_low_agreement": tally is not None and has_low_agreement(tally.disagrees),
        "measures": measures,
        "are_drawn": any(each.strip for each in measures),
        "plot_links": links_of_judge(judge, task),
        "no_reference": reference_missing_in_words(task)
        if own and not values.get(JudgeMeasure.REFERENCE)
        else "",
        "report": QualityReport.objects.filter(task=task).first(),
        "training": training_rounds(task_id=task.pk, judges=[judge.pk]).get(judge.pk, []),
        "actions": action_lines(quality_actions(task=task).filter(judge=judge), task=task),
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
