"""Activity log of a campaign: filtered changes, and the name of each author."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from campaign.models import (
    ActivityEvent,
    ActivityOperation,
    ActivityOrigin,
    Campaign,
    Judge,
    Membership,
    User,
)

#: Special values for the person, besides `user-<id>` for single users.
JUDGES, NOBODY, COMMANDS, WORKER, DATABASE = "judges", "nobody", "commands", "worker", "database"
USER_PREFIX: Final = "user-"

_BY_PEOPLE: Final = (ActivityOrigin.PAGE, ActivityOrigin.API)


def activity_events(
    *,
    campaign: Campaign,
    person: str = "",
    kind: str = "",
    thing: str = "",
    first: date | None = None,
    last: date | None = None,
) -> QuerySet[ActivityEvent]:
    """Return the events of a campaign, the newest first.

    Parameters
    ----------
    person : str
        `user-<id>`, or one of the constants above.
    kind : str
        A model, as app and name.
    thing : str
        Part of the name of the changed object, ignoring case.
    first, last : date, optional
        Days of the server's time zone, both included.
    """
    events = ActivityEvent.objects.filter(campaign=campaign).order_by("-pk")
    if person:
        events = events.filter(_by(campaign, person))
    if kind:
        events = events.filter(kind=kind)
    if thing:
        events = events.filter(object_name__icontains=thing)
    if first:
        events = events.filter(happened_at__gte=_midnight(first))
    if last:
        events = events.filter(happened_at__lt=_midnight(last + timedelta(days=1)))
    return events


def state_changes(*, campaign: Campaign) -> QuerySet[ActivityEvent]:
    """Return the events that changed the state of a campaign, newest first."""
    events = activity_events(campaign=campaign, kind="campaign.campaign")
    return events.filter(operation=ActivityOperation.CHANGED, changes__has_key="state")


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=timezone.get_default_timezone())


def _by(campaign: Campaign, person: str) -> Q:
    if person == JUDGES:
        return Q(user__in=_judges(campaign).values("user"))
    if person == NOBODY:
        return Q(origin__in=_BY_PEOPLE, user=None)
    origins = {
        COMMANDS: ActivityOrigin.COMMAND,
        WORKER: ActivityOrigin.TASK,
        DATABASE: ActivityOrigin.DATABASE,
    }
    if person in origins:
        return Q(origin=origins[person])
    return Q(user=int(person.removeprefix(USER_PREFIX)))


def _judges(campaign: Campaign) -> QuerySet[Judge]:
    """Return the judges who are not members; people who are both appear under their name."""
    members = Membership.objects.filter(campaign=campaign).values("user")
    return Judge.objects.filter(campaign=campaign, user__isnull=False).exclude(user__in=members)


def activity_people(*, campaign: Campaign) -> list[User]:
    """Return the users in a campaign's log who are not its judges, by name."""
    ids = ActivityEvent.objects.filter(campaign=campaign, user__isnull=False).values("user")
    return list(
        User.objects.filter(pk__in=ids)
        .exclude(pk__in=_judges(campaign).values("user"))
        .order_by("name", "pk")
    )


def users_named(*, campaign: Campaign, ids: Iterable[int]) -> dict[int, str]:
    """Return the names of users in a campaign: pseudonyms for its judges, names for all others.

    Accounts that no longer exist are left out. Two queries.
    """
    wanted = set(ids)
    names = dict(User.objects.filter(pk__in=wanted).values_list("pk", "name"))
    judges = _judges(campaign).filter(user__in=wanted).values_list("user", "pseudonym")
    return names | {user: pseudonym for user, pseudonym in judges if user is not None}


def events_named(
    *, campaign: Campaign, events: QuerySet[ActivityEvent], at_once: int = 1000
) -> Iterator[tuple[ActivityEvent, Mapping[int, str]]]:
    """Yield all events, each with the names of users. They are read in portions by key, so that no query stays open."""
    after: int | None = None
    while True:
        portion: Sequence[ActivityEvent] = list(
            (events if after is None else events.filter(pk__lt=after))[:at_once]
        )
        if not portion:
            return
        after = portion[-1].pk
        ids = (event.user_id for event in portion if event.user_id is not None)
        names = users_named(campaign=campaign, ids=ids)
        yield from ((event, names) for event in portion)
