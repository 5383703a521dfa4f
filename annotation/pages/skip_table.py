"""The table of a test set's skips, and what it is filtered by."""

from typing import Any, Final

import django_filters
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Skip, SkipReason
from annotation.pages.judgment_table import seconds_in_words
from campaign.models import Task
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn

_ANY: Final = gettext_lazy("any")
_STANDING: Final = [("yes", gettext_lazy("yes")), ("no", gettext_lazy("no"))]
_COMMENT_SHOWN: Final = 120


class SkipFilter(DeskFilter):
    """Filters of the skips of a test set, with their states."""

    judge = django_filters.CharFilter(
        "judge__pseudonym", label=gettext_lazy("Judge"), max_length=100
    )
    segment = django_filters.NumberFilter(
        "block__segment__number",
        label=gettext_lazy("Segment"),
        min_value=1,
        max_digits=9,
        decimal_places=0,
    )
    reason = django_filters.ChoiceFilter(
        label=gettext_lazy("Reason"), choices=SkipReason.choices, empty_label=_ANY
    )
    judged_later = django_filters.ChoiceFilter(
        label=gettext_lazy("Judged later"),
        choices=_STANDING,
        empty_label=_ANY,
        method="of_judged_later",
    )

    def of_judged_later(
        self, rows: QuerySet[Any, Any], name: str, value: str
    ) -> QuerySet[Any, Any]:
        del name
        return rows.filter(is_judged=value == "yes")


class SkipTable(DeskTable):
    """Rows of `Skip`, with their judges and segments, and whether they were judged later."""

    segment = PlainColumn(gettext_lazy("Segment"), by="block", kind="number")
    reason = SortedColumn(gettext_lazy("Reason"), by="reason", then="-pk", kind="wide")
    said = PlainColumn(gettext_lazy("Comment"), by="comment", kind="wide")
    judge = SortedColumn(
        gettext_lazy("Judge"), by="judge", order="judge__pseudonym", then="-pk", kind="judge"
    )
    time = SortedColumn(gettext_lazy("Time"), by="active_ms", then="-pk", kind="number")
    at = SortedColumn(gettext_lazy("When"), by="created_at", then="-pk", kind="seen")

    caption = gettext_lazy("Skipped sentences, and why")

    def __init__(self, rows: QuerySet[Skip, Any], *, task: Task) -> None:
        super().__init__(rows)
        of = [task.test_set.campaign.slug, task.pk, 0]
        self._judge = reverse("judge-page", args=of).removesuffix("0/")
        self._segment = reverse("segment", args=of).removesuffix("0/")

    def cell_segment(self, row: Skip) -> SafeString:
        number = row.block.segment.number
        return format_html('<a href="{}{}/">{}</a>', self._segment, number, number)

    def cell_reason(self, row: Skip) -> str | SafeString:
        if not row.is_judged:  # type: ignore[attr-defined]
            return row.get_reason_display()
        return format_html(
            '{} <span class="badge">{}</span>', row.get_reason_display(), _("judged later")
        )

    def cell_said(self, row: Skip) -> str | SafeString:
        if not row.comment:
            return ""
        return format_html('<q dir="auto">{}</q>', row.comment[:_COMMENT_SHOWN])

    def cell_judge(self, row: Skip) -> SafeString:
        return format_html('<a href="{}{}/">{}</a>', self._judge, row.judge_id, row.judge.pseudonym)

    def cell_time(self, row: Skip) -> str:
        return seconds_in_words(row.active_ms)

    def cell_at(self, row: Skip) -> SafeString:
        words = date_format(localtime(row.created_at), "SHORT_DATETIME_FORMAT")
        return format_html('<time datetime="{}">{}</time>', row.created_at.isoformat(), words)
