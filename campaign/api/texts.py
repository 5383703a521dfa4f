"""Documents, and outputs by themselves, for the members of a campaign."""

from functools import cached_property

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.access import readable_task
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages
from campaign.models import Document, Output, Segment, SystemKind, Task
from campaign.pages.text_filters import DocumentFilter, OutputFilter
from campaign.selectors.texts import documents_of, outputs_of, segments_with_texts


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
    """Outputs of each system for each segment, oldest first, without damaged references."""

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


class SegmentSerializer(serializers.ModelSerializer[Segment]):
    document = serializers.CharField(source="document.name")
    source = serializers.CharField(  # type: ignore[assignment]
        source="source_text", allow_null=True, help_text="Null if unknown."
    )
    references = serializers.SerializerMethodField(
        help_text="References in order; the first one is shown to judges."
    )
    outputs = serializers.SerializerMethodField(
        help_text="Outputs by system; null if known only from judgments."
    )

    class Meta:
        model = Segment
        fields = ["number", "document", "position", "source", "references", "outputs"]

    def get_references(self, segment: Segment) -> list[str]:
        return [reference.text for reference in segment.in_order]  # type: ignore[attr-defined]

    @extend_schema_field(serializers.DictField(child=serializers.CharField(allow_null=True)))
    def get_outputs(self, segment: Segment) -> dict[str, str | None]:
        return {output.system.name: output.text for output in segment.by_system}  # type: ignore[attr-defined]


class SegmentsView(generics.ListAPIView[Segment]):
    """The segments of a test set by number: source, references, and the systems' outputs."""

    serializer_class = SegmentSerializer
    pagination_class = CursorPages
    ordering = "number"

    @cached_property
    def task(self) -> Task:
        return readable_task(self.request, self.kwargs["task_id"])

    def get_queryset(self) -> QuerySet[Segment]:
        return segments_with_texts(task=self.task)
