"""The pages of a judge beside the judging page: instructions, test sets, a link of one's own."""

from collections import Counter
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.selectors.onboarding import JudgeOnboarding, TestSetOnOffer, test_sets_on_offer
from annotation.views.opaque import opaque
from annotation.views.steps import onboarding_or_404
from campaign.selectors import instructions_in_force, instructions_to_read, own_link_of
from campaign.services import (
    instructions_accept,
    own_link_create,
    own_link_revoke,
    test_set_choose,
)
from campaign.texts.languages import language_direction, language_name, language_own_name
from campaign.texts.markdown import markdown_render


def _page(
    request: HttpRequest,
    name: str,
    onboarding: JudgeOnboarding,
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    judge = onboarding.judge
    shared = {
        "campaign": judge.campaign,
        "onboarding": onboarding,
        # By which a judge is known who signs in again within the judging page and lands here.
        "setup": {"user": opaque("user", judge.user_id)},
    }
    return render(request, f"judge/{name}.html", {**shared, **context}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def instructions_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the instructions in the reader's language; POST accepts the version that was read."""
    onboarding = onboarding_or_404(request, slug)
    in_force = instructions_in_force(campaign=onboarding.judge.campaign)
    wanted = request.GET.get("language") or get_language() or ""
    shown = instructions_to_read(in_force=in_force, language=wanted)
    if shown is None:
        return redirect("judge", slug)
    if request.method == "POST":
        version = request.POST.get("version", "")
        read = next((row for row in in_force.values() if str(row.version) == version), None)
        if read is not None:
            instructions_accept(judge=onboarding.judge, instructions=read)
            return redirect("judge", slug)
    context = {
        "shown": shown,
        "text": markdown_render(shown.text),
        "direction": language_direction(shown.language),
        "others": [
            (tag, language_own_name(tag), language_direction(tag))
            for tag in in_force
            if tag != shown.language
        ],
        # Written anew while this one was read.
        "outdated": request.method == "POST",
    }
    status = 409 if request.method == "POST" else 200
    return _page(request, "instructions", onboarding, context, status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def test_sets_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The test sets a judge's languages allow; POST chooses one."""
    onboarding = onboarding_or_404(request, slug)
    if not onboarding.has_choice:
        return redirect("judge", slug)
    offers = test_sets_on_offer(judge=onboarding.judge)
    if request.method == "POST":
        wanted = request.POST.get("test_set", "")
        chosen = next(
            (row.test_set for row in offers if opaque("test-set", row.test_set.pk) == wanted), None
        )
        if chosen is None:
            return HttpResponseBadRequest(_("This text is not among the choices."))
        test_set_choose(judge=onboarding.judge, test_set=chosen)
        return redirect("judge", slug)
    pairs = Counter(_pair(offer) for offer in offers)
    context = {
        "offers": [
            {
                "value": opaque("test-set", offer.test_set.pk),
                "source": language_name(offer.test_set.source_language),
                "target": language_name(offer.test_set.target_language),
                # Names are the organisers': judges read them only where they need them.
                "name": offer.test_set.name if pairs[_pair(offer)] > 1 else "",
                "is_chosen": offer.test_set.pk == onboarding.judge.chosen_test_set_id,
                "done": offer.done,
                "left": offer.left,
            }
            for offer in offers
        ]
    }
    return _page(request, "test_sets", onboarding, context)


def _pair(offer: TestSetOnOffer) -> tuple[str, str]:
    return offer.test_set.source_language, offer.test_set.target_language


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def own_link_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Make, show once and withdraw a link by which a judge goes on with another device."""
    onboarding = onboarding_or_404(request, slug)
    judge = onboarding.judge
    link = None
    if request.method == "POST" and request.POST.get("action") == "withdraw":
        own_link_revoke(judge=judge)
    elif request.method == "POST":
        token = own_link_create(judge=judge)
        link = request.build_absolute_uri(reverse("invitation", args=[token]))
    context = {"link": link, "made": own_link_of(judge=judge)}
    return _page(request, "own_link", onboarding, context, 201 if link else 200)
