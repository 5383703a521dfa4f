"""Which test set of a campaign an organiser looked at last, so that the way back leads there."""

# ruff takes `test_set_…` for test functions

from collections.abc import Sequence
from typing import Final

from django.contrib.sessions.backends.base import SessionBase

from campaign.models import Campaign, TestSet

_KEY: Final = "test_sets_seen"
#: Campaigns remembered in a session.
MOST: Final = 30


def test_set_remember(session: SessionBase, test_set: TestSet) -> None:
    """Remember this test set as the one of its campaign; the session is written only if that is new."""
    seen: dict[str, int] = session.get(_KEY, {})
    campaign = str(test_set.campaign_id)
    if seen.get(campaign) == test_set.pk:
        return
    kept = {name: number for name, number in seen.items() if name != campaign}
    session[_KEY] = dict([*kept.items(), (campaign, test_set.pk)][-MOST:])


def test_set_seen(
    session: SessionBase, campaign: Campaign, test_sets: Sequence[TestSet]
) -> TestSet | None:
    """Return the one of these that was looked at last; None if none was, or it is gone."""
    number = session.get(_KEY, {}).get(str(campaign.pk))
    return next((each for each in test_sets if each.pk == number), None)
