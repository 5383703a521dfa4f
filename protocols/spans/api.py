"""REST: errors from which judges start."""

from typing import Any

from rest_framework import serializers
from rest_framework.parsers import MultiPartParser

from annotation.api.answers import LossSerializer
from campaign.api.operations import Address, operation
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


class SuggestionsView(Address):
    parser_classes = [MultiPartParser]

    @operation("suggestions_replace", LossSerializer(many=True), takes=SuggestionsSentSerializer)
    def put(self) -> Any:
        """Replace the errors from which judges of a task with error spans start (before judging starts); return what was not imported."""
        return suggestions_import(task=self.task, **self.sent)
