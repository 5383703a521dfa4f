"""The time sheet of a campaign as a table, and what it is filtered by: for the page, its file and REST."""

from datetime import date
from typing import Any, TypedDict

import django_filters
from django import forms
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.export.work_time import clock_time
from annotation.selectors import TimeSums, Worked
from campaign.models import Campaign, Judge
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, SortedColumn

_DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
_FORMATS = ["%Y-%m-%d"]


class Days(TypedDict):
    """The days of a time sheet, both included; None has no end."""

    first: date | None
    last: date | None


class DaysForm(forms.Form):
    """The days of a time sheet, both included; either may be left out."""

    first = forms.DateField(
        label=gettext_lazy("From"), required=False, widget=_DAY, input_formats=_FORMATS
    )
    last = forms.DateField(
        label=gettext_lazy("Until"), required=False, widget=_DAY, input_formats=_FORMATS
    )

    def clean(self) -> None:
        first, last = self.cleaned_data.get("first"), self.cleaned_data.get("last")
        if first and last and last < first:
            self.add_error("last", _("This day is before the first one."))


class TimeSheetFilter(DeskFilter):
    """Which judges a time sheet lists, and of which days it says what they worked."""

    judge = django_filters.CharFilter(
        "pseudonym", lookup_expr="icontains", label=gettext_lazy("Name contains"), max_length=100
    )

    class Meta:
        form = DaysForm

    def filter_queryset(self, queryset: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
        """Select judges: the days are those of what is summed."""
        named: QuerySet[Any, Any] = self.filters["judge"].filter(
            queryset, self.form.cleaned_data["judge"]
        )
        return named

    @property
    def days(self) -> Days:
        """The days; of a wrong address all."""
        asked = self.form.cleaned_data if self.form.is_valid() else {}
        return Days(first=asked.get("first"), last=asked.get("last"))


def _sorted(words: Any, place: int, **options: Any) -> SortedColumn:
    # A place of `worked`, which is an array.
    by = f"worked__{place}"
    return SortedColumn(
        words, by=by, then="pseudonym", kind="number", initial_sort_descending=True, **options
    )


class TimeSheetTable(DeskTable):
    """Rows of `time_sheet_sums`; the last line holds what all of them worked."""

    judge = SortedColumn(gettext_lazy("Judge"), by="pseudonym", then="pk", kind="judge")
    sentences = _sorted(gettext_lazy("Sentences"), 0)
    time = _sorted(gettext_lazy("Active time"), 1)
    days = _sorted(gettext_lazy("Days"), 3)

    caption = gettext_lazy("Time")

    def __init__(self, rows: QuerySet[Judge], *, campaign: Campaign) -> None:
        super().__init__(rows)
        self._judge = reverse("campaign-judge", args=[campaign.slug, 0]).removesuffix("0/")

    def cell_judge(self, row: Any) -> str | SafeString:
        if isinstance(row, Worked):
            return _("All judges")
        return format_html('<a href="{}{}/">{}</a>', self._judge, row.pk, row.pseudonym)

    def cell_sentences(self, row: Any) -> str:
        return number_format(_worked(row).sentences)

    def cell_time(self, row: Any) -> str:
        return clock_time(_worked(row).active_seconds)

    def cell_days(self, row: Any) -> str:
        return "" if isinstance(row, Worked) else number_format(TimeSums(*row.worked).days)


def _worked(row: Any) -> Worked | TimeSums:
    return row if isinstance(row, Worked) else TimeSums(*row.worked)
