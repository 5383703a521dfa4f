"""Pages of judges of a task, of one judge with measures and decisions, and of judge groups."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.export.work_time import clock_time
from annotation.judge_measures import JudgeMeasure
from annotation.pages.judge_tables import judge_details
from annotation.selectors.judges import JudgeStatus, campaign_judges, judge_status
from annotation.selectors.replica_reads import ReadAt, task_answer
from annotation.selectors.training import training_rounds
from annotation.selectors.work_time import hours_worked, work_time
from campaign.models import Judge, JudgeGroup, Task
from campaign.pages.rights import rights
from campaign.views.access import of_task, organised_campaign, organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import form_view, page_view
from ranking.models import RankingUpkeep
from ranking.pages.acting import action_line, action_lines
from ranking.pages.formats import bar_plot
from ranking.pages.forms import JudgeGroupForm
from ranking.pages.judge_measures import (
    JudgeFilter,
    JudgeTable,
    drawn_measures,
    reference_missing_in_words,
)
from ranking.pages.page_plots import plot_links
from ranking.selectors.judges import (
    actions_in_force,
    exclusions_in_force,
    group_uses,
    groups_listed,
    has_low_agreement,
    judges_listed,
    lacks_measure,
    measures_of,
    quality_actions,
    values_by_measure,
)
from ranking.services.quality import JudgeGroupInUseError, judge_group_delete
from ranking.views.results import Sections

# Number of days shown, the latest ones; the time sheet has all.
DAYS_SHOWN = 14


@page_view
def judge_page(request: HttpRequest, slug: str, task_id: int, judge_id: int) -> HttpResponse:
    """Show a judge of the campaign with their work in a test set."""
    task = organised_task(request, slug, task_id)
    campaign = task.test_set.campaign
    judge: Judge = get_object_or_404(campaign_judges(campaign=campaign), pk=judge_id)
    judge.campaign = campaign
    return task_answer(lambda at: _judge_page(request, task, judge, at), task_id=task.pk)


def _judge_page(request: HttpRequest, task: Task, judge: Judge, at: ReadAt | None) -> HttpResponse:
    rows = judges_listed(task=task).filter(judge=judge)
    tally = rows.first()
    own = measures_of(judge=judge, task=task)
    values = values_by_measure(task_id=task.pk)
    status = judge_status(judge)
    measures = drawn_measures(own, values)
    context = {
        **of_task(task, "judges"),
        **judge_details(judge),
        "status": status,
        "is_flagged": status != JudgeStatus.GOOD,
        "row": tally,
        "has_low_agreement": tally is not None and has_low_agreement(tally.disagrees),
        "measures": measures,
        "are_drawn": any(each["strip"] for each in measures),
        "plot_links": plot_links("judge-plot", task.test_set.campaign.slug, task.pk, judge.pk),
        "no_reference": reference_missing_in_words(task)
        if own and not values.get(JudgeMeasure.REFERENCE)
        else "",
        "report": RankingUpkeep.objects.filter(task=task, measured_at__isnull=False).first(),
        "training": training_rounds(task_id=task.pk, judges=[judge.pk]).get(judge.pk, []),
        "actions": action_lines(quality_actions(task=task).filter(judge=judge), task=task),
        "read_at": at,
        **_worked(judge),
    }
    return render(request, "organiser/judge.html", context)


def _worked(judge: Judge) -> dict[str, Any]:
    worked, sentences = work_time(judge), hours_worked(judge)
    days = sorted(worked.days.items(), reverse=True)
    return {
        "days": [(day, each, clock_time(each.active_seconds)) for day, each in days[:DAYS_SHOWN]],
        "more_days": len(days) > DAYS_SHOWN,
        "total": worked.total,
        "total_time": clock_time(worked.total.active_seconds),
        "hours": bar_plot([(hour, sentences.get(hour, 0)) for hour in range(24)], filled=0.8),
        "time_zone": settings.TIME_ZONE,
    }


@page_view
def judges_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show a table of judges, those with problems first.

    Query parameters: `sort` and `page`, as for all tables, and the filters of `JudgeFilter`.
    """
    task = organised_task(request, slug, task_id)
    return task_answer(lambda at: _judges_page(request, task, at), task_id=task.pk)


def _judges_page(request: HttpRequest, task: Task, at: ReadAt | None) -> HttpResponse:
    asked = JudgeFilter.of(request, judges_listed(task=task))
    sections = Sections(request, task)
    table = JudgeTable(asked.found, task=task)
    table.of(request)
    if rights(request)["may_change"]:
        table.chosen_by = "decide"
    flagged = [row.record.judge_id for row in table.page if row.record.gravity]
    table.actions = actions_in_force(task=task, judges=flagged)
    lacks_reference = lacks_measure(task_id=task.pk, measure=JudgeMeasure.REFERENCE)
    is_drawn = any(row.record.kappa is not None for row in table.page)
    context = {
        **of_task(task, "judges"),
        "filter": asked,
        "table": table,
        "plot_links": plot_links(
            "test-set-plot",
            task.test_set.campaign.slug,
            task.pk,
            names=["agreement"],
            query=request.GET.urlencode(),
        )
        if is_drawn
        else None,
        "no_reference": reference_missing_in_words(task) if lacks_reference else "",
        "left_out": [action_line(action) for action in exclusions_in_force(task=task)],
        "report": RankingUpkeep.objects.filter(task=task, measured_at__isnull=False).first(),
        "read_at": at,
        "sections": sections.of("judges"),
        "contents": [("quality", _("Quality"))],
    }
    return render(
        request, "organiser/judges.html", context, status=max(asked.status, sections.status)
    )


_SECTION = "judge-groups"


def _group(request: HttpRequest, slug: str, group_id: int) -> JudgeGroup:
    campaign = organised_campaign(request, slug)
    present = JudgeGroup.objects.present().select_related("campaign")
    return get_object_or_404(present, pk=group_id, campaign=campaign)


@form_view
def judge_groups_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the groups of a campaign and their uses; POST creates one."""
    campaign = organised_campaign(request, slug)
    form = JudgeGroupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        group = form.save(campaign)
        if group is not None:
            messages.success(request, _("%(name)s added.") % {"name": group.name})
            return redirect("judge-groups", slug)
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "groups": groups_listed(campaign=campaign),
        "form": form,
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "people/groups.html", context, status=status)


@form_view
def judge_group_page(request: HttpRequest, slug: str, group_id: int) -> HttpResponse:
    """Show a group; POST changes its name and the block limit of its judges."""
    group = _group(request, slug, group_id)
    name = group.name
    form = JudgeGroupForm(request.POST or None, group=group)
    if request.method == "POST" and form.is_valid() and form.save(group.campaign):
        messages.success(request, _("Saved."))
        return redirect("judge-groups", slug)
    context = {
        "campaign": group.campaign,
        "section": _SECTION,
        "group": group,
        "name": name,
        "judges": group.members.count(),
        "uses": group_uses(group=group),
        "form": form,
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "people/group.html", context, status=status)


@form_view
def judge_group_delete_page(request: HttpRequest, slug: str, group_id: int) -> HttpResponse:
    """Show the uses of a group and the effects of deleting it; POST deletes it."""
    group = _group(request, slug, group_id)
    if not is_answered(request):
        return _ask(request, group)
    try:
        judge_group_delete(group=group)
    except JudgeGroupInUseError as error:
        return _ask(request, group, error=str(error))
    messages.success(request, _("“%(name)s” deleted.") % {"name": group.name})
    return redirect("judge-groups", slug)


def _ask(request: HttpRequest, group: JudgeGroup, error: str = "") -> HttpResponse:
    count = group.members.count()
    said = ngettext(
        "%(count)d judge in this group stays in the campaign.",
        "%(count)d judges in this group stay in the campaign.",
        count,
    )
    facts = [said % {"count": count}, *group_uses(group=group)]
    if group.blocks_asked is not None:
        facts.append(_("Its block limit no longer applies."))
    question = Question(
        title=_("Delete “%(name)s”") % {"name": group.name},
        facts=facts,
        after=_("Earlier designs and rankings keep its name. You can reuse the name."),
        answers=[Answer(_("Delete group"))],
        cancel=reverse("judge-group", args=[group.campaign.slug, group.pk]),
        error=error,
    )
    return ask(request, question, campaign=group.campaign, section=_SECTION)
