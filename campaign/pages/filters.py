"""What lists of organisers are filtered by: the same class for a page and for REST."""

from typing import Any

import django_filters
from django.db.models import QuerySet
from django.http import HttpRequest


class DeskFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped
    """Filters in the address. What is wrong is said beside its field, and then nothing is listed."""

    @classmethod
    def of(cls, request: HttpRequest, queryset: QuerySet[Any, Any], **options: Any) -> "DeskFilter":
        """Return the filter that a request asks for."""
        return cls(data=request.GET, queryset=queryset, **options)

    @property
    def found(self) -> QuerySet[Any, Any]:
        """The rows that pass; none if the address is wrong."""
        if self.form.is_valid():
            rows: QuerySet[Any, Any] = self.filter_queryset(self.queryset)
            return rows
        nothing: QuerySet[Any, Any] = self.queryset.none()
        return nothing

    @property
    def status(self) -> int:
        """The status of the answer: 400 if the address is wrong."""
        return 200 if self.form.is_valid() else 400

    @property
    def is_used(self) -> bool:
        """Whether anything is left out."""
        return any(self.data.get(name) for name in self.form.fields)
