"""Documents, segments and outputs, for the members of a campaign."""

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import TaskAPIView
from campaign.models import Document, Output, Segment, SystemKind
from campaign.pages.filters import DocumentFilter, OutputFilter
from campaign.selectors.texts import documents_of, outputs_of, segments_with_texts


class DocumentSerializer(serializers.ModelSerializer[Document]):
    segments = serializers.IntegerField(
        source="segment_count",
        help_text="Number of segments.",
    )
    first_segment = serializers.IntegerField(
        allow_null=True,
        help_text="Number of the first segment; the others follow consecutively.",
    )

    class Meta:
        model = Document
        fields = ["id", "name", "position", "segments", "first_segment"]


class DocumentsView(TaskAPIView):
    filterset_class = DocumentFilter
    ordering = "position"

    @extend_schema("tasks_documents_list", responses=DocumentSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the documents of a test set in their order."""
        return self.paginated(
            self.filter_queryset(documents_of(task=self.task)),
            DocumentSerializer,
        )


class OutputSerializer(serializers.ModelSerializer[Output]):
    segment = serializers.IntegerField(
        source="segment.number",
        help_text="Segment number within the test set, from 1.",
    )
    document = serializers.CharField(source="segment.document.name")
    system = serializers.CharField(source="system.name")
    kind = serializers.ChoiceField(source="system.kind", choices=SystemKind.choices)
    text = serializers.CharField(
        allow_null=True,
        help_text="Null if known only from judgments.",
    )

    class Meta:
        model = Output
        fields = ["id", "segment", "document", "system", "kind", "text"]


class OutputsView(TaskAPIView):
    filterset_class = OutputFilter
    ordering = "id"

    @extend_schema("tasks_outputs_list", responses=OutputSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the outputs of each system for each segment, oldest first, without damaged references."""
        return self.paginated(
            self.filter_queryset(outputs_of(task=self.task)),
            OutputSerializer,
        )


class SegmentSerializer(serializers.ModelSerializer[Segment]):
    document = serializers.CharField(source="document.name")
    source = serializers.CharField(  # type: ignore[assignment]
        source="source_text",
        allow_null=True,
        help_text="Null if unknown.",
    )
    references = serializers.SerializerMethodField(
        help_text="References in order; the first one is shown to judges.",
    )
    outputs = serializers.SerializerMethodField(
        help_text="Outputs by system; null if known only from judgments.",
    )

    class Meta:
        model = Segment
        fields = ["number", "document", "position", "source", "references", "outputs"]

    def get_references(self, segment: Segment) -> list[str]:
        return [reference.text for reference in segment.in_order]  # type: ignore[attr-defined]

    @extend_schema_field(
        serializers.DictField(child=serializers.CharField(allow_null=True)),
    )
    def get_outputs(self, segment: Segment) -> dict[str, str | None]:
        return {output.system.name: output.text for output in segment.by_system}  # type: ignore[attr-defined]


class SegmentsView(TaskAPIView):
    ordering = "number"

    @extend_schema("tasks_segments_list", responses=SegmentSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the segments of a test set by number: source, references, and the systems' outputs."""
        return self.paginated(segments_with_texts(task=self.task), SegmentSerializer)
