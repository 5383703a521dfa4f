"""The activity log as files: CSV with a line for each field that changed, JSON Lines with one for each event."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.db.models import QuerySet

from campaign.export.downloads import csv_line
from campaign.models import ActivityEvent, Campaign
from campaign.selectors.activity import events_named
from campaign.texts.canonical_json import json_line

COLUMNS: Final = (
    *("id", "time", "by", "user", "through", "operator", "change", "kind", "thing_id", "thing"),
    *("things", "test_set", "field", "before", "after"),
)


def activity_jsonl(*, campaign: Campaign, events: QuerySet[ActivityEvent]) -> Iterator[str]:
    """Yield a line of JSON for each event, in the order of `events`."""
    for event, names in events_named(campaign=campaign, events=events):
        yield json_line(event_data(event, names))


def activity_csv(*, campaign: Campaign, events: QuerySet[ActivityEvent]) -> Iterator[str]:
    """Yield a header, and a line for each field of each event; an event without fields has one line."""
    yield csv_line(COLUMNS)
    for event, names in events_named(campaign=campaign, events=events):
        data = event_data(event, names)
        changes = data.pop("changes")
        for field, (before, after) in changes.items() or [("", (None, None))]:
            yield csv_line([*data.values(), field, _cell(before), _cell(after)])


def event_data(event: ActivityEvent, names: Mapping[int, str]) -> dict[str, Any]:
    """Return an event as in files and REST: the first fields of `COLUMNS`, and `changes`."""
    return {
        "id": event.pk,
        "time": event.happened_at.isoformat(),
        "by": event.origin,
        "user": None if event.user_id is None else names.get(event.user_id),
        "through": event.through,
        "operator": event.operator,
        "change": event.operation,
        "kind": event.kind,
        "thing_id": event.object_id,
        "thing": event.object_name,
        "things": event.count,
        "test_set": event.test_set_id,
        "changes": event.changes,
    }


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
