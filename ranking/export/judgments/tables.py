"""The rows of each kind that is exported row by row, as columns, some thousands at a time."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Final

from django.db.models import TextField
from django.db.models.functions import Cast

from annotation.api.hits import DesignSerializer
from annotation.models import Design
from campaign.database.copied_rows import Rows, rows_copied
from campaign.models import ActivityEvent
from campaign.selectors.activity import users_named
from ranking.export.judgments.asked import Export
from ranking.export.judgments.recorded import recorded_judgments
from ranking.export.judgments.row_lines import json_objects
from ranking.export.judgments.rows import ROWS, Kind, Utc


def tables(export: Export) -> Iterator[Rows]:
    """Yield the rows of an export of a kind in `ROWS`."""
    rows = ROWS[export.kind.name]
    if rows.found is None:
        yield from _READ[export.kind.name](export)
    elif export.until > export.after:
        found = rows.found(export.task, export.after, export.until)
        yield from rows_copied(found, rows.columns)


def _judgments(export: Export) -> Iterator[Rows]:
    return recorded_judgments(
        task=export.task, after=export.after, until=export.until, watermark=export.watermark
    )


def _designs(export: Export) -> Iterator[Rows]:
    found = Design.objects.filter(task=export.task, pk__gt=export.after, pk__lte=export.until)
    designs = list(found.select_related("judge_group").order_by("pk"))
    # As plain data: times and the like become texts, as in answers of REST.
    told = [
        json.dumps(DesignSerializer(design).data, ensure_ascii=False, default=str)
        for design in designs
    ]
    if designs:
        yield {"id": [design.pk for design in designs], "design": told}


_EVENT: Final[Mapping[str, Kind]] = {
    "id": int,
    "time": datetime,
    "by": str,
    "user": int,
    "through": str,
    "operator": str,
    "change": str,
    "kind": str,
    "thing_id": int,
    "thing": str,
    "things": int,
    "test_set": int,
    "changes": object,
}
#: With the name of the user.
_TOLD: Final[Mapping[str, Kind]] = {**_EVENT, "user": str}


def _activity(export: Export) -> Iterator[Rows]:
    """Yield events as `campaign.export.activity.event_data` tells them."""
    campaign = export.task.test_set.campaign
    events = ActivityEvent.objects.filter(
        campaign=campaign, pk__gt=export.after, pk__lte=export.until
    ).order_by("pk")
    rows = events.values_list(
        *("pk", Utc("happened_at"), "origin", "user", "through", "operator", "operation", "kind"),
        *("object_id", "object_name", "count", "test_set", Cast("changes", TextField())),
    )
    for batch in rows_copied(rows, _EVENT):
        names = users_named(campaign=campaign, ids=set(batch["user"]) - {None})
        told = {
            **batch,
            "time": [time.replace("Z", "+00:00") for time in batch["time"]],
            "user": [names.get(id_) for id_ in batch["user"]],
        }
        yield {"id": batch["id"], "event": json_objects(_TOLD, told)}


_READ: Final[Mapping[str, Callable[[Export], Iterator[Rows]]]] = {
    "judgments": _judgments,
    "designs": _designs,
    "activity": _activity,
}
