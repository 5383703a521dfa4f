"""Judges of a task and one judge, and decisions about judges."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.export.work_time import clock_time
from annotation.models import QualityAction
from annotation.models.judge_measures import JudgeMeasure
from annotation.pages.judges import judge_details
from annotation.selectors.judges import JudgeStatus, campaign_judges, judge_status
from annotation.selectors.training import training_rounds
from annotation.selectors.work_time import hours_worked, work_time
from annotation.services.quality import (
    Decided,
    JudgeDecision,
    judges_decision_undo,
    quality_action_revert,
)
from campaign.models import Judge, Task
from campaign.pages.desk import rights
from campaign.texts.joining import labelled
from campaign.views.access import of_task, organised_task, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, page_view, refusals_as_messages
from ranking.models import Analysis, RankingUpkeep
from ranking.pages.acting import (
    action_line,
    action_lines,
    button_of,
    deciding_in_words,
    judged_by,
    refused_in_words,
)
from ranking.pages.analysis_form import listed_analysis
from ranking.pages.formats import bar_plot
from ranking.pages.judge_decisions import (
    DECISIONS,
    ActionForm,
    JudgesActionForm,
    NoteForm,
)
from ranking.pages.judge_measures import (
    JudgeFilter,
    JudgeTable,
    drawn_measures,
    reference_missing_in_words,
)
from ranking.pages.page_plots import plot_links
from ranking.pages.sections import Sections
from ranking.selectors.judges import (
    actions_in_force,
    exclusions_in_force,
    has_flag,
    has_low_agreement,
    judges_listed,
    lacks_measure,
    measures_of,
    quality_actions,
    values_by_measure,
)
from ranking.selectors.quality_rules import STANDS_ASIDE
from ranking.services.quality import decision_take

# Number of days shown, the latest ones; the time sheet has all.
DAYS_SHOWN = 14


@page_view
def judge_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    judge_id: int,
) -> HttpResponse:
    """Show a judge of the campaign with their work in a test set."""
    task = organised_task(request, slug, task_id)
    campaign = task.test_set.campaign
    judge: Judge = get_object_or_404(campaign_judges(campaign=campaign), pk=judge_id)
    judge.campaign = campaign
    rows = judges_listed(task=task).filter(judge=judge)
    tally = rows.first()
    own = measures_of(judge=judge, task=task)
    values = values_by_measure(task_id=task.pk)
    status = judge_status(judge)
    measures = drawn_measures(own, values)
    no_reference = ""
    if own and not values.get(JudgeMeasure.REFERENCE):
        no_reference = reference_missing_in_words(task)
    rounds_by_judge = training_rounds(task_id=task.pk, judges=[judge.pk])
    actions = quality_actions(task=task).filter(judge=judge)
    context = {
        **of_task(task, "judges"),
        **judge_details(judge),
        "status": status,
        "is_flagged": status != JudgeStatus.GOOD,
        "row": tally,
        "has_low_agreement": tally is not None and has_low_agreement(tally.disagrees),
        "measures": measures,
        "are_drawn": any(measure.strip for measure in measures),
        "plot_links": plot_links("judge-plot", campaign.slug, task.pk, judge.pk),
        "no_reference": no_reference,
        "report": _measured_upkeep(task),
        "training": rounds_by_judge.get(judge.pk, []),
        "actions": action_lines(actions, task=task),
        **_work_context(judge),
    }
    return render(request, "organiser/judge.html", context)


def _measured_upkeep(task: Task) -> RankingUpkeep | None:
    """Return the upkeep of a task if its judges have been measured."""
    upkeep = RankingUpkeep.objects.filter(task=task, measured_at__isnull=False)
    return upkeep.first()


def _work_context(judge: Judge) -> dict[str, Any]:
    worked = work_time(judge)
    days = sorted(worked.days.items(), reverse=True)
    listed_days = []
    for day, work in days[:DAYS_SHOWN]:
        listed_days.append((day, work, clock_time(work.active_seconds)))
    sentences = hours_worked(judge)
    sentences_by_hour = [(hour, sentences.get(hour, 0)) for hour in range(24)]
    return {
        "days": listed_days,
        "more_days": len(days) > DAYS_SHOWN,
        "total": worked.total,
        "total_time": clock_time(worked.total.active_seconds),
        "hours": bar_plot(sentences_by_hour, filled=0.8),
        "time_zone": worked.time_zone,
    }


@page_view
def judges_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show a table of judges, those with problems first.

    Query parameters: `sort` and `page`, as for all tables, and the filters of `JudgeFilter`.
    """
    task = organised_task(request, slug, task_id)
    judge_filter = JudgeFilter.of(request, judges_listed(task=task))
    sections = Sections(request, task)
    table = JudgeTable(judge_filter.rows, task=task)
    table.of(request)
    if rights(request)["may_change"]:
        table.chosen_by = "decide"
    flagged = [row.record.judge_id for row in table.page if row.record.gravity]
    table.actions = actions_in_force(task=task, judges=flagged)
    no_reference = ""
    if lacks_measure(task_id=task.pk, measure=JudgeMeasure.REFERENCE):
        no_reference = reference_missing_in_words(task)
    links = None
    if any(row.record.kappa is not None for row in table.page):
        links = plot_links(
            "test-set-plot",
            task.test_set.campaign.slug,
            task.pk,
            names=["agreement"],
            query=request.GET.urlencode(),
        )
    has_flags = any(has_flag(row.record) for row in table.page)
    context = {
        **of_task(task, "judges"),
        "filter": judge_filter,
        "table": table,
        "plot_links": links,
        "no_reference": no_reference,
        "is_led_by_flags": has_flags and not request.GET.get("sort"),
        "left_out": [action_line(action) for action in exclusions_in_force(task=task)],
        "report": _measured_upkeep(task),
        "sections": sections.of("judges"),
        "contents": [("quality", _("Quality"))],
    }
    status = max(judge_filter.status, sections.status)
    return render(request, "organiser/judges.html", context, status=status)


@action_view
def judge_act(
    request: HttpRequest,
    slug: str,
    task_id: int,
    judge_id: int,
) -> HttpResponse:
    """Carry out a decision about a judge from their page; pausing and excluding need confirmation."""
    task = organised_task(request, slug, task_id)
    judge = get_object_or_404(Judge, pk=judge_id, campaign=task.test_set.campaign_id)
    form = ActionForm(request.POST)
    back = _address_of(task, judge.pk)
    if not form.is_valid():
        return _wrong(request, form, task, back=back, judge=judge)
    if form.cleaned_data["action"] in STANDS_ASIDE and not is_answered(request):
        question = _question(form, [judge], task, cancel=back)
        return ask(
            request,
            question,
            campaign=task.test_set.campaign,
            task=task,
            section="judges",
        )
    _decide(request, form, [judge], task)
    return redirect(back)


@action_view
def judges_act(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the effects of a decision about judges; the second POST carries it out for all of them."""
    task = organised_task(request, slug, task_id)
    form = JudgesActionForm(request.POST, task=task)
    if not form.is_valid():
        return _wrong(request, form, task, back=_back(form, task))
    if not is_answered(request):
        question = _question(
            form,
            form.judges,
            task,
            cancel=_back(form, task),
            is_of_many=True,
        )
        return ask(
            request,
            question,
            campaign=task.test_set.campaign,
            task=task,
            section="judges",
        )
    decided = _decide(
        request,
        form,
        form.judges,
        task,
        analysis=form.cleaned_data["analysis"],
    )
    if not decided.judges:
        return redirect(_back(form, task))
    return redirect("judges-acted", slug, task.pk, decided.batch)


@page_view
def judges_acted(
    request: HttpRequest,
    slug: str,
    task_id: int,
    batch: UUID,
) -> HttpResponse:
    """Show the outcome of a decision, with an undo button."""
    task = organised_task(request, slug, task_id)
    by_name = quality_actions(task=task).order_by("judge__pseudonym")
    actions = list(by_name.filter(batch=batch))
    reversals = list(by_name.filter(revert_batch=batch))
    in_force = [action for action in actions if action.reverted_at is None]
    context = {
        **of_task(task, "judges"),
        "batch": batch,
        "lines": action_lines(actions, task=task),
        "reversals": reversals,
        "may_undo": bool(reversals or in_force),
    }
    status = 200 if actions or reversals else 404
    return render(request, "quality/acted.html", context, status=status)


@action_view
def judges_act_undo(
    request: HttpRequest,
    slug: str,
    task_id: int,
    batch: UUID,
) -> HttpResponse:
    """Undo a decision for all its judges."""
    task = organised_task(request, slug, task_id)
    with refusals_as_messages(request):
        judges = judges_decision_undo(
            campaign=task.test_set.campaign,
            batch=batch,
            user=user_of(request),
        )
        message = _("Undone for %(judge)s.") % {"judge": judged_by(judges)}
        messages.success(request, message)
    return redirect("judge-quality", slug, task.pk)


def _wrong(
    request: HttpRequest,
    form: ActionForm,
    task: Task,
    *,
    back: str,
    judge: Judge | None = None,
) -> HttpResponse:
    """Return the submitted form with its errors."""
    context = {
        **of_task(task, "judges"),
        "decision": form,
        "judge": judge,
        "analysis": form.cleaned_data.get("analysis"),
        "back": back,
    }
    return render(request, "quality/decide.html", context, status=400)


def _question(
    form: ActionForm,
    judges: list[Judge],
    task: Task,
    *,
    cancel: str,
    is_of_many: bool = False,
) -> Question:
    action = form.cleaned_data["action"]
    fields = form.written
    if is_of_many:
        analysis = form.cleaned_data["analysis"]
        fields |= {
            "chosen": ",".join(str(judge.pk) for judge in judges),
            "analysis": str(analysis.pk) if analysis else "",
        }
    return Question(
        title=labelled(button_of(action), judged_by(judges)),
        facts=deciding_in_words(
            judges=judges,
            task=task,
            action=action,
            text=form.cleaned_data["text"],
        ),
        after=_("You can undo this later."),
        answers=[Answer(button_of(action))],
        fields=fields,
        cancel=cancel,
    )


def _decide(
    request: HttpRequest,
    form: ActionForm,
    judges: list[Judge],
    task: Task,
    *,
    analysis: Analysis | None = None,
) -> Decided:
    action = form.cleaned_data["action"]
    decided = decision_take(
        judges=judges,
        task=task,
        decision=JudgeDecision(
            action=action,
            user=user_of(request),
            note=form.cleaned_data["note"],
            text=form.cleaned_data["text"],
        ),
        analysis=analysis,
    )
    for refusal in refused_in_words(decided):
        messages.error(request, refusal)
    if decided.judges:
        label = dict(DECISIONS)[action]
        messages.success(request, labelled(label, judged_by(decided.judges)))
    return decided


def _back(form: JudgesActionForm, task: Task) -> str:
    """Return the address of the analysis in which judges were selected, or of the list of judges."""
    analysis = form.cleaned_data.get("analysis")
    if analysis is not None:
        return listed_analysis(analysis, task).address
    return reverse("judge-quality", args=[task.test_set.campaign.slug, task.pk])


@action_view
def action_revert(
    request: HttpRequest,
    slug: str,
    task_id: int,
    action_id: int,
) -> HttpResponse:
    """Revert an action."""
    task = organised_task(request, slug, task_id)
    action = get_object_or_404(
        QualityAction,
        pk=action_id,
        judge__campaign=task.test_set.campaign_id,
    )
    form = NoteForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest(_("The note is too long."))
    with refusals_as_messages(request):
        quality_action_revert(
            action=action,
            user=user_of(request),
            note=form.cleaned_data["note"],
        )
        messages.success(request, _("Action reverted."))
    return redirect(_address_of(task, action.judge_id))


def _address_of(task: Task, judge_id: int) -> str:
    return reverse("judge-page", args=[task.test_set.campaign.slug, task.pk, judge_id])
