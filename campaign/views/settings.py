from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.forms.settings import SettingsForm
from campaign.views.access import organised_campaign


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def campaign_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules of a campaign; POST changes them."""
    campaign = organised_campaign(request, slug)
    form = SettingsForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        if not form.has_changed():
            messages.info(request, _("Nothing was changed."))
            return redirect("campaign-settings", slug)
        if form.save():
            messages.success(request, _("Changed: %(rules)s.") % {"rules": _labels(form)})
            return redirect("campaign-settings", slug)
    status = 400 if form.is_bound else 200
    context = {
        "campaign": campaign,
        "form": form,
        "section": "settings",
        "test_sets": campaign.test_sets.order_by("created_at", "pk"),
    }
    return render(request, "organiser/settings.html", context, status=status)


def _labels(form: SettingsForm) -> str:
    return "; ".join(str(form.fields[name].label) for name in form.changed_data)
