"""Skips, for the members of a campaign."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Skip
from annotation.pages.skip_table import SkipFilter
from annotation.selectors.judgment_list import skips_listed
from campaign.api.access import readable_task
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages


class SkippedSerializer(serializers.ModelSerializer[Skip]):
    id = serializers.UUIDField(source="client_id")
    judge = serializers.CharField(source="judge.pseudonym")
    segment = serializers.IntegerField(source="block.segment.number")
    document = serializers.CharField(source="block.segment.document.name")
    judged_later = serializers.BooleanField(
        source="is_judged", help_text="The judge ranked the sentence all the same."
    )

    class Meta:
        model = Skip
        fields = [
            *("id", "judge", "segment", "document", "reason", "comment", "duration_ms"),
            *("active_ms", "created_at", "judged_later"),
        ]


class SkipsView(generics.ListAPIView[Skip]):
    """What judges skipped, and why, in the order in which it came."""

    serializer_class = SkippedSerializer
    pagination_class = CursorPages
    ordering = "id"

    @extend_schema(parameters=filter_parameters(SkipFilter))
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Skip]:
        task = readable_task(self.request, self.kwargs["task_id"])
        found: QuerySet[Skip] = filtered(SkipFilter, self.request, skips_listed(task=task))
        return found
