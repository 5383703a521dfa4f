"""Activity log of a campaign: its changes, and the name of each author."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from django.db.models import Q, QuerySet

from campaign.models import (
    ActivityEvent,
    ActivityOperation,
    ActivityOrigin,
    Campaign,
    Judge,
    Membership,
    User,
)

#: Events read at a time.
_PORTION: Final = 1000


def activity_events(*, campaign: Campaign) -> QuerySet[ActivityEvent]:
    """Return the events of a campaign, newest first."""
    return ActivityEvent.objects.filter(campaign=campaign).order_by("-pk")


def state_changes(*, campaign: Campaign) -> QuerySet[ActivityEvent]:
    """Return the events that changed the state of a campaign, newest first."""
    return activity_events(campaign=campaign).filter(
        kind="campaign.campaign",
        operation=ActivityOperation.CHANGED,
        changes__has_key="state",
    )


def events_by(campaign: Campaign) -> dict[str, Q]:
    """Return the conditions of events by authors other than single users."""
    people = (ActivityOrigin.PAGE, ActivityOrigin.API)
    return {
        "judges": Q(user__in=_judges(campaign).values("user")),
        "nobody": Q(origin__in=people, user=None),
        "commands": Q(origin=ActivityOrigin.COMMAND),
        "worker": Q(origin=ActivityOrigin.TASK),
        "database": Q(origin=ActivityOrigin.DATABASE),
    }


def _judges(campaign: Campaign) -> QuerySet[Judge]:
    """Return the judges who are not members; people who are both appear under their name."""
    members = Membership.objects.filter(campaign=campaign).values("user")
    return Judge.objects.filter(campaign=campaign, user__isnull=False).exclude(
        user__in=members,
    )


def activity_people(*, campaign: Campaign) -> list[User]:
    """Return the users in a campaign's log who are not its judges, by name."""
    ids = ActivityEvent.objects.filter(campaign=campaign, user__isnull=False).values(
        "user",
    )
    return list(
        User.objects.filter(pk__in=ids)
        .exclude(pk__in=_judges(campaign).values("user"))
        .order_by("name", "pk"),
    )


def users_named(*, campaign: Campaign, ids: Iterable[int]) -> dict[int, str]:
    """Return the names of users in a campaign: pseudonyms for its judges, names for all others.

    Accounts that no longer exist are left out. Two queries.
    """
    user_ids = set(ids)
    names = dict(User.objects.filter(pk__in=user_ids).values_list("pk", "name"))
    judges = (
        _judges(campaign).filter(user__in=user_ids).values_list("user", "pseudonym")
    )
    return names | {user: pseudonym for user, pseudonym in judges if user is not None}


def events_named(
    *,
    campaign: Campaign,
    events: QuerySet[ActivityEvent],
) -> Iterator[tuple[ActivityEvent, Mapping[int, str]]]:
    """Yield all events, each with the names of users. They are read in portions by key, so that no query stays open."""
    portion = list(events[:_PORTION])
    while portion:
        ids = (event.user_id for event in portion if event.user_id is not None)
        names = users_named(campaign=campaign, ids=ids)
        for event in portion:
            yield event, names
        portion = list(events.filter(pk__lt=portion[-1].pk)[:_PORTION])
