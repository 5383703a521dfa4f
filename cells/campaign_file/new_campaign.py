"""The page that makes a campaign of its file."""

from typing import Final, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.formats import FormatError
from campaign.models import User
from campaign.selectors import may_make_campaigns
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, is_answered
from cells.campaign_file.applying import Applied, campaign_file_apply
from cells.campaign_file.forms import CampaignFileForm, packed, unpacked
from cells.campaign_file.views import file_page

_TEMPLATE: Final = "organiser/campaign_new_file.html"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def campaign_new_file_page(request: HttpRequest) -> HttpResponse:
    """Ask for a file; POST shows what it would make, and makes it once that is confirmed. For organisers only."""
    user = cast("User", request.user)
    if not may_make_campaigns(user):
        raise Http404
    if is_answered(request):
        return _confirmed(request, user)
    is_sent = request.method == "POST"
    form = CampaignFileForm(request.POST, request.FILES) if is_sent else CampaignFileForm()
    if form.is_valid():
        content, name = form.content(), form.cleaned_data["file"].name
        try:
            found = _applied(user, name, content, confirmed="")
        except FormatError as error:
            form.add_error("file", str(error))
        else:
            return _asked(request, content, found)
    return _page(request, form)


def _page(request: HttpRequest, form: CampaignFileForm) -> HttpResponse:
    return render(request, _TEMPLATE, {"form": form}, status=400 if form.is_bound else 200)


def _asked(request: HttpRequest, content: bytes, found: Applied, error: str = "") -> HttpResponse:
    question = Question(
        title=_("New campaign from a file"),
        facts=[*(change.words for change in found.changes), *found.notes],
        answers=[Answer(_("Make the campaign"))],
        cancel=reverse("campaign-new-file"),
        error=error,
        fields={"content": packed(content), "code": found.code},
    )
    return render(request, _TEMPLATE, {"question": question}, status=409 if error else 200)


def _confirmed(request: HttpRequest, user: User) -> HttpResponse:
    try:
        content = unpacked(request.POST.get("content", ""))
        code = request.POST.get("code", "")
        done = _applied(user, "campaign.yaml", content, confirmed=code)
    except (FormatError, signing.BadSignature) as error:
        return _page(request, CampaignFileForm.again(error))
    if not done.is_done:
        again = _("The file would make something else by now. Nothing was made: look again.")
        return _asked(request, content, done, again)
    messages.success(request, _("Done."))
    if done.links:
        # Not after a redirect: until then the tokens would have to be kept somewhere.
        made = organised_campaign(request, done.slug)
        return file_page(request, made, CampaignFileForm(), done.links)
    return redirect("campaign-detail", done.slug)


def _applied(user: User, name: str, content: bytes, confirmed: str) -> Applied:
    return campaign_file_apply(
        name=name, content=content, by=user, must_be_new=True, confirmed=confirmed
    )
