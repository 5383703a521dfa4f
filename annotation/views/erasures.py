"""Requests of judges for erasure."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import JudgeTally
from annotation.selectors.panels import participations_unpaid
from annotation.services.judges import erasure_carry_out
from campaign.models import Campaign, ErasureRequest
from campaign.services.erasures import (
    FILES_NAMING_JUDGES,
    REASON_LENGTH,
    erasure_counts,
    erasure_record,
    erasure_refuse,
)
from campaign.texts.counted import counted_if_any
from campaign.texts.lines import line_breaks_normalised
from campaign.views.access import organised_campaign, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, refusals_as_messages

_SECTION = "campaign-judges"


@form_view
def erasures_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List erasure requests and their outcomes; POST records a request made by other means."""
    campaign = organised_campaign(request, slug)
    if request.method == "POST":
        _record(request, campaign)
        return redirect("erasures", slug)
    erasure_requests = ErasureRequest.objects.filter(
        judge__campaign=campaign,
    ).select_related("judge", "asked_by")
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "requests": erasure_requests.order_by("-pk")[:200],
        "reason_length": REASON_LENGTH,
    }
    return render(request, "people/erasures.html", context)


def _record(request: HttpRequest, campaign: Campaign) -> None:
    with refusals_as_messages(request):
        erasure = erasure_record(
            campaign=campaign,
            pseudonym=request.POST.get("judge", ""),
            by=user_of(request),
        )
        messages.success(
            request,
            _("Erasure request of “%(judge)s” recorded.")
            % {"judge": erasure.judge.pseudonym},
        )


@action_view
def erasure_carry_out_page(
    request: HttpRequest,
    slug: str,
    request_id: int,
) -> HttpResponse:
    """Carry out an erasure request, after confirmation of its effects."""
    erasure = _request(request, slug, request_id)
    if not is_answered(request):
        return ask(
            request,
            _question(erasure),
            campaign=erasure.judge.campaign,
            section=_SECTION,
        )
    with refusals_as_messages(request):
        erasure_carry_out(request=erasure, by=user_of(request))
        messages.success(
            request,
            _("The identity of “%(judge)s” has been erased.")
            % {"judge": erasure.judge.pseudonym},
        )
    return redirect("erasures", slug)


@action_view
def erasure_refuse_page(
    request: HttpRequest,
    slug: str,
    request_id: int,
) -> HttpResponse:
    """Refuse an erasure request for a reason that is shown to the judge."""
    erasure = _request(request, slug, request_id)
    with refusals_as_messages(request):
        erasure_refuse(
            request=erasure,
            reason=line_breaks_normalised(request.POST.get("reason", "")),
            by=user_of(request),
        )
        messages.success(request, _("Request refused. The judge can read the reason."))
    return redirect("erasures", slug)


def _request(request: HttpRequest, slug: str, request_id: int) -> ErasureRequest:
    campaign = organised_campaign(request, slug)
    erasures = ErasureRequest.objects.filter(judge__campaign=campaign).select_related(
        "judge__campaign",
    )
    return get_object_or_404(erasures, pk=request_id)


def _question(erasure: ErasureRequest) -> Question:
    tallies = JudgeTally.objects.filter(judge=erasure.judge).values_list(
        "judged",
        flat=True,
    )
    counts = erasure_counts(judge=erasure.judge)
    return Question(
        title=_("Erase the identity of “%(judge)s”?")
        % {"judge": erasure.judge.pseudonym},
        facts=[
            _(
                "Name, address, note, languages, links, visits, e-mails, conflicts of interest and crowdsourcing IDs are deleted, and the judge is signed out permanently.",
            ),
            _(
                "To be deleted: visits %(visits)d, links %(links)d, e-mails %(mails)d, conflicts of interest %(conflicts)d, exported files that name judges %(files)d.",
            )
            % {
                "visits": counts["visits"],
                "links": counts["links"],
                "mails": counts["mails"],
                "conflicts": counts["conflicts of interest"],
                "files": counts[FILES_NAMING_JUDGES],
            },
            _(
                "Judgments stay under the pseudonym (items: %(count)d), and rankings do not change.",
            )
            % {"count": sum(tallies)},
            *counted_if_any(
                "%(count)d participation of this person has not been reported as paid and cannot be paid afterwards.",
                "%(count)d participations of this person have not been reported as paid and cannot be paid afterwards.",
                participations_unpaid(judge=erasure.judge).count(),
            ),
            _("Pay the judge first: the identity cannot be recovered."),
        ],
        after=_("This cannot be undone."),
        answers=[Answer(_("Erase identity"))],
        cancel=reverse("erasures", args=[erasure.judge.campaign.slug]),
    )
