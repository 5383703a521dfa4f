"""Lists in pages that stay right while rows are added."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

_Row = TypeVar("_Row")


class CursorPages(CursorPagination):
    """Cursor pages, ordered by what the view names in `ordering`: a unique field."""

    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000
    cursor_query_description = "Where the page begins, as `next` and `previous` have it."
    page_size_query_description = "Rows in a page: 100 unless said otherwise, at most 1,000."

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        del request, queryset
        return (getattr(view, "ordering", "id"),)

    def paginate_queryset(
        self,
        queryset: QuerySet[Any, _Row] | Sequence[_Row],
        request: Request,
        view: APIView | None = None,
    ) -> list[_Row] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except ValueError as error:
            # Somebody's own cursor: decodes, but points at no value of the field.
            raise NotFound(self.invalid_cursor_message) from error
