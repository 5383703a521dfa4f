"""Documents, and outputs by themselves, for the members of a campaign."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.access import readable_task
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages
from campaign.models import Document, Output, SystemKind
from campaign.pages.text_filters import DocumentFilter, OutputFilter
from campaign.selectors.texts import documents_of, outputs_of


class DocumentSerializer(serializers.ModelSerializer[Document]):
    segments = serializers.IntegerField(source="segment_count", help_text="Number of segments.")
    first_segment = serializers.IntegerField(
        allow_null=True, help_text="Number of the first segment; the others follow consecutively."
    )

    class Meta:
        model = Document
        fields = ["id", "name", "position", "segments", "first_segment"]


class DocumentsView(generics.ListAPIView[Document]):
    """The documents of a test set in their order."""

    serializer_class = DocumentSerializer
    pagination_class = CursorPages
    ordering = "position"

    @extend_schema(parameters=filter_parameters(DocumentFilter))
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Document]:
        task = readable_task(self.request, self.kwargs["task_id"])
        found: QuerySet[Document] = filtered(DocumentFilter, self.request, documents_of(task=task))
        return found


class OutputSerializer(serializers.ModelSerializer[Output]):
    segment = serializers.IntegerField(
        source="segment.number", help_text="Segment number within the test set, from 1."
    )
    document = serializers.CharField(source="segment.document.name")
    system = serializers.CharField(source="system.name")
    kind = serializers.ChoiceField(source="system.kind", choices=SystemKind.choices)
    text = serializers.CharField(allow_null=True, help_text="Null if known only from judgments.")

    class Meta:
        model = Output
        fields = ["id", "segment", "document", "system", "kind", "text"]


class OutputsView(generics.ListAPIView[Output]):
    """What each system wrote for each segment, in the order in which it came in; damaged references are left out."""

    serializer_class = OutputSerializer
    pagination_class = CursorPages
    ordering = "id"

    @extend_schema(parameters=filter_parameters(OutputFilter))
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Output]:
        task = readable_task(self.request, self.kwargs["task_id"])
        found: QuerySet[Output] = filtered(OutputFilter, self.request, outputs_of(task=task))
        return found
