"""Comparisons of two outputs, for the members of a campaign."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.replica import from_replica
from annotation.api.research import judgments_recorded
from annotation.models import JudgmentNumber
from annotation.pages.judgment_table import JudgmentFilter
from annotation.selectors.judgment_list import (
    Comparison,
    Outcome,
    comparisons_of,
    counted_in_rankings,
    is_asked_for,
)
from annotation.services import judgments_number
from campaign.api.access import readable_task
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages


class ComparisonFilter(JudgmentFilter):
    """Filters of the judgments that count, which the comparisons are taken from."""

    counts = None


class ComparisonSerializer(serializers.Serializer[Any]):
    """Two texts of a block that a judge compared. The first was shown before the second, unless `system` turns them."""

    judgment = serializers.IntegerField(min_value=1, help_text="Its number.")
    judge = serializers.CharField()
    segment = serializers.IntegerField(min_value=1)
    document = serializers.CharField()
    first = serializers.ListField(
        child=serializers.CharField(), help_text="The systems that produced this very text."
    )
    second = serializers.ListField(child=serializers.CharField())
    first_label = serializers.IntegerField(min_value=1, max_value=5, help_text="1 best … 5 worst.")
    second_label = serializers.IntegerField(min_value=1, max_value=5)
    outcome = serializers.ChoiceField(choices=Outcome.choices, help_text="For the first text.")


class ComparisonPages(CursorPages):
    """Pages of judgments: the comparisons of one stand on one page."""

    page_size_query_description = "Judgments in a page, each with all its comparisons: 100 unless said otherwise, at most 1,000."


class ComparisonsView(generics.GenericAPIView[JudgmentNumber]):
    """The comparisons of the judgments that count, by the number of the judgment.

    A judgment of five texts makes ten. Parameters filter the judgments as they filter `judgments/`; with `system`, only its
    comparisons are listed, and it stands first. `page_size` counts judgments.
    """

    serializer_class = ComparisonSerializer
    pagination_class = ComparisonPages
    ordering = "number"

    @extend_schema(
        operation_id="tasks_comparisons_list",
        parameters=filter_parameters(ComparisonFilter),
        responses=ComparisonSerializer(many=True),
    )
    @from_replica
    def get(self, request: Request, task_id: int) -> Response:
        """Return comparisons in pages; all of them as a file: `exports/`."""
        task = readable_task(request, task_id)
        # Whoever reads gets what was acknowledged.
        judgments_number(task_id=task.pk)
        counted = task.judgment_numbers.filter(counted_in_rankings())
        found = filtered(ComparisonFilter, request, counted)
        page: Any = self.paginate_queryset(cast("Any", found))
        judgments = judgments_recorded(page, task=task, until=None)
        rows = [row for each in judgments for row in _rows(each, request.query_params)]
        return self.get_paginated_response(ComparisonSerializer(rows, many=True).data)


def _rows(judgment: Mapping[str, Any], asked: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for each in comparisons_of(judgment["candidates"], judgment["labels"]):
        for shown in _turned(each, asked):
            yield {
                "judgment": judgment["number"],
                **{name: judgment[name] for name in ("judge", "segment", "document")},
                **{name: getattr(shown, name) for name in ("first", "second")},
                **{name: getattr(shown, name) for name in ("first_label", "second_label")},
                "outcome": shown.outcome,
            }


def _turned(each: Comparison, asked: Mapping[str, str]) -> list[Comparison]:
    """Return the comparison if it is asked for, with the system that is asked for as the first."""
    named = {name: asked.get(name, "") for name in ("system", "other", "outcome")}
    if not named["system"]:
        return [each]
    return [turned for turned in (each, each.turned()) if is_asked_for(turned, **named)][:1]
