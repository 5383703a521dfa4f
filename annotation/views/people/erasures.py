"""The organisers' page of judges who asked for erasure: carry out, or refuse for a reason."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import JudgeTally
from annotation.services import erasure_carry_out
from campaign.models import Campaign, ErasureRequest, User
from campaign.selectors.erasures import erasure_counts
from campaign.services import REASON_LENGTH, ErasureRefusedError, erasure_refuse
from campaign.services.erasures import erasure_record
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered

_SECTION = "campaign-judges"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def erasures_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the requests for erasure, and what became of them; POST records one that a judge made otherwise."""
    campaign = organised_campaign(request, slug)
    if request.method == "POST":
        _record(request, campaign)
        return redirect("erasures", slug)
    asked = ErasureRequest.objects.filter(judge__campaign=campaign).select_related(
        "judge", "asked_by"
    )
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "requests": asked.order_by("-pk")[:200],
        "reason_length": REASON_LENGTH,
    }
    return render(request, "people/erasures.html", context)


def _record(request: HttpRequest, campaign: Campaign) -> None:
    try:
        asked = erasure_record(
            campaign=campaign,
            pseudonym=request.POST.get("judge", ""),
            by=cast("User", request.user),
        )
        messages.success(
            request,
            _("Recorded: “%(judge)s” asks for erasure.") % {"judge": asked.judge.pseudonym},
        )
    except ErasureRefusedError as error:
        messages.error(request, str(error))


@require_POST
@never_cache
@login_required
def erasure_carry_out_page(request: HttpRequest, slug: str, request_id: int) -> HttpResponse:
    """Say what carrying out a request for erasure does, and do it."""
    asked = _request(request, slug, request_id)
    if not is_answered(request):
        return ask(request, _question(asked), campaign=asked.judge.campaign, section=_SECTION)
    try:
        erasure_carry_out(request=asked, by=cast("User", request.user))
        messages.success(
            request,
            _("Done: nothing leads from “%(judge)s” to anybody any more.")
            % {"judge": asked.judge.pseudonym},
        )
    except ErasureRefusedError as error:
        messages.error(request, str(error))
    return redirect("erasures", slug)


@require_POST
@never_cache
@login_required
def erasure_refuse_page(request: HttpRequest, slug: str, request_id: int) -> HttpResponse:
    """Refuse a request for erasure for a reason that the judge reads."""
    asked = _request(request, slug, request_id)
    try:
        erasure_refuse(
            request=asked, reason=request.POST.get("reason", ""), by=cast("User", request.user)
        )
        messages.success(request, _("Refused; the judge reads why."))
    except ErasureRefusedError as error:
        messages.error(request, str(error))
    return redirect("erasures", slug)


def _request(request: HttpRequest, slug: str, request_id: int) -> ErasureRequest:
    campaign = organised_campaign(request, slug)
    asked = ErasureRequest.objects.filter(judge__campaign=campaign).select_related(
        "judge__campaign"
    )
    return get_object_or_404(asked, pk=request_id)


def _question(asked: ErasureRequest) -> Question:
    tallies = JudgeTally.objects.filter(judge=asked.judge).values_list("judged", flat=True)
    return Question(
        title=_("Erase who “%(judge)s” is?") % {"judge": asked.judge.pseudonym},
        facts=[
            _(
                "Name, address, note, languages, links, visits, mails, conflicts of interest and ids at a crowd service "
                "are deleted, and the judge is signed out for good."
            ),
            _(
                "Now there are: visits %(visits)d, links %(links)d, e-mails %(mails)d, conflicts of interest %(conflicts)d, "
                "exported files that name judges %(files)d."
            )
            % erasure_counts(judge=asked.judge),
            _(
                "What they judged stays under the pseudonym (sentences: %(count)d). No ranking changes."
            )
            % {"count": sum(tallies)},
            _("Pay them first: afterwards nobody can tell who they were."),
        ],
        after=_("This cannot be undone."),
        answers=[Answer(_("Erase for good"))],
        cancel=reverse("erasures", args=[asked.judge.campaign.slug]),
    )
