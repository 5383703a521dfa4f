"""Pages of campaign files: download, apply a changed one, or create a campaign, with a preview of changes."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.export.downloads import download
from campaign.formats import FormatError
from campaign.formats.yaml_tree import MAX_BYTES
from campaign.models import Campaign
from campaign.selectors.credentials import may_make_campaigns
from campaign.views.access import organised_campaign, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import form_view, page_view
from whole_campaigns.campaign_file.applying import (
    Applied,
    Target,
    campaign_file,
    campaign_file_apply,
)
from whole_campaigns.campaign_file.parts import NewLink

_SECTION: Final = "settings"
_NEW: Final = "organiser/campaign_new_file.html"
#: Unchanged, for files being confirmed during an upgrade.
_SALT: Final = "settings"
_DAY: Final = 24 * 3600


class CampaignFileForm(forms.Form):
    """A campaign file to apply."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}),
    )

    def content(self) -> bytes:
        """Return the content, up to one byte more than allowed."""
        file: Any = self.cleaned_data["file"]
        read: bytes = file.read(MAX_BYTES + 1)
        return read

    @classmethod
    def again(cls, error: Exception) -> "CampaignFileForm":
        """Return the form with an error, to choose another file."""
        form = cls({})
        form.full_clean()
        form.errors.clear()
        message = str(error)
        if isinstance(error, signing.BadSignature):
            message = _("Choose the file again.")
        form.add_error(None, message)
        return form


def packed(content: bytes) -> str:
    """Return the signed file for the confirmation page."""
    return signing.dumps(content.decode("utf-8-sig"), salt=_SALT, compress=True)


def unpacked(text: str) -> bytes:
    """Return the file from a confirmation page of the last day. Raises `django.core.signing.BadSignature`."""
    return str(signing.loads(text, salt=_SALT, max_age=_DAY)).encode()


@page_view
def campaign_file_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Download the file of a campaign, including people if requested."""
    campaign = organised_campaign(request, slug)
    return download(
        f"{slug}.yaml",
        campaign_file(campaign=campaign, people="people" in request.GET),
    )


@form_view
def campaign_file_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the page of the file; POST previews a changed file, and applies it after confirmation."""
    return _handle_campaign_file(request, organised_campaign(request, slug))


@form_view
def campaign_new_file_page(request: HttpRequest) -> HttpResponse:
    """Show the form for a file; POST previews the campaign, and creates it after confirmation. For organisers only."""
    if not may_make_campaigns(user_of(request)):
        raise Http404
    return _handle_campaign_file(request, None)


def _handle_campaign_file(
    request: HttpRequest,
    campaign: Campaign | None,
) -> HttpResponse:
    """Show the form for an existing or new campaign, preview its changes, or apply them."""
    if is_answered(request):
        return _apply_confirmed(request, campaign)
    is_sent = request.method == "POST"
    if is_sent:
        form = CampaignFileForm(request.POST, request.FILES)
    else:
        form = CampaignFileForm()
    if form.is_valid():
        content = form.content()
        try:
            preview = _apply_file(request, campaign, content, confirmed="")
        except FormatError as error:
            form.add_error("file", str(error))
        else:
            return _confirmation_page(request, campaign, content, preview)
    return _page(request, campaign, form)


def _page(
    request: HttpRequest,
    campaign: Campaign | None,
    form: CampaignFileForm,
    links: Sequence[NewLink] = (),
) -> HttpResponse:
    """Show the page, with new links once."""
    status = 200
    if form.is_bound:
        status = 400
    elif links:
        status = 201
    if campaign is None:
        return render(request, _NEW, {"form": form}, status=status)
    addresses = []
    for link in links:
        address = reverse("invitation", args=[link.token])
        addresses.append((link.note, request.build_absolute_uri(address)))
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "form": form,
        "links": addresses,
    }
    return render(request, "organiser/campaign_file.html", context, status=status)


def _confirmation_page(
    request: HttpRequest,
    campaign: Campaign | None,
    content: bytes,
    preview: Applied,
    error: str = "",
) -> HttpResponse:
    if campaign is not None and not preview.changes:
        messages.info(request, _("No changes: the campaign matches the file."))
        return redirect("campaign-file", campaign.slug)
    if campaign is None:
        title = _("New campaign from a file")
        button = _("Create campaign")
    else:
        title = button = _("Apply file")
    changes = [change.words for change in preview.changes]
    question = Question(
        title=title,
        facts=[*changes, *preview.notes],
        answers=[Answer(button)],
        cancel=request.path,
        error=error,
        fields={"content": packed(content), "code": preview.code},
    )
    if campaign is not None:
        return ask(request, question, campaign=campaign, section=_SECTION)
    status = 409 if error else 200
    return render(request, _NEW, {"question": question}, status=status)


def _apply_confirmed(request: HttpRequest, campaign: Campaign | None) -> HttpResponse:
    try:
        content = unpacked(request.POST.get("content", ""))
        outcome = _apply_file(
            request,
            campaign,
            content,
            confirmed=request.POST.get("code", ""),
        )
    except (FormatError, signing.BadSignature) as error:
        return _page(request, campaign, CampaignFileForm.again(error))
    if not outcome.is_done:
        if campaign is None:
            again = _(
                "The result has changed in the meantime. Nothing was created. Review it again.",
            )
        else:
            again = _(
                "The campaign has changed in the meantime. Nothing was applied. Review the changes again.",
            )
        return _confirmation_page(request, campaign, content, outcome, again)
    messages.success(request, _("Saved."))
    if outcome.links:
        # Without a redirect, for which the tokens would have to be stored.
        applied_to = campaign or organised_campaign(request, outcome.slug)
        return _page(request, applied_to, CampaignFileForm(), outcome.links)
    if campaign is None:
        return redirect("campaign-detail", outcome.slug)
    return redirect("campaign-file", outcome.slug)


def _apply_file(
    request: HttpRequest,
    campaign: Campaign | None,
    content: bytes,
    confirmed: str,
) -> Applied:
    if campaign is None:
        target = Target(must_be_new=True)
    else:
        target = Target(campaign.slug)
    file: Any = request.FILES.get("file")
    name = f"{target.slug or 'campaign'}.yaml"
    if file is not None and file.name:
        name = file.name
    return campaign_file_apply(
        name=name,
        content=content,
        by=user_of(request),
        target=target,
        confirmed=confirmed,
    )
