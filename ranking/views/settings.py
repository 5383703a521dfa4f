from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.protocols import answer_kind
from annotation.selectors.task_rules import judgments_so_far
from campaign.models import Task, User
from campaign.views.access import organised_task
from ranking.models import RankingSettings
from ranking.pages.forms import RankingSettingsForm
from ranking.pages.settings_history import settings_lines
from ranking.range_choices import RangeChoiceError
from ranking.selectors.settings import ranking_settings_history, ranking_settings_in_force
from ranking.services import ranking_settings_change
from ranking.wording.methods import live_method_words, methods_not_offered
from ranking.wording.ranges import level_words


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def ranking_settings_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show by which method a test set is ranked and what its rank ranges account for; POST changes it."""
    task = organised_task(request, slug, task_id)
    if not answer_kind(task.protocol).compares_outputs:
        return _nothing_to_set(request, task)
    before = ranking_settings_in_force(task_id=task.pk)
    form = RankingSettingsForm(
        request.POST or None,
        initial={"resample": before.resample, "judge_group": before.judge_group},
        campaign=task.test_set.campaign,
    )
    after = _changed(form, task, before, cast("User", request.user)) if form.is_valid() else None
    if after is not None:
        if after.pk == before.pk:
            messages.info(request, _("Nothing was changed."))
            return redirect("ranking-settings", slug, task_id)
        messages.success(
            request, _("Changed. A ranking by the new settings will appear within seconds.")
        )
        return redirect("test-set-dashboard", slug, task_id)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "ranking",
        "form": form,
        "levels": level_words(),
        "methods": live_method_words(),
        "not_offered": methods_not_offered(),
        "method_chosen": form.data.get("method", before.method),
        "history": settings_lines(ranking_settings_history(task_id=task.pk)),
        "judgments": judgments_so_far(task_id=task.pk),
        "before": before,
        "ranking_address": reverse("analysis", args=[slug, task.pk, "ranking"]),
        "is_level_chosen": before.ranges in ("percentile", "confidence_set"),
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/ranking_settings.html", context, status=status)


def _nothing_to_set(request: HttpRequest, task: Task) -> HttpResponse:
    """Say why there are no settings; a request to change them is answered 409."""
    context = {"campaign": task.test_set.campaign, "task": task, "section": "ranking"}
    status = 409 if request.method == "POST" else 200
    return render(request, "organiser/nothing_ranked.html", context, status=status)


def _changed(
    form: RankingSettingsForm, task: Task, before: RankingSettings, user: User
) -> RankingSettings | None:
    """Change the settings as the form says; None, with the reason in the form, if they do not go together."""
    said = form.cleaned_data
    try:
        return ranking_settings_change(
            task=task,
            changed_by=user,
            judge_group=said["judge_group"],
            method=said["method"] or None,
            reason=said["reason"],
            # Sets may be of any level; of the others, only percentiles.
            ranges="confidence_set" if before.ranges == "confidence_set" else "percentile",
            resample=said["resample"],
        )
    except RangeChoiceError as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
        return None
