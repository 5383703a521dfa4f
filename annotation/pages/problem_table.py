"""The table of a campaign's problem reports, and what it is filtered by."""

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

from annotation.models import ProblemReport, ProblemReportKind
from campaign.models import Campaign, Task
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn

OPEN, CLOSED = "open", "closed"
_STATES: Final = [(OPEN, gettext_lazy("open")), (CLOSED, gettext_lazy("closed"))]
_ANY: Final = gettext_lazy("any")
_COMMENT_SHOWN: Final = 120


class ProblemReportFilter(DeskFilter):
    """Filters of the reports `with_state` of a campaign."""

    state = django_filters.ChoiceFilter(
        label=gettext_lazy("State"), choices=_STATES, empty_label=_ANY, method="of_state"
    )
    kind = django_filters.ChoiceFilter(
        label=gettext_lazy("Kind"), choices=ProblemReportKind.choices, empty_label=_ANY
    )
    judge = django_filters.CharFilter(
        "judge__pseudonym", label=gettext_lazy("Judge"), max_length=100
    )
    task = django_filters.ModelChoiceFilter(
        label=gettext_lazy("Test set"), queryset=Task.objects.none(), empty_label=_ANY
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self.filters["task"].queryset = Task.objects.of(campaign).order_by("pk")

    def of_state(self, rows: QuerySet[Any, Any], name: str, value: str) -> QuerySet[Any, Any]:
        del name
        return rows.filter(is_closed=value == CLOSED)


class ProblemReportTable(DeskTable):
    """Rows of `ProblemReport`, with their states, judges and segments."""

    kind = PlainColumn(gettext_lazy("Problem"), by="kind", kind="wide")
    said = PlainColumn(gettext_lazy("Comment"), by="comment", kind="wide")
    judge = SortedColumn(
        gettext_lazy("Judge"), by="judge", order="judge__pseudonym", then="-pk", kind="judge"
    )
    task = PlainColumn(gettext_lazy("Test set"), by="task")
    segment = PlainColumn(gettext_lazy("Segment"), by="block", kind="number")
    at = SortedColumn(gettext_lazy("When"), by="created_at", then="-pk", kind="seen")
    state = PlainColumn(gettext_lazy("State"), by="is_closed")

    caption = gettext_lazy("Problem reports, and whether they are open")

    def __init__(self, rows: QuerySet[ProblemReport, Any], *, campaign: Campaign) -> None:
        super().__init__(rows)
        self._address = reverse("problem-reports", args=[campaign.slug])

    def cell_kind(self, row: ProblemReport) -> SafeString:
        words = row.get_kind_display()
        return format_html('<a href="{}{}/">{}</a>', self._address, row.pk, words)

    def cell_said(self, row: ProblemReport) -> str | SafeString:
        if not row.comment:
            return "–"
        return format_html('<q dir="auto">{}</q>', row.comment[:_COMMENT_SHOWN])

    def cell_judge(self, row: ProblemReport) -> str:
        return row.judge.pseudonym

    def cell_task(self, row: ProblemReport) -> str:
        return row.task.test_set.name

    def cell_segment(self, row: ProblemReport) -> str:
        return str(row.block.segment.number)

    def cell_at(self, row: ProblemReport) -> SafeString:
        words = date_format(localtime(row.created_at), "SHORT_DATETIME_FORMAT")
        return format_html('<time datetime="{}">{}</time>', row.created_at.isoformat(), words)

    def cell_state(self, row: Any) -> str | SafeString:
        if row.is_closed:
            return _("closed")
        return format_html('<span class="badge badge-look">{}</span>', _("open"))
