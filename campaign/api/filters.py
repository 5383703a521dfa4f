"""Filters of organisers' pages, for REST."""

from typing import Any

from django.db.models import QuerySet
from django_filters import ChoiceFilter, DateFilter, ModelChoiceFilter, NumberFilter
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from campaign.pages.filters import DeskFilter


def filter_parameters(filters: type[DeskFilter]) -> list[OpenApiParameter]:
    """Return the query parameters of an address for its API description."""
    return [_parameter(name, each) for name, each in filters.base_filters.items()]


def _parameter(name: str, each: Any) -> OpenApiParameter:
    choices = [value for value, _words in each.extra["choices"]] if _is_choice(each) else None
    return OpenApiParameter(
        name,
        _kind(each),
        description=str(each.extra.get("help_text") or each.label or ""),
        enum=choices,
    )


def _is_choice(each: Any) -> bool:
    return isinstance(each, ChoiceFilter) and not isinstance(each, ModelChoiceFilter)


def _kind(each: Any) -> type | dict[str, Any]:
    """Return the type of a form's values, as far as a description can express it."""
    if isinstance(each, ModelChoiceFilter):
        return int
    if isinstance(each, NumberFilter):
        return _number(each.extra)
    if isinstance(each, DateFilter):
        return {"type": "string", "format": "date"}
    longest = each.extra.get("max_length")
    return {"type": "string", "maxLength": longest} if longest else str


def _number(extra: dict[str, Any]) -> dict[str, Any]:
    is_whole = extra.get("decimal_places") == 0
    most = 10 ** extra["max_digits"] - 1 if is_whole and "max_digits" in extra else None
    bounds = {"minimum": extra.get("min_value"), "maximum": extra.get("max_value", most)}
    described = {name: value for name, value in bounds.items() if value is not None}
    return {"type": "integer" if is_whole else "number", **described}


def filtered(
    filters: type[DeskFilter], request: Request, queryset: QuerySet[Any, Any], **options: Any
) -> QuerySet[Any, Any]:
    """Return the rows that the address asks for; 400 with the errors of each invalid parameter."""
    asked = filters.of(request, queryset, **options)
    if not asked.form.is_valid():
        raise ValidationError(dict(asked.form.errors))
    return asked.found
