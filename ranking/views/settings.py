from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.models import User
from campaign.views.access import organised_test_set
from ranking.pages.forms import RankingSettingsForm
from ranking.selectors.settings import ranking_settings_in_force
from ranking.services import ranking_settings_change
from ranking.wording.ranges import level_words


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def ranking_settings_page(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show what the rank ranges of a test set account for; POST changes it."""
    test_set = organised_test_set(request, slug, test_set_id)
    before = ranking_settings_in_force(test_set_id=test_set.pk)
    form = RankingSettingsForm(
        request.POST or None,
        initial={"resample": before.resample, "judge_group": before.judge_group},
        campaign=test_set.campaign,
    )
    if request.method == "POST" and form.is_valid():
        after = ranking_settings_change(
            test_set=test_set,
            changed_by=cast("User", request.user),
            judge_group=form.cleaned_data["judge_group"],
            # Sets may be of any level; of the others, only percentiles.
            ranges="confidence_set" if before.ranges == "confidence_set" else "percentile",
            resample=form.cleaned_data["resample"],
        )
        if after.pk == before.pk:
            messages.info(request, _("Nothing was changed."))
            return redirect("ranking-settings", slug, test_set_id)
        messages.success(
            request, _("Changed. A ranking with the new rank ranges will appear within seconds.")
        )
        return redirect("test-set-dashboard", slug, test_set_id)
    context = {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "section": "ranking",
        "form": form,
        "levels": level_words(),
        "before": before,
        "is_level_chosen": before.ranges in ("percentile", "confidence_set"),
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/ranking_settings.html", context, status=status)
