"""The steps a judge must take before they judge, and the test sets they may choose from."""

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef

from annotation.models import Exposure
from annotation.selectors.pool import test_sets_open_to_judge
from annotation.selectors.progress import test_sets_done
from campaign.models import Instructions, Judge, TestSet, User


@dataclass(frozen=True, slots=True)
class JudgeOnboarding:
    """A judge who opens one of their pages, and the steps they may have to take first."""

    judge: Judge
    owes_acceptance: bool
    has_instructions: bool
    has_choice: bool


def judge_onboarding(*, user: User, campaign_slug: str) -> JudgeOnboarding | None:
    """Return the judge this user is in the campaign, with their open steps, or None. One query."""
    judge = (
        Judge.objects.filter(user=user, campaign__slug=campaign_slug, withdrawn_at=None)
        .select_related("campaign")
        .annotate(
            owes_acceptance=Exists(Instructions.objects.demanded_of(OuterRef("pk"))),
            has_instructions=Exists(Instructions.objects.filter(campaign=OuterRef("campaign"))),
            # More than one: there is a second.
            has_choice=Exists(test_sets_open_to_judge(OuterRef("pk"))[1:2]),
        )
        .first()
    )
    if judge is None:
        return None
    return JudgeOnboarding(
        judge=judge,
        owes_acceptance=judge.owes_acceptance,
        has_instructions=judge.has_instructions,
        has_choice=judge.has_choice,
    )


@dataclass(frozen=True, slots=True)
class TestSetOnOffer:
    """A test set a judge may choose: the sentences they did, and at most how many are left."""

    test_set: TestSet
    done: int
    left: int

    # Not a test case, whatever pytest makes of the name.
    __test__ = False


def test_sets_on_offer(*, judge: Judge) -> list[TestSetOnOffer]:
    """Return the test sets open to the judge, with their progress in each. Four queries.

    No sentence is shown to a judge twice, so those they have seen are not left. They are counted, of
    which there are at most as many as segments; what was judged is not.
    """
    seen = Exposure.objects.filter(judge=judge, is_repeat=False)
    rows = list(test_sets_open_to_judge(judge).annotate(sentences=Count("segments")))
    done_each = test_sets_done(judge)
    seen_each: dict[int, int] = dict(
        seen.order_by().values_list("segment__test_set").annotate(Count("pk"))
    )
    return [
        TestSetOnOffer(
            test_set=row,
            done=done_each.get(row.pk, 0),
            left=max(0, row.sentences - seen_each.get(row.pk, 0)),
        )
        for row in rows
    ]
