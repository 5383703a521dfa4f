from secrets import token_hex

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from annotation.selectors.onboarding import Tour, tour_of
from annotation.services import tour_begin, tour_leave
from annotation.views.judge import screen_context, screen_setup
from annotation.views.steps import next_step, onboarding_or_404
from annotation.views.tour_words import tour_words
from campaign.models import Judge, Protocol
from campaign.texts.languages import language_described


@require_http_methods(["GET", "HEAD", "POST"])
@gzip_page
@login_required
@never_cache
def tour(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the judging page with practice sentences, step by step; POST leaves it.

    Nothing that is done in it reaches the server but that it was left, and how.
    """
    onboarding = onboarding_or_404(request, slug)
    judge = onboarding.judge
    if request.method == "POST":
        return _leave(request, judge)
    step = next_step(onboarding)
    if step not in {None, request.path}:
        # Something else comes first.
        return redirect(step)
    if not judge.campaign.tour:
        return redirect("judge", slug)
    tour_begin(judge=judge)
    given = tour_of(judge)
    # Its sentences are ranked, whatever else the campaign asks.
    protocols = [Protocol.RANKING.value]
    context = screen_context(judge, protocols)
    # What this page keeps on the device is its own: another tab may have a tour too.
    setup = screen_setup(judge, request.path, protocols) | {"owner": f"tour/{token_hex(8)}"}
    context["words"] |= tour_words()
    return render(
        request,
        "judge/tour.html",
        context | {"setup": setup, "tour": tour_data(given, judge)},
    )


def _leave(request: HttpRequest, judge: Judge) -> HttpResponse:
    how = request.POST.get("how", "")
    if how not in Judge.Tour.values:
        return HttpResponseBadRequest(_("A tour is done or skipped."))
    tour_leave(judge=judge, how=Judge.Tour(how))
    return redirect("judge", judge.campaign.slug)


def tour_data(given: Tour, judge: Judge) -> dict[str, object]:
    """Return the tour as the judging API would lend it, with the best and worst text."""
    return {
        "hit": {
            "languages": {
                "source": language_described(given.source_language),
                "target": language_described(given.target_language),
            },
            "protocol": Protocol.RANKING,
            "rules": {"partial": judge.campaign.allow_partial_ranking},
            "blocks": [each.block.as_shown() for each in given.blocks],
        },
        "known": [{"best": each.best, "worst": each.worst} for each in given.blocks],
    }
