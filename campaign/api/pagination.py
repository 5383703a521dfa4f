"""Pages of lists, by cursor."""

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

_Row = TypeVar("_Row")
#: More digits than any page size has.
_DIGITS: Final = 9


class CursorPages(CursorPagination):
    """Cursor pages, ordered by the view's `ordering`: a unique field."""

    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000
    cursor_query_description = "Page cursor, taken from `next` or `previous`."
    page_size_query_description = "Rows per page: 100 by default, at most 1,000."

    def get_page_size(self, request: Any) -> int:
        """Return the requested number of rows; raise 400 unless it is an allowed page size."""
        text = request.query_params.get(self.page_size_query_param, str(self.page_size))
        is_number = text.isascii() and text.isdigit() and len(text) <= _DIGITS
        if not (is_number and 1 <= int(text) <= self.max_page_size):
            raise ValidationError(
                {
                    self.page_size_query_param: [
                        f"Enter a number between 1 and {self.max_page_size}.",
                    ],
                },
            )
        return int(text)

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        del request, queryset
        return (getattr(view, "ordering", "id"),)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of a page; links may be null, which REST framework says in the words of OpenAPI 3.0."""
        page: dict[str, Any] = super().get_paginated_response_schema(schema)
        for name in ("next", "previous"):
            page["properties"][name] = {"type": ["string", "null"], "format": "uri"}
        return page

    def paginate_queryset(
        self,
        queryset: QuerySet[Any, _Row] | Sequence[_Row],
        request: Request,
        view: APIView | None = None,
    ) -> list[_Row] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except ValueError as error:
            # A forged cursor: it decodes, but holds no value of the field.
            raise NotFound(self.invalid_cursor_message) from error


class RowPages(CursorPages):
    """Cursor pages of rows in memory, in their given order; the view's `row_key` identifies each row.

    A cursor identifies the last row of the previous page. It is refused if that row no longer exists.
    """

    def paginate_queryset(
        self,
        queryset: QuerySet[Any, _Row] | Sequence[_Row],
        request: Request,
        view: Any = None,
    ) -> list[_Row]:
        rows = list(queryset)
        size = self.get_page_size(request)
        keys = [str(view.row_key(row)) for row in rows]
        # The cursor may hold any text, despite DRF's type annotations.
        cursor: Any = self.decode_cursor(request)
        start = 0
        if cursor is not None and cursor.position is not None:
            if cursor.position not in keys:
                raise NotFound(self.invalid_cursor_message)
            position = keys.index(cursor.position)
            if cursor.reverse:
                start = max(0, position - size)
                size = min(position, size)
            else:
                start = position + 1
        end = min(start + size, len(rows))
        self.base_url = request.build_absolute_uri()
        self._before = keys[start] if 0 < start < len(rows) else None
        self._after = keys[end - 1] if 0 < end < len(rows) else None
        return rows[start:end]

    def get_next_link(self) -> str | None:
        """Return the address of the next page; None on the last page."""
        return self._link(self._after, is_reverse=False)

    def get_previous_link(self) -> str | None:
        """Return the address of the previous page; None on the first page."""
        return self._link(self._before, is_reverse=True)

    def _link(self, key: str | None, *, is_reverse: bool) -> str | None:
        if key is None:
            return None
        cursor: Any = Cursor
        link: str = self.encode_cursor(
            cursor(offset=0, reverse=is_reverse, position=key),
        )
        return link
