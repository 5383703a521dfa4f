"""Judgments, for the members of a campaign: in pages, or all of them as a file."""

from collections.abc import Sequence
from typing import Any, cast

from django.db.models import F
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.replica import from_replica
from annotation.api.research_serializers import JudgmentRecordSerializer, UntilSerializer
from annotation.export.answers import five_way_response
from annotation.export.shown import systems_shown
from annotation.models import Judgment, JudgmentNumber
from annotation.pages.judgment_table import JudgmentFilter
from annotation.protocols import answers_read
from annotation.services import judgments_number
from campaign.api.access import readable_task
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages
from campaign.models import Task


class FiveWayRenderer(BaseRenderer):
    """Makes `?format=csv` and `Accept: text/csv` known; the view itself streams the file."""

    media_type = "text/csv"
    format = "csv"


class JudgmentsView(generics.GenericAPIView[Judgment]):
    """The judgments of a test set by number, including those superseded by a revision.

    Parameters filter the pages as they filter the page of organisers. `?format=csv` streams those that count as five-way CSV, which
    `import_judgments` reads back to the same ranking.
    """

    serializer_class = JudgmentRecordSerializer
    renderer_classes = [JSONRenderer, FiveWayRenderer]
    pagination_class = CursorPages
    ordering = "number"

    @extend_schema(
        parameters=[UntilSerializer, *filter_parameters(JudgmentFilter)],
        responses={
            (200, "application/json"): JudgmentRecordSerializer(many=True),
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="Five-way CSV."),
        },
    )
    @from_replica
    def get(self, request: Request, task_id: int) -> Response | StreamingHttpResponse:
        query = UntilSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        until: int | None = query.validated_data.get("until")
        task = readable_task(request, task_id)
        if request.accepted_renderer.format == FiveWayRenderer.format:
            return five_way_response(task=task, watermark=until)
        # Whoever reads gets what was acknowledged.
        judgments_number(task_id=task.pk)
        found = filtered(JudgmentFilter, request, task.judgment_numbers.all())
        if until is not None:
            found = found.filter(number__lte=until)
        numbers: Any = self.paginate_queryset(cast("Any", found))
        return self.get_paginated_response(judgments_recorded(numbers, task=task, until=until))

    def handle_exception(self, exc: Exception) -> Response:
        # Errors are JSON, whatever was asked for.
        self.request.accepted_renderer = JSONRenderer()
        self.request.accepted_media_type = JSONRenderer.media_type
        return super().handle_exception(exc)


def judgments_recorded(
    page: Sequence[JudgmentNumber], *, task: Task, until: int | None
) -> list[dict[str, Any]]:
    """Return what members are told of the judgments of these numbers, in their order: as many queries for any number.

    Whether another judgment supersedes one is as of number `until`; as of now if it is None.
    """
    found = _recorded(page, until)
    context = {
        "shown": systems_shown(judgment.block_id for judgment in found),
        "answers": answers_read(task.protocol, [judgment.pk for judgment in found]),
        "names": dict(task.test_set.systems.values_list("id", "name")),
    }
    return list(JudgmentRecordSerializer(found, many=True, context=context).data)


def _recorded(page: Sequence[JudgmentNumber], until: int | None) -> list[Judgment]:
    """Return the judgments of these numbers in their order, with `number` and whether each is `current`."""
    ids = [number.judgment_id for number in page]
    by_id = Judgment.objects.select_related(
        "judge", "block__segment__document", "supersedes"
    ).annotate(rehearsal_of=F("judge__campaign__rehearsal_of__slug"))
    found: dict[int, Any] = by_id.in_bulk(ids)
    later = JudgmentNumber.objects.filter(judgment__supersedes__in=ids)
    if until is not None:
        later = later.filter(number__lte=until)
    superseded = set(later.values_list("judgment__supersedes", flat=True))
    for number in page:
        judgment = found[number.judgment_id]
        judgment.number = number.number
        judgment.current = judgment.pk not in superseded
    return [found[id_] for id_ in ids]
