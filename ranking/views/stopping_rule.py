from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.selectors.task_rules import judgments_so_far
from campaign.models import User
from campaign.views.access import organised_task
from ranking.pages.stopping_rule import StoppingRuleForm, rule_lines, tests_words
from ranking.selectors.stopping_rules import (
    stopping_rule_history,
    stopping_rule_in_force,
    stopping_rule_state,
)
from ranking.services import StoppingRuleError, stopping_rule_set
from ranking.wording.stopping_rules import shown_rule


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def stopping_rule_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show by which rule judging of a test set is to end; POST sets it."""
    task = organised_task(request, slug, task_id)
    rule = stopping_rule_in_force(task_id=task.pk)
    form = StoppingRuleForm(
        request.POST or None, initial=StoppingRuleForm.initial_of(rule), task=task
    )
    if request.method == "POST" and form.is_valid():
        try:
            after = stopping_rule_set(
                task=task, changed_by=cast("User", request.user), **form.terms
            )
        except StoppingRuleError as error:
            form.add_error("pairs" if error.field == "pairs_share" else error.field, str(error))
        else:
            is_same = (rule and rule.pk) == (after and after.pk)
            messages.success(request, _("Nothing was changed.") if is_same else _("Saved."))
            return redirect("stopping-rule", slug, task_id)
    state = stopping_rule_state(task_id=task.pk)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "ranking",
        "form": form,
        "tests": tests_words(),
        "tests_chosen": form["tests"].value() if "tests" in form.fields else None,
        "rule": None if state is None else shown_rule(state),
        "judgments": judgments_so_far(task_id=task.pk),
        "history": rule_lines(stopping_rule_history(task_id=task.pk)),
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/stopping_rule.html", context, status=status)
