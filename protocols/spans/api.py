"""REST: errors from which judges start."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.answers import LossSerializer
from campaign.api.base import TaskAPIView
from campaign.api.plain_serializer import PlainSerializer
from protocols.spans.suggestions import suggestions_count, suggestions_import


class SuggestionsSentSerializer(serializers.Serializer[Any]):
    """Errors to suggest to judges."""

    file = serializers.FileField(
        required=False,
        help_text="In any format of answers, plain or .gz, up to 5 MB. Without it, suggestions are removed.",
    )
    withheld = serializers.IntegerField(
        default=10,
        min_value=0,
        max_value=90,
        help_text="Percentage of outputs that are shown without suggestions.",
    )
    planted = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=90,
        help_text="Percentage of outputs with a planted wrong suggestion.",
    )


class SuggestionsCountSerializer(PlainSerializer):
    """Numbers of suggestions of a task."""

    outputs = serializers.IntegerField(
        help_text="Outputs in the file or task that suggestions came from, also those without errors.",
    )
    suggestions = serializers.IntegerField(
        help_text="Suggested errors, without planted ones.",
    )
    withheld = serializers.IntegerField(
        help_text="Those of the outputs that are shown without suggestions.",
    )
    planted = serializers.IntegerField(
        help_text="Those of the outputs with a planted wrong suggestion.",
    )


class SuggestionsView(TaskAPIView):
    parser_classes = [MultiPartParser]

    @extend_schema("suggestions_count", responses=SuggestionsCountSerializer)
    def get(self, _request: Request, task_id: int) -> Response:
        """Count the errors from which judges of a task with error spans start."""
        counted = suggestions_count(task=self.task)
        return self.serialized(counted, SuggestionsCountSerializer)

    @extend_schema(
        "suggestions_replace",
        request=SuggestionsSentSerializer,
        responses=LossSerializer(many=True),
    )
    def put(self, request: Request, task_id: int) -> Response:
        """Replace the errors from which judges of a task with error spans start (before judging starts); return what was not imported."""
        data = self.validated(SuggestionsSentSerializer)
        return self.serialized(
            suggestions_import(task=self.task, **data),
            LossSerializer,
            many=True,
        )
