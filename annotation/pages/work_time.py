"""The time sheet: table and filters."""

from datetime import date
from typing import Any, TypedDict

import django_filters
from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.export.work_time import clock_time
from annotation.selectors.work_time import TimeSums, Worked
from campaign.pages.filters import DayFilter, DaysForm, DeskFilter
from campaign.pages.tables import DeskTable, SortedColumn


class Days(TypedDict):
    """First and last day of a time sheet, both included; None for no limit."""

    first: date | None
    last: date | None


class TimeSheetFilter(DeskFilter):
    """Judges and days listed in a time sheet."""

    first = DayFilter(label=gettext_lazy("From"), method="of_days")
    last = DayFilter(label=gettext_lazy("Until"), method="of_days")
    judge = django_filters.CharFilter(
        "pseudonym",
        lookup_expr="icontains",
        label=gettext_lazy("Name contains"),
        max_length=100,
    )

    class Meta:
        form = DaysForm

    def of_days(
        self,
        rows: QuerySet[Any, Any],
        name: str,
        value: date,
    ) -> QuerySet[Any, Any]:
        """Return all judges; the days apply to the sums."""
        del name, value
        return rows

    @property
    def days(self) -> Days:
        """The selected days; no limits if the address is invalid."""
        if self.form.is_valid():
            values = self.form.cleaned_data
        else:
            values = {}
        return Days(first=values.get("first"), last=values.get("last"))


def _work_column(label: Any, index: int, **options: Any) -> SortedColumn:
    # Index of the array `worked`.
    by = f"worked__{index}"
    return SortedColumn(
        label,
        by=by,
        then="pseudonym",
        kind="number",
        initial_sort_descending=True,
        **options,
    )


class TimeSheetTable(DeskTable):
    """Rows of `time_sheet_sums`; the last line holds the totals."""

    judge = SortedColumn(gettext_lazy("Judge"), by="pseudonym", then="pk", kind="judge")
    sentences = _work_column(gettext_lazy("Items"), 0)
    time = _work_column(gettext_lazy("Active time"), 1)
    days = _work_column(gettext_lazy("Days"), 3)

    caption = gettext_lazy("Time")

    def cell_judge(self, row: Any) -> str | SafeString:
        if isinstance(row, Worked):
            return _("All judges")
        return self.link_to("campaign-judge", row.pk, row.pseudonym)

    def cell_sentences(self, row: Any) -> str:
        return number_format(_sums(row).sentences)

    def cell_time(self, row: Any) -> str:
        return clock_time(_sums(row).active_seconds)

    def cell_days(self, row: Any) -> str:
        if isinstance(row, Worked):
            return ""
        return number_format(TimeSums(*row.worked).days)


def _sums(row: Any) -> Worked | TimeSums:
    if isinstance(row, Worked):
        return row
    return TimeSums(*row.worked)
