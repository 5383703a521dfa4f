"""Filters of lists as query parameters: their application, and their description."""

from typing import Any

from django.db.models import QuerySet
from django_filters import (
    ChoiceFilter,
    DateFilter,
    Filter,
    ModelChoiceFilter,
    NumberFilter,
)
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.extensions import OpenApiFilterExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_parameter_type
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from campaign.api.described import Description
from campaign.pages.filters import YesNoFilter


class QueryFilterBackend(DjangoFilterBackend):  # type: ignore[misc]  # untyped
    """Filters a list by the `filterset_class` of its view; 400 with the errors of each invalid parameter."""

    def get_filterset_kwargs(
        self,
        request: Request,
        queryset: QuerySet[Any, Any],
        view: Any,
    ) -> Description:
        """Return the arguments of the filter set, with those of the view."""
        kwargs = super().get_filterset_kwargs(request, queryset, view)
        return {**kwargs, **view.get_filterset_kwargs()}


class QueryFilterExtension(OpenApiFilterExtension):  # type: ignore[no-untyped-call]
    """Describes filters with the limits of their forms, which drf-spectacular's own extension leaves out."""

    target_class = "campaign.api.filtering.QueryFilterBackend"
    priority = 1

    def get_schema_operation_parameters(
        self,
        auto_schema: AutoSchema,
        *args: Any,
        **kwargs: Any,
    ) -> list[Description]:
        """Return the query parameters of a list."""
        view: Any = auto_schema.view
        if view.filterset_class is None:
            return []
        return [
            _parameter(name, query_filter)
            for name, query_filter in view.filterset_class.base_filters.items()
        ]


def _parameter(name: str, query_filter: Filter) -> Description:
    choices = None
    if isinstance(query_filter, ChoiceFilter) and not isinstance(
        query_filter,
        ModelChoiceFilter | YesNoFilter,
    ):
        choices = [value for value, _label in query_filter.extra.get("choices", ())]
    parameter: Description = build_parameter_type(
        name,
        _schema(query_filter),
        OpenApiParameter.QUERY,
        description=str(
            query_filter.extra.get("help_text") or query_filter.label or "",
        ),
        enum=choices,
    )
    return parameter


def _schema(query_filter: Filter) -> Description:
    """Return the schema of a form's values, as far as a description can express it."""
    if isinstance(query_filter, ModelChoiceFilter):
        return {"type": "integer"}
    if isinstance(query_filter, YesNoFilter):
        return {"type": "boolean"}
    if isinstance(query_filter, NumberFilter):
        return _number_schema(query_filter.extra)
    if isinstance(query_filter, DateFilter):
        return {"type": "string", "format": "date"}
    schema: Description = {"type": "string"}
    if query_filter.extra.get("max_length"):
        schema["maxLength"] = query_filter.extra["max_length"]
    return schema


def _number_schema(extra: Description) -> Description:
    schema: Description = {"type": "number"}
    maximum = extra.get("max_value")
    if extra.get("decimal_places") == 0:
        schema["type"] = "integer"
        if maximum is None and "max_digits" in extra:
            maximum = 10 ** extra["max_digits"] - 1
    if extra.get("min_value") is not None:
        schema["minimum"] = extra["min_value"]
    if maximum is not None:
        schema["maximum"] = maximum
    return schema
