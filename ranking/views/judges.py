"""The judges of a test set, as a table."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.judge_measures import JudgeMeasure
from annotation.selectors.replica_reads import ReadAt, task_answer
from campaign.models import Task
from campaign.pages.rights import rights
from campaign.views.access import organised_task
from ranking.models import QualityReport
from ranking.pages.acting import action_line
from ranking.pages.judge_measures import reference_missing_in_words
from ranking.pages.judge_table import JudgeFilter, JudgeTable
from ranking.pages.page_plots import links_of_task
from ranking.selectors.judge_list import judges_listed
from ranking.selectors.judge_measures import lacks_measure
from ranking.selectors.quality import actions_in_force, exclusions_in_force


@require_safe
@never_cache
@login_required
def judges_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show a row for each judge, those that something is amiss with first.

    `?sort=` and `?page=` as any table, `?name=`, `?status=` and `?flagged=` as `JudgeFilter` has them.
    """
    task = organised_task(request, slug, task_id)
    return task_answer(lambda at: _judges_page(request, task, at), task_id=task.pk)


def _judges_page(request: HttpRequest, task: Task, at: ReadAt | None) -> HttpResponse:
    asked = JudgeFilter.of(request, judges_listed(task=task))
    table = JudgeTable(asked.found, task=task)
    table.of(request)
    if rights(request)["may_change"]:
        table.chosen_by = "decide"
    flagged = [row.record.judge_id for row in table.page if row.record.gravity]
    table.actions = actions_in_force(task=task, judges=flagged)
    lacks_reference = lacks_measure(task_id=task.pk, measure=JudgeMeasure.REFERENCE)
    is_drawn = any(row.record.kappa is not None for row in table.page)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "judges",
        "filter": asked,
        "table": table,
        "plot_links": links_of_task(task, ["agreement"], query=request.GET.urlencode())
        if is_drawn
        else None,
        "no_reference": reference_missing_in_words(task) if lacks_reference else "",
        "left_out": [action_line(action) for action in exclusions_in_force(task=task)],
        "report": QualityReport.objects.filter(task=task).first(),
        "read_at": at,
    }
    return render(request, "organiser/judges.html", context, status=asked.status)
