"""What a judge does before the first sentence, in order; each page leads on by `next_step`."""

from django.urls import reverse

from annotation.selectors.arriving import ArrivingJudge
from annotation.selectors.tour import tour_due


def next_step(arriving: ArrivingJudge) -> str | None:
    """The address of the page that comes before work; None where nothing does."""
    judge = arriving.judge
    slug = judge.campaign.slug
    if arriving.owes_acceptance:
        return reverse("judge-instructions", args=[slug])
    if arriving.has_choice and judge.chosen_test_set_id is None:
        return reverse("judge-test-sets", args=[slug])
    if tour_due(judge):
        return reverse("tour", args=[slug])
    return None
