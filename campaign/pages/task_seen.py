"""Test set of a campaign that an organiser viewed last, so that links back lead there."""

# ruff takes `task_…` for test functions

from collections.abc import Sequence
from typing import Final

from django.contrib.sessions.backends.base import SessionBase

from campaign.models import Campaign, Task

_KEY: Final = "tasks_seen"
#: Campaigns remembered in a session.
MOST: Final = 30


def task_remember(session: SessionBase, task: Task) -> None:
    """Remember this test set as the one of its campaign; the session is written only if that is new."""
    seen: dict[str, int] = session.get(_KEY, {})
    campaign = str(task.test_set.campaign_id)
    if seen.get(campaign) == task.pk:
        return
    kept = {name: number for name, number in seen.items() if name != campaign}
    session[_KEY] = dict([*kept.items(), (campaign, task.pk)][-MOST:])


def task_seen(session: SessionBase, campaign: Campaign, tasks: Sequence[Task]) -> Task | None:
    """Return the one of these that was looked at last; None if none was, or it is gone."""
    number = session.get(_KEY, {}).get(str(campaign.pk))
    return next((each for each in tasks if each.pk == number), None)
