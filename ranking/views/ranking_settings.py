"""Pages of a task's ranking settings and stopping rule."""

from typing import Any, Literal

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.task_rules import judgments_so_far
from campaign.models import Task, User
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import of_task, organised_task, user_of
from campaign.views.decorators import form_view
from ranking.core.methods.registry import METHODS
from ranking.models import RankingSettings
from ranking.pages.ranking_settings import (
    RankingSettingsForm,
    StoppingRuleForm,
    rule_lines,
    settings_lines,
    tests_words,
)
from ranking.reports.wording.methods import (
    LiveMethod,
    live_method_words,
    methods_not_offered,
)
from ranking.reports.wording.ranges import level_words
from ranking.reports.wording.stopping_rules import rule_with_progress
from ranking.selectors.analyses import judgments_compare
from ranking.selectors.runs import (
    ranking_settings_history,
    ranking_settings_in_force,
    stopping_rule_history,
    stopping_rule_in_force,
    stopping_rule_state,
)
from ranking.services.ranking_settings import (
    StoppingRuleError,
    default_tests,
    ranking_settings_change,
    stopping_rule_set,
)


@form_view
def ranking_settings_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
) -> HttpResponse:
    """Show the ranking method and the rank ranges of a task; POST changes them."""
    task = organised_task(request, slug, task_id)
    if not answer_kind_of(task).compares_outputs:
        return _nothing_to_set(request, task)
    before = ranking_settings_in_force(task_id=task.pk)
    form = RankingSettingsForm(
        request.POST or None,
        initial={
            "method": before.method,
            "resample": before.resample,
            "judge_group": before.judge_group,
            **_option_values(before),
        },
        campaign=task.test_set.campaign,
    )
    after = None
    if form.is_valid():
        after = _change_settings(form, task, before, user_of(request))
    if after is not None:
        if after.pk == before.pk:
            messages.info(request, _("No changes."))
            return redirect("ranking-settings", slug, task_id)
        messages.success(request, _("Saved. The new ranking appears within seconds."))
        return redirect("test-set-dashboard", slug, task_id)
    methods = []
    for method in live_method_words():
        methods.append({**method, "options": form.options_of(method["name"])})
    ranking_address = ""
    if judgments_compare(task):
        ranking_address = reverse("analysis", args=[slug, task.pk, "ranking"])
    context = {
        **of_task(task, "ranking-settings"),
        "form": form,
        "levels": level_words(),
        "methods": methods,
        "not_offered": methods_not_offered(),
        "method_chosen": form.data.get("method", before.method),
        "history": settings_lines(ranking_settings_history(task_id=task.pk)),
        "judgments": judgments_so_far(task_id=task.pk),
        "before": before,
        "ranking_address": ranking_address,
        "is_level_chosen": before.ranges in ("percentile", "confidence_set"),
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/ranking_settings.html", context, status=status)


def _option_values(settings: RankingSettings) -> dict[str, Any]:
    """Return the options of all methods by name of their field: those in force, and the defaults of other methods."""
    values = {}
    for method in LiveMethod.values[1:]:
        if method == settings.method:
            in_force = settings.method_options
        else:
            in_force = {}
        for name, value in METHODS[method].complete(in_force).items():
            values[f"{method}.{name}"] = value
    return values


def _nothing_to_set(request: HttpRequest, task: Task) -> HttpResponse:
    """Explain why there are no settings; answer requests to change them with 409."""
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "ranking-settings",
        "reason": answer_kind_of(task).why_not_ranked,
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "organiser/nothing_ranked.html", context, status=status)


def _change_settings(
    form: RankingSettingsForm,
    task: Task,
    before: RankingSettings,
    user: User,
) -> RankingSettings | None:
    """Change and return the settings; return None, with a form error, if they are inconsistent."""
    data = form.cleaned_data
    # Only confidence sets and percentiles support every level.
    ranges: Literal["percentile", "confidence_set"] = "percentile"
    if before.ranges == "confidence_set":
        ranges = "confidence_set"
    with RefusalsAt(form):
        return ranking_settings_change(
            task=task,
            changed_by=user,
            judge_group=data["judge_group"],
            method=data["method"] or None,
            method_options=form.method_options(data["method"] or before.method),
            reason=data["reason"],
            ranges=ranges,
            resample=data["resample"],
        )
    return None


@form_view
def stopping_rule_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the stopping rule of a test set; POST sets it."""
    task = organised_task(request, slug, task_id)
    rule = stopping_rule_in_force(task_id=task.pk)
    form = StoppingRuleForm(
        request.POST or None,
        initial=StoppingRuleForm.initial_of(rule, tests=default_tests(task)),
        task=task,
    )
    if request.method == "POST" and form.is_valid():
        try:
            after = stopping_rule_set(
                task=task,
                changed_by=user_of(request),
                **form.terms,
            )
        except StoppingRuleError as error:
            field = error.field
            if field == "pairs_share":
                field = "pairs"
            form.add_error(field, str(error))
        else:
            if (rule and rule.pk) == (after and after.pk):
                messages.success(request, _("No changes."))
            else:
                messages.success(request, _("Saved."))
            return redirect("stopping-rule", slug, task_id)
    tests_chosen = None
    if "tests" in form.fields:
        tests_chosen = form["tests"].value()
    state = stopping_rule_state(task_id=task.pk)
    context = {
        **of_task(task, "stopping-rule"),
        "form": form,
        "tests": tests_words(),
        "tests_chosen": tests_chosen,
        "rule": None if state is None else rule_with_progress(state),
        "judgments": judgments_so_far(task_id=task.pk),
        "history": rule_lines(stopping_rule_history(task_id=task.pk)),
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/stopping_rule.html", context, status=status)
