"""Table of organisers' pages, sorted and paged by the server; its state is in the address."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache, cached_property, partial, reduce
from typing import Any, Final

import django_tables2 as tables
from django.core.paginator import Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy

from campaign.models import Campaign
from campaign.pages.desk import rights
from campaign.texts.joining import comma_list

ROWS: Final = 50
#: What a cell without a value shows.
NO_VALUE: Final = "–"
_SORT: Final = "sort"
_PAGE: Final = "page"


class SortedColumn(tables.Column):  # type: ignore[misc]  # untyped
    """A column that sorts by a field; rows without a value come last, equal ones in the order `then`.

    Parameters
    ----------
    by : str
        Field or annotation that the column shows, and sorts by unless `order` names another.
    then : str
        Unique field.
    kind : str
        Class of its cells: `number` puts figures under each other.
    """

    def __init__(
        self,
        label: str | Promise,
        *,
        by: str,
        then: str,
        kind: str = "",
        order: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(verbose_name=label, accessor=by, **options)
        self._by = order or by
        self._then = then
        self.kind = kind

    def order(
        self,
        queryset: QuerySet[Any, Any],
        is_descending: bool,
    ) -> tuple[QuerySet[Any, Any], bool]:
        by = F(self._by)
        if is_descending:
            first = by.desc(nulls_last=True)
        else:
            first = by.asc(nulls_last=True)
        return queryset.order_by(first, self._then), True


class PlainColumn(tables.Column):  # type: ignore[misc]
    """A column that cannot be sorted by."""

    def __init__(
        self,
        label: str | Promise,
        *,
        by: str,
        kind: str = "",
        **options: Any,
    ) -> None:
        super().__init__(verbose_name=label, accessor=by, orderable=False, **options)
        self.kind = kind


class DeskTable(tables.Table):  # type: ignore[misc]
    """A table of `organiser/_table.html`: its first column heads the rows.

    The content of a cell comes from a method for the column, `cell_name(record)` for `name`, or from its field: the label
    of a choice, a time, a number with separators, a list with commas.

    Columns without a value in any row are left out, unless the table has several pages or totals.

    `caption` describes it to screen readers. `?sort=` is the name of a column, with a minus for descending order, and
    `?page=` a number; invalid values show the first page in its default order. The second table of a page has a
    `prefix` for the names of these parameters.
    """

    caption: str | Promise = ""
    #: Record of the totals below the rows; its cells use the same methods.
    in_all: Any = None
    _parameters: QueryDict
    _address: str

    def __init__(self, rows: Any, *, of: Sequence[Any] = (), **options: Any) -> None:
        """Set up the table; `of` are the first arguments of the URLs that `link` reverses."""
        super().__init__(rows, **options)
        # Reversing the URL of each row would take a quarter of a page's time.
        self._around_key = cache(
            lambda name: reverse(name, args=[*of, 0]).rpartition("/0/"),
        )

    def link_to(self, name: str, key: int, label: Any) -> SafeString:
        """Return a link to the page of this name and key; names have their own direction."""
        before, _key, after = self._around_key(name)
        if isinstance(label, str):
            label = format_html("<bdi>{}</bdi>", label)
        return format_html('<a href="{}/{}/{}">{}</a>', before, key, after, label)

    class Meta:
        template_name = "organiser/_table.html"
        order_by_field = _SORT
        page_field = _PAGE

    def of(self, request: HttpRequest, *, address: str = "") -> "DeskTable":
        """Sort and page the table as the address requests, and return it.

        `address` is the page's own address, for POST requests to other addresses that show the page.
        """
        self._parameters = request.GET
        self._address = address
        order = request.GET.get(self.prefixed_order_by_field, "")
        if order:
            self.order_by = order
        self.paginator = Paginator(self.rows, ROWS)
        self.page = self.paginator.get_page(request.GET.get(self.prefixed_page_field))
        return self

    def whole(self) -> None:
        """Show all rows, for a list that is sorted and paged elsewhere."""
        self.paginator = Paginator(self.rows, max(1, len(self.rows)))
        self.page = self.paginator.page(1)

    @property
    def heads(self) -> Iterator[tuple[Any, str]]:
        """The columns, each with the address that sorts by it; empty if none does."""
        for column in self._filled_columns:
            if column.orderable:
                by = column.order_by_alias.next
            else:
                by = ""
            yield (
                column,
                self._address_with(**{self.prefixed_order_by_field: by}) if by else "",
            )

    @property
    def previous_page(self) -> str:
        """The address of the previous page."""
        return self._address_with(
            **{self.prefixed_page_field: self.page.previous_page_number()},
        )

    @property
    def next_page(self) -> str:
        """The address of the next page."""
        return self._address_with(
            **{self.prefixed_page_field: self.page.next_page_number()},
        )

    def _address_with(self, **changed: str | int) -> str:
        """Return the address with this change; a different order starts at the first page."""
        parameters = self._parameters.copy()
        parameters.pop(self.prefixed_page_field, None)
        for name, value in changed.items():
            parameters[name] = str(value)
        return f"{self._address}?{parameters.urlencode()}"

    @cached_property
    def _filled_columns(self) -> list[Any]:
        """The columns; those that are empty are left out if the page shows all rows."""
        if (
            self.page.has_other_pages()
            or self.in_all is not None
            or not self.page.object_list
        ):
            return list(self.columns)
        first, *others = self.columns
        return [first, *(column for column in others if self._has_value(column))]

    def _has_value(self, column: Any) -> bool:
        cell = self._cell_of(column)
        values = (str(cell(row.record)).strip() for row in self.page.object_list)
        return any(value not in ("", NO_VALUE) for value in values)

    def _cell_of(self, column: Any) -> Callable[[Any], Any]:
        """Return the function of a record that returns the content of its cell."""
        method: Callable[[Any], Any] | None = getattr(self, f"cell_{column.name}", None)
        return method or partial(_cell, column.accessor)

    @property
    def body(self) -> SafeString:
        """The rows of the page.

        Built here, because a template takes twice as long for this many cells, and `render_…` of
        django-tables2, which inspects the signature for each cell, takes even longer.
        """
        return self._lines([row.record for row in self.page.object_list])

    @property
    def foot(self) -> SafeString:
        """The row of totals, from `in_all`."""
        return self._lines([self.in_all])

    def _lines(self, records: list[Any]) -> SafeString:
        cells = [
            (*self._around(column, is_first=not index), self._cell_of(column))
            for index, column in enumerate(self._filled_columns)
        ]
        lines = []
        for record in records:
            lines.append('<tr role="row">')
            for opening, closing, cell in cells:
                lines += (opening, conditional_escape(cell(record)), closing)
            lines.append("</tr>")
        # Each part is either escaped or our own markup.
        return mark_safe("".join(lines))  # noqa: S308

    @staticmethod
    def _around(column: Any, *, is_first: bool) -> tuple[SafeString, str]:
        kind = column.column.kind
        if is_first:
            return format_html(
                '<th role="rowheader" scope="row" class="{}">',
                kind,
            ), "</th>"
        opening = '<td role="cell" class="{}" data-label="{}">'
        return format_html(opening, kind, column.header), "</td>"


class TableWithActions(DeskTable):
    """A table whose last column `actions` has the buttons of each row, for users who may change the campaign."""

    actions = PlainColumn(gettext_lazy("Actions"), by="pk", kind="wide")

    #: Template of a row's buttons.
    actions_template = ""

    class Meta(DeskTable.Meta):
        sequence = ("...", "actions")

    def __init__(
        self,
        rows: Any,
        *,
        campaign: Campaign,
        request: HttpRequest,
        **options: Any,
    ) -> None:
        super().__init__(rows, of=[campaign.slug], **options)
        if not rights(request)["may_change"]:
            self.columns.hide("actions")
        self._campaign = campaign
        self._request = request

    def actions_context(self, row: Any) -> dict[str, object]:
        """Return what the template shows of a row, in addition to the campaign."""
        return {"row": row}

    def cell_actions(self, row: Any) -> SafeString:
        context = {"campaign": self._campaign, **self.actions_context(row)}
        return render_to_string(self.actions_template, context, self._request)


#: Fields with names that people wrote, in any script.
_NAMES: Final = frozenset({"name", "pseudonym", "called", "document"})


def _cell(accessor: str, record: Any) -> str | SafeString:
    """Return the value of a field, with `__` between relations; empty if it has none."""
    *way, name = accessor.split("__")
    of = reduce(getattr, way, record)
    display = getattr(of, f"get_{name}_display", None)
    if display is None:
        value = getattr(of, name)
    else:
        value = display()
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, int):
        return number_format(value)
    if isinstance(value, list):
        return comma_list(map(str, value))
    if name in _NAMES and isinstance(value, str):
        return format_html("<bdi>{}</bdi>", value)
    if value is None:
        return ""
    return str(value)


def moment(time: datetime) -> SafeString:
    """Return a time in the reader's time zone and language."""
    text = date_format(localtime(time), "SHORT_DATETIME_FORMAT")
    return format_html('<time datetime="{}">{}</time>', time.isoformat(), text)
