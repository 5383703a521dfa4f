"""The judge's pages as an organiser sees them, at any time: what is done on them is stored nowhere."""

from secrets import token_hex
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_safe

from annotation.selectors.onboarding import JudgeOnboarding
from annotation.selectors.tour import tour_unreserved
from annotation.views.judge import screen_context, screen_setup
from annotation.views.tour import tour_data
from annotation.views.tour_words import tour_words
from campaign.models import Judge, TestSet, User
from campaign.selectors import instructions_in_force, instructions_to_read
from campaign.texts.languages import language_direction, language_own_name
from campaign.texts.markdown import markdown_render
from campaign.views.access import organised_campaign


@require_safe
@login_required
@never_cache
def preview_of_campaign(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead to what judges of the campaign's first test set see."""
    campaign = organised_campaign(request, slug)
    first = campaign.test_sets.order_by("pk").first()
    if first is None:
        messages.error(request, _("Judges would see nothing yet: add texts first."))
        return redirect("test-sets", slug)
    return redirect("judge-preview", slug, first.pk)


@require_safe
@login_required
@never_cache
def preview(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Lead to the first page that a new judge of the test set sees."""
    pages = _pages(_test_set(request, slug, test_set_id))
    return redirect(pages["instructions"] or pages["tour"] or pages["sentences"])


@require_safe
@login_required
@never_cache
def preview_instructions(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show the instructions as judges read them; who agrees goes on."""
    test_set = _test_set(request, slug, test_set_id)
    in_force = instructions_in_force(campaign=test_set.campaign)
    wanted = request.GET.get("language") or get_language() or ""
    shown = instructions_to_read(in_force=in_force, language=wanted)
    pages = _pages(test_set)
    if shown is None:
        return redirect(pages["tour"] or pages["sentences"])
    context = {
        **_shared(test_set, pages, "instructions"),
        "shown": shown,
        "text": markdown_render(shown.text),
        "direction": language_direction(shown.language),
        "others": [
            (tag, language_own_name(tag), language_direction(tag))
            for tag in in_force
            if tag != shown.language
        ],
        "onward": pages["tour"] or pages["sentences"],
    }
    return render(request, "judge/preview/instructions.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@gzip_page
@login_required
@never_cache
def preview_tour(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show the tour as a new judge of the test set has it; leaving it leads on."""
    test_set = _test_set(request, slug, test_set_id)
    pages = _pages(test_set)
    if request.method == "POST" or not pages["tour"]:
        return redirect(pages["sentences"])
    judge = _judge(request, test_set)
    context = screen_context(judge) | _shared(test_set, pages, "tour")
    context["words"] |= tour_words()
    context["setup"] = screen_setup(judge, request.path) | {"owner": _owner()}
    context["tour"] = tour_data(tour_unreserved(test_set), judge)
    return render(request, "judge/preview/tour.html", context)


@require_safe
@gzip_page
@login_required
@never_cache
@ensure_csrf_cookie
def preview_sentences(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show the judging page itself; its requests go where nothing is stored."""
    test_set = _test_set(request, slug, test_set_id)
    judge = _judge(request, test_set)
    context = screen_context(judge) | _shared(test_set, _pages(test_set), "sentences")
    context["setup"] = screen_setup(judge, request.path) | {
        "preview": reverse("preview-assignments", args=[test_set.pk]).removesuffix("assignments/"),
        "campaign": slug,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
        "owner": _owner(),
    }
    return render(request, "judge/preview/judge.html", context)


def _test_set(request: HttpRequest, slug: str, test_set_id: int) -> TestSet:
    """Return the test set if the user organises its campaign; the session does not remember it."""
    campaign = organised_campaign(request, slug)
    return get_object_or_404(
        TestSet.objects.select_related("campaign"), pk=test_set_id, campaign=campaign
    )


def _owner() -> str:
    """Return a name by which nothing that another page keeps on the device is found."""
    return f"preview/{token_hex(8)}"


def _judge(request: HttpRequest, test_set: TestSet) -> Judge:
    """Return a judge who is stored nowhere."""
    user = cast("User", request.user)
    return Judge(campaign=test_set.campaign, user=user, pseudonym=user.name)


def _pages(test_set: TestSet) -> dict[str, str]:
    """Return the pages there are, in order; empty addresses for those that judges would not see."""
    campaign = test_set.campaign
    where = [campaign.slug, test_set.pk]
    has_instructions = bool(instructions_in_force(campaign=campaign))
    return {
        "instructions": reverse("judge-preview-instructions", args=where)
        if has_instructions
        else "",
        "tour": reverse("judge-preview-tour", args=where) if campaign.tour else "",
        "sentences": reverse("judge-preview-sentences", args=where),
    }


def _shared(test_set: TestSet, pages: dict[str, str], here: str) -> dict[str, object]:
    return {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "pages": pages,
        "here": here,
        "onboarding": JudgeOnboarding(
            judge=Judge(campaign=test_set.campaign),
            owes_acceptance=True,
            has_instructions=bool(pages["instructions"]),
            has_choice=False,
        ),
    }
