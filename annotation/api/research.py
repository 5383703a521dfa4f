"""Judgments, for the members of a campaign: in pages, or all of them as a file."""

from django.db.models import Exists, OuterRef, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.research_serializers import JudgmentRecordSerializer, UntilSerializer
from annotation.export.response import five_way_response
from annotation.export.shown import systems_shown
from annotation.models import Judgment
from campaign.api.access import readable_test_set
from campaign.api.pages import CursorPages
from campaign.models import TestSet


class FiveWayRenderer(BaseRenderer):
    """Makes `?format=csv` and `Accept: text/csv` known; the view itself streams the file."""

    media_type = "text/csv"
    format = "csv"


class JudgmentsView(generics.GenericAPIView[Judgment]):
    """The judgments of a test set by number, including those superseded by a revision.

    `?format=csv` streams those that count as five-way CSV, which
    `import_judgments` reads back to the same ranking.
    """

    serializer_class = JudgmentRecordSerializer
    renderer_classes = [JSONRenderer, FiveWayRenderer]
    pagination_class = CursorPages
    ordering = "number"

    @extend_schema(
        parameters=[UntilSerializer],
        responses={
            (200, "application/json"): JudgmentRecordSerializer(many=True),
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="Five-way CSV."),
        },
    )
    def get(self, request: Request, test_set_id: int) -> Response | StreamingHttpResponse:
        query = UntilSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        until: int | None = query.validated_data.get("until")
        test_set = readable_test_set(request, test_set_id)
        if request.accepted_renderer.format == FiveWayRenderer.format:
            return five_way_response(test_set=test_set, watermark=until)
        page = self.paginate_queryset(_recorded(test_set, until)) or []
        context = {
            **self.get_serializer_context(),
            "shown": systems_shown(judgment.block_id for judgment in page),
            "names": dict(test_set.systems.values_list("id", "name")),
        }
        records = JudgmentRecordSerializer(page, many=True, context=context)
        return self.get_paginated_response(records.data)

    def handle_exception(self, exc: Exception) -> Response:
        # Errors are JSON, whatever was asked for.
        self.request.accepted_renderer = JSONRenderer()
        self.request.accepted_media_type = JSONRenderer.media_type
        return super().handle_exception(exc)


def _recorded(test_set: TestSet, until: int | None) -> QuerySet[Judgment]:
    """Select the judgments of a test set with a number up to `until`, and whether each is current."""
    judgments = Judgment.objects.of(test_set.pk)
    later = Judgment.objects.filter(supersedes=OuterRef("pk"))
    if until is not None:
        judgments, later = judgments.until(until), later.until(until)
    return judgments.annotate(current=~Exists(later)).select_related(
        "judge", "block__segment__document", "supersedes"
    )
