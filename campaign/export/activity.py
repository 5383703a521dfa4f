"""The activity log as files: CSV with a line for each part of a field that changed, JSON Lines with one for each event."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.db.models import QuerySet

from campaign.export.downloads import csv_line
from campaign.formats.json_text import JSONObject
from campaign.models import ActivityEvent, Campaign
from campaign.selectors.activity import events_named
from campaign.texts.canonical_json import json_line
from campaign.texts.moments import moment
from campaign.texts.values import joined

COLUMNS: Final[Mapping[str, type[int] | type[str]]] = {
    "id": int,
    "time": str,
    "by": str,
    "user": str,
    "through": str,
    "operator": str,
    "change": str,
    "kind": str,
    "thing_id": int,
    "thing": str,
    "things": int,
    "test_set": int,
    "field": str,
    "before": str,
    "after": str,
}


def activity_jsonl(
    *,
    campaign: Campaign,
    events: QuerySet[ActivityEvent],
) -> Iterator[str]:
    """Yield a line of JSON for each event, in the order of `events`."""
    for event, names in events_named(campaign=campaign, events=events):
        yield json_line(event_data(event, names))


def activity_csv(
    *,
    campaign: Campaign,
    events: QuerySet[ActivityEvent],
) -> Iterator[str]:
    """Yield a header, and the rows of each event."""
    yield csv_line(COLUMNS)
    for event, names in events_named(campaign=campaign, events=events):
        for row in event_rows(event_data(event, names)):
            yield csv_line(row[name] for name in COLUMNS)


def event_rows(data: Mapping[str, Any]) -> Iterator[JSONObject]:
    """Yield a row for each field of an event; an event without fields has one row."""
    event = dict(data)
    changes = event.pop("changes") or {"": (None, None)}
    for field, (before, after) in changes.items():
        for path, old, new in _values(before, after):
            name = ".".join([field, *path])
            yield {**event, "field": name, "before": old, "after": new}


def event_data(event: ActivityEvent, names: Mapping[int, str]) -> JSONObject:
    """Return an event as in files and REST: the first fields of `COLUMNS`, and `changes`."""
    if event.user_id is None:
        user = None
    else:
        user = names.get(event.user_id)
    return {
        "id": event.pk,
        "time": moment(event.happened_at),
        "by": event.origin,
        "user": user,
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


def _values(before: Any, after: Any) -> Iterator[tuple[list[str], str, str]]:
    """Yield the parts that differ of two values: the keys of the part, and the part before and after."""
    if not isinstance(before, dict) and not isinstance(after, dict):
        yield [], joined(before), joined(after)
        return
    old = before if isinstance(before, dict) else {}
    new = after if isinstance(after, dict) else {}
    for key in {**old, **new}:
        if old.get(key) != new.get(key):
            for path, old_text, new_text in _values(old.get(key), new.get(key)):
                yield [str(key), *path], old_text, new_text
