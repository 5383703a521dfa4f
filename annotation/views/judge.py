from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from annotation.models import ProblemReportKind, SkipReason
from annotation.views.opaque import opaque
from annotation.views.screens import screen_addresses, screens_context
from annotation.views.steps import next_step, onboarding_or_404
from annotation.views.words import judging_words
from campaign.models import Campaign, Judge


def _skip_reasons(campaign: Campaign) -> list[tuple[str, str]]:
    """Return the reasons a judge may give; none about texts the campaign does not show."""
    left_out = {SkipReason.NOT_STATED}
    if not campaign.show_source:
        left_out.add(SkipReason.BAD_SOURCE)
    if not campaign.show_reference:
        left_out.add(SkipReason.BAD_REFERENCE)
    return [(reason.value, str(reason.label)) for reason in SkipReason if reason not in left_out]


def _problem_kinds(campaign: Campaign) -> list[tuple[str, str]]:
    left_out = set()
    if not campaign.show_source:
        left_out.add(ProblemReportKind.SOURCE)
    if not campaign.show_reference:
        left_out.add(ProblemReportKind.REFERENCE)
    return [(kind.value, str(kind.label)) for kind in ProblemReportKind if kind not in left_out]


def pages_of_judge(slug: str) -> dict[str, str]:
    """Return the addresses of the judge's pages that the screen leads to."""
    return {
        "instructions": reverse("judge-instructions", args=[slug]),
        "tasks": reverse("judge-test-sets", args=[slug]),
        "own_link": reverse("judge-own-link", args=[slug]),
        "time": reverse("judge-work-time", args=[slug]),
        "data": reverse("judge-data", args=[slug]),
        "tour": reverse("tour", args=[slug]),
        "decline": reverse("judge-decline", args=[slug]),
    }


def screen_context(judge: Judge, protocols: Collection[str]) -> dict[str, Any]:
    """Return the context of the judging page's template, for work on these protocols and for the tour."""
    skip_reasons = _skip_reasons(judge.campaign)
    of_screens = screens_context(protocols)
    return {
        "campaign": judge.campaign,
        "skip_reasons": skip_reasons,
        "problem_kinds": _problem_kinds(judge.campaign),
        "words": judging_words(skip_reasons, of_screens["protocols"]),
        **of_screens,
        "pages": pages_of_judge(judge.campaign.slug),
        "invitation_prefix": reverse("invitation", args=["x"]).removesuffix("x/"),
    }


def screen_setup(judge: Judge, address: str, protocols: Collection[str]) -> dict[str, Any]:
    """Return what the page's scripts need to know of the user signed in at this address."""
    return {
        "user": opaque("user", judge.user_id),
        # By which organisers find the judge who asks them for a new link.
        "name": judge.pseudonym,
        "sign_in": f"{reverse('sign-in')}?{urlencode({'next': address})}",
        "screens": screen_addresses(protocols),
    }


def sending_setup(judge: Judge) -> dict[str, Any]:
    """Return what the scripts of a judge's page need to send what they did."""
    return {
        "user": opaque("user", judge.user_id),
        "api": f"{get_script_prefix()}api/v1/judging/",
        "campaign": judge.campaign.slug,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
        # Keeps apart what two judges do in one browser, without telling who they are.
        "owner": opaque("judge", judge.pk),
    }


# Compressed: most of a first visit would be this frame. Django pads it against guessing what is in it.
@require_safe
@gzip_page
@login_required
@never_cache
@ensure_csrf_cookie
def judge_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the frame of the judging page; the browser fetches the work from the judging API.

    Redirects judges who have a step to take first.

    Costs one query beside session and user. Answers 404 to users who
    are no judge of the campaign, as for a campaign that does not exist.
    """
    onboarding = onboarding_or_404(request, slug)
    step = next_step(onboarding)
    if step is not None:
        return redirect(step)
    judge = onboarding.judge
    protocols = onboarding.protocols
    setup = screen_setup(judge, request.path, protocols) | sending_setup(judge)
    setup |= {
        "worker": reverse("judge-worker"),
        # Where the page leads when there is no more work, if it is to lead anywhere.
        "completion": "" if judge.blocks_asked is None else reverse("completion", args=[slug]),
    }
    context = screen_context(judge, protocols) | {"onboarding": onboarding, "setup": setup}
    return render(request, "judge/judge.html", context)
