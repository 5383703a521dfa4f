"""What the database refuses of the activity log."""

from typing import Any

from campaign.models import ActivityEvent, Campaign
from tests.factories import make_campaign
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields


def event() -> Create:
    fields: dict[str, Any] = {
        "campaign": make_campaign(),
        "operation": "changed",
        "kind": "campaign.judge",
        "changes": {},
        "origin": "page",
    }
    create = ActivityEvent.objects.create
    return lambda **replaced: create(**(fields | replaced))


breaks_by_fields(
    "activity_event_is_of_one_thing_or_several",
    event,
    {"count": 2, "object_id": 1},
    {"count": 0},
    accepted={"count": 2},
)


@breaks("activity_event_never_changes")
def an_event_is_rewritten(attempt: Attempt) -> None:
    event()()
    before = ActivityEvent.objects.count()
    with attempt.refuses(saying="Cannot update"):
        ActivityEvent.objects.update(object_name="somebody else")
    with attempt.accepts():
        Campaign.objects.update(name="another")
        assert ActivityEvent.objects.count() > before


@breaks("activity_event_kept_with_its_campaign")
def an_event_is_deleted(attempt: Attempt) -> None:
    event()()
    with attempt.refuses(saying="kept with its campaign"):
        ActivityEvent.objects.all().delete()
    with attempt.accepts():
        Campaign.objects.get().delete()
