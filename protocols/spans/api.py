"""REST: errors from which judges start."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.answers import LossSerializer
from campaign.api.base import TaskAPIView
from protocols.spans.suggestions import suggestions_import


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


class SuggestionsView(TaskAPIView):
    parser_classes = [MultiPartParser]

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
