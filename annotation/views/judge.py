from typing import Any, cast

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from annotation.models import ProblemReport, Skip
from annotation.selectors.arriving import ArrivingJudge, judge_onboarding
from annotation.views.opaque import opaque
from annotation.views.steps import next_step
from annotation.views.words import judging_words
from campaign.models import Campaign, Judge, User


def _skip_reasons(campaign: Campaign) -> list[tuple[str, str]]:
    """Those a judge may give; nobody can complain of a text that is not shown."""
    left_out = {Skip.Reason.NOT_STATED}
    if not campaign.show_source:
        left_out.add(Skip.Reason.BAD_SOURCE)
    if not campaign.show_reference:
        left_out.add(Skip.Reason.BAD_REFERENCE)
    return [(reason.value, str(reason.label)) for reason in Skip.Reason if reason not in left_out]


def _problem_kinds(campaign: Campaign) -> list[tuple[str, str]]:
    left_out = set()
    if not campaign.show_source:
        left_out.add(ProblemReport.Kind.SOURCE)
    if not campaign.show_reference:
        left_out.add(ProblemReport.Kind.REFERENCE)
    return [(kind.value, str(kind.label)) for kind in ProblemReport.Kind if kind not in left_out]


def screen_context(judge: Judge) -> dict[str, Any]:
    """What the judging screen's template needs, whatever it is filled with."""
    return {
        "campaign": judge.campaign,
        "skip_reasons": _skip_reasons(judge.campaign),
        "problem_kinds": _problem_kinds(judge.campaign),
        "words": judging_words(),
        "invitation_prefix": reverse("invitation", args=["x"]).removesuffix("x/"),
    }


def screen_setup(judge: Judge, address: str) -> dict[str, str]:
    """What the screen's scripts must know of whoever is signed in at this address."""
    return {
        "user": opaque("user", judge.user_id),
        "sign_in": f"{reverse('sign-in')}?{urlencode({'next': address})}",
    }


def arriving_or_404(request: HttpRequest, slug: str) -> ArrivingJudge:
    """The judge who asks; for everybody else there is no such campaign."""
    arriving = judge_onboarding(user=cast("User", request.user), campaign_slug=slug)
    if arriving is None:
        raise Http404
    return arriving


# Compressed: most of a first visit would be this frame. Django pads it against guessing what is in it.
@require_safe
@gzip_page
@login_required
@never_cache
@ensure_csrf_cookie
def judge_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The frame of the judging page; the browser fetches the work itself from the judging API.

    Who has something to do first is led there.

    Costs one query beside session and user. Whoever is no judge of the
    campaign gets 404, as for a campaign that does not exist.
    """
    arriving = arriving_or_404(request, slug)
    step = next_step(arriving)
    if step is not None:
        return redirect(step)
    judge = arriving.judge
    setup = screen_setup(judge, request.path) | {
        "api": f"{get_script_prefix()}api/v1/judging/",
        "campaign": slug,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
        # Keeps apart what two judges do in one browser, without telling who they are.
        "owner": opaque("judge", judge.pk),
        # Where the page leads when there is no more work, if it is to lead anywhere.
        "completion": "" if judge.blocks_asked is None else reverse("completion", args=[slug]),
    }
    context = screen_context(judge) | {"arriving": arriving, "setup": setup}
    return render(request, "judge/judge.html", context)
