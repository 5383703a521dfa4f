"""The table of the test sets of a campaign and its filters."""

from typing import Any

import django_filters
from django.db.models import Q, QuerySet
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.selectors.tasks import design_in_words
from campaign.models import (
    Campaign,
    Task,
)
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.selectors.credentials import campaign_languages
from campaign.texts.languages import language_name
from ranking.pages.formats import figure
from ranking.pages.formats import languages as languages_in_words


class TaskFilter(DeskFilter):
    """Filters of `tasks_listed`; languages are those of the campaign."""

    __test__ = False

    name = django_filters.CharFilter(
        field_name="test_set__name",
        lookup_expr="icontains",
        label=gettext_lazy("Name contains"),
        max_length=200,
    )
    language = django_filters.ChoiceFilter(
        label=gettext_lazy("Language"),
        empty_label=gettext_lazy("All"),
        method="of_language",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        tags = campaign_languages(campaign)
        self.filters["language"].extra["choices"] = [
            (tag, language_name(tag)) for tag in tags
        ]

    def of_language(
        self,
        queryset: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(
            Q(test_set__source_language=value) | Q(test_set__target_language=value),
        )


def _task_column(label: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(label, by=by, then="pk", **options)


def _count_column(label: Any, by: str) -> SortedColumn:
    return _task_column(label, by, kind="number", initial_sort_descending=True)


class TaskTable(DeskTable):
    """Table of `tasks_listed`."""

    __test__ = False

    name = _task_column(gettext_lazy("Name"), "test_set__name")
    languages = PlainColumn(gettext_lazy("Languages"), by="test_set__source_language")
    segments = _count_column(gettext_lazy("Segments"), "segment_count")
    documents = _count_column(gettext_lazy("Documents"), "document_count")
    systems = _count_column(gettext_lazy("Systems"), "system_count")
    design = _task_column(gettext_lazy("Design"), "drawn_by")
    judged = _count_column(gettext_lazy("Blocks judged"), "judged")
    target = _count_column(gettext_lazy("Target blocks"), "blocks_wanted")
    state = _task_column(gettext_lazy("State"), "closed_at")

    caption = gettext_lazy("Test sets")

    def cell_name(self, row: Task) -> SafeString:
        return self.link_to("test-set-dashboard", row.pk, row.called)

    def cell_languages(self, row: Task) -> str:
        return languages_in_words(row)

    def cell_design(self, row: Any) -> str:
        return design_in_words(row.drawn_by) or "–"

    def cell_target(self, row: Task) -> str:
        return figure(row.blocks_wanted)

    def cell_state(self, row: Task) -> str:
        if row.closed_at is None:
            return str(row.state.label)
        return _("closed on %(day)s") % {
            "day": date_format(localtime(row.closed_at), "DATE_FORMAT"),
        }
