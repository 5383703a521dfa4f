"""The texts of a test set, for the members of its campaign."""

from functools import cached_property

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import generics, serializers

from campaign.api.access import readable_task
from campaign.api.pages import CursorPages
from campaign.models import Segment, Task
from campaign.selectors.texts import segments_with_texts


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
    """The segments of a test set by number: source, references, and what each system wrote."""

    serializer_class = SegmentSerializer
    pagination_class = CursorPages
    ordering = "number"

    @cached_property
    def task(self) -> Task:
        return readable_task(self.request, self.kwargs["task_id"])

    def get_queryset(self) -> QuerySet[Segment]:
        return segments_with_texts(task=self.task)
