"""The steps a judge takes before the first sentence, in order; each page leads on by `next_step`."""

from typing import cast

from django.http import Http404, HttpRequest
from django.urls import reverse

from annotation.selectors.onboarding import JudgeOnboarding, judge_onboarding, tour_due
from campaign.database.logged import judge_logged
from campaign.models import CampaignState, User


def onboarding_or_404(request: HttpRequest, slug: str) -> JudgeOnboarding:
    """Return the judge who asks and their open steps; for everybody else there is no such page."""
    onboarding = judge_onboarding(user=cast("User", request.user), campaign_slug=slug)
    if onboarding is None:
        raise Http404
    judge_logged(onboarding.judge.pk)
    return onboarding


def next_step(onboarding: JudgeOnboarding) -> str | None:
    """Return the address of the page that comes before judging; None if there is none."""
    judge = onboarding.judge
    slug = judge.campaign.slug
    if judge.declined_at is not None:
        return reverse("judge-decline", args=[slug])
    if judge.campaign.state != CampaignState.OPEN:
        # The judging page says so, and sends what is still on this device.
        return None
    if onboarding.owes_acceptance:
        return reverse("judge-instructions", args=[slug])
    if onboarding.has_choice and judge.chosen_task_id is None:
        return reverse("judge-test-sets", args=[slug])
    if tour_due(judge):
        return reverse("tour", args=[slug])
    return None
