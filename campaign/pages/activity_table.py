"""The table of the activity log."""

from collections.abc import Sequence

from django.utils.formats import date_format
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.pages.activity import ActivityRow, ChangedField
from campaign.pages.tables import DeskTable, PlainColumn


class ActivityTable(DeskTable):
    """Rows of `ActivityRow`, the newest first; pages are of the log, which has too many rows to count them."""

    at = PlainColumn(gettext_lazy("Time"), by="event", kind="seen")
    who = PlainColumn(gettext_lazy("User"), by="who", kind="judge")
    what = PlainColumn(gettext_lazy("Object"), by="what", kind="wide")
    changed = PlainColumn(gettext_lazy("Changes"), by="fields", kind="wide changes")

    caption = gettext_lazy("Activity")

    def __init__(self, rows: Sequence[ActivityRow]) -> None:
        super().__init__(list(rows))
        self.whole()

    def cell_at(self, row: ActivityRow) -> SafeString:
        at = row.event.happened_at
        words = date_format(localtime(at), "DATETIME_FORMAT")
        return format_html('<time datetime="{}">{}</time>', at.isoformat(), words)

    def cell_who(self, row: ActivityRow) -> SafeString:
        return format_html("<bdi>{}</bdi>", row.who)

    def cell_what(self, row: ActivityRow) -> SafeString:
        done = row.event.get_operation_display()
        words = format_html('<bdi>{}</bdi> <span class="quiet">{}</span>', row.what, done)
        if not row.test_set:
            return words
        return format_html('{}<br><bdi class="quiet">{}</bdi>', words, row.test_set)

    def cell_changed(self, row: ActivityRow) -> str | SafeString:
        if not row.fields:
            return ""
        lines = ((field.name, _from_to(field)) for field in row.fields)
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", lines))


def _from_to(field: ChangedField) -> SafeString:
    if field.before is None or field.after is None:
        return format_html("<bdi>{}</bdi>", field.after if field.before is None else field.before)
    # An arrow to the left in languages that are written so.
    words = _("<bdi>%(before)s</bdi> → <bdi>%(after)s</bdi>")
    return mark_safe(words % {"before": escape(field.before), "after": escape(field.after)})  # noqa: S308
