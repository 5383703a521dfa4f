"""Training of a task: the blocks shown to new judges, and their expected answers."""

from typing import Any, Final

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import TrainingBlock
from annotation.selectors.training import training_blocks
from annotation.services.training import (
    UnknownSystemError,
    ranks_by_output,
    training_block_change,
    training_block_explain,
    training_block_remove,
    training_block_write,
    training_propose,
)
from campaign.api.base import TaskAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Output, SystemKind

#: More would be too many before the first HIT.
_MOST: Final = 10


class TrainingCandidateSerializer(PlainSerializer):
    """An output of a training block and its expected rank."""

    output = serializers.IntegerField(
        source="output_id",
        help_text="`id` in `outputs/`.",
    )
    system = serializers.CharField(source="output.system.name", read_only=True)
    kind = serializers.ChoiceField(
        source="output.system.kind",
        choices=SystemKind.choices,
        read_only=True,
    )
    text = serializers.CharField(source="output.text", read_only=True, allow_null=True)
    expected = serializers.IntegerField(
        min_value=1,
        max_value=5,
        allow_null=True,
        help_text="1 is best; only the order counts. Null if any rank will do.",
    )


class TrainingBlockSerializer(serializers.ModelSerializer[TrainingBlock]):
    segment = serializers.IntegerField(source="segment.number")
    source = serializers.CharField(  # type: ignore[assignment]
        source="segment.source_text",
        allow_null=True,
    )
    candidates = TrainingCandidateSerializer(many=True)

    class Meta:
        model = TrainingBlock
        fields = ["id", "position", "segment", "source", "explanation", "candidates"]
        read_only_fields = fields


class TrainingProposeSerializer(PlainSerializer):
    count = serializers.IntegerField(min_value=1, max_value=_MOST)


class TrainingChangeSerializer(PlainSerializer):
    """Changes to a training block; missing fields keep their value."""

    position = serializers.IntegerField(min_value=1, max_value=32767, required=False)
    explanation = serializers.CharField(
        required=False,
        max_length=10_000,
        help_text="Shown to the judge afterwards. Name no systems.",
    )
    candidates = TrainingCandidateSerializer(
        many=True,
        required=False,
        help_text="All outputs of the block with their expected ranks.",
    )


class TrainingOfSegmentSerializer(TrainingChangeSerializer):
    """A training block of a segment, with its outputs by system."""

    candidates = None  # type: ignore[assignment]  # by id; here `expected`
    explanation = serializers.CharField(
        max_length=10_000,
        help_text="Shown to the judge afterwards. Name no systems.",
    )
    expected = serializers.DictField(
        child=serializers.IntegerField(min_value=1, max_value=5, allow_null=True),
        help_text="Systems shown, each with its expected rank (1 is best, only the order counts), or null for no "
        "expectation.",
    )


class _TrainingAPIView(TaskAPIView):
    ordering = "position"

    def blocks(self) -> QuerySet[TrainingBlock]:
        return training_blocks(task_id=self.task.pk)

    def block(self, block_id: int) -> TrainingBlock:
        return row_or_404(self.blocks(), "Training sentence not found.", pk=block_id)


class TrainingView(_TrainingAPIView):
    @extend_schema("tasks_training_list", responses=TrainingBlockSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the training blocks of a task in order, with the expected ranks."""
        return self.paginated(self.blocks(), TrainingBlockSerializer)

    @extend_schema(
        "training_propose",
        request=TrainingProposeSerializer,
        responses={201: TrainingBlockSerializer(many=True)},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Propose training blocks from approved damaged references, to be reviewed by an organiser."""
        data = self.validated(TrainingProposeSerializer)
        proposed_blocks = training_propose(task=self.task, count=data["count"])
        return self.serialized(
            self.blocks().filter(pk__in=[block.pk for block in proposed_blocks]),
            TrainingBlockSerializer,
            status=201,
            many=True,
        )


class TrainingBlockView(_TrainingAPIView):
    @extend_schema("training_block_read", responses=TrainingBlockSerializer)
    def get(self, request: Request, task_id: int, block_id: int) -> Response:
        """Return a training block."""
        return self.serialized(self.block(block_id), TrainingBlockSerializer)

    @extend_schema(
        "training_block_change",
        request=TrainingChangeSerializer,
        responses=TrainingBlockSerializer,
    )
    def patch(self, request: Request, task_id: int, block_id: int) -> Response:
        """Change a training block for future judges."""
        data = self.validated(TrainingChangeSerializer, is_partial=False)
        _change(self.block(block_id), data)
        return self.serialized(self.block(block_id), TrainingBlockSerializer)

    @extend_schema("training_block_remove", request=None, responses={204: None})
    def delete(self, request: Request, task_id: int, block_id: int) -> Response:
        """Remove a training block for future judges."""
        training_block_remove(training_block=self.block(block_id))
        return Response(status=204)


class TrainingOfSegmentView(_TrainingAPIView):
    @extend_schema(
        "training_of_segment_write",
        request=TrainingOfSegmentSerializer,
        responses=TrainingBlockSerializer,
    )
    def put(self, request: Request, task_id: int, number: int) -> Response:
        """Create or replace the training block of a segment, with its outputs by system, for future judges."""
        data = self.validated(TrainingOfSegmentSerializer)
        segment = row_or_404(
            self.task.test_set.segments.all(),
            "Segment not found.",
            number=number,
        )
        try:
            expected = ranks_by_output(segment=segment, ranks=data["expected"])
        except UnknownSystemError as error:
            raise ValidationError({f"expected.{error.system}": [str(error)]}) from error
        block = training_block_write(
            task=self.task,
            segment=segment,
            explanation=data["explanation"],
            expected=expected,
            position=data.get("position"),
        )
        return self.serialized(self.block(block.pk), TrainingBlockSerializer)


def _change(block: TrainingBlock, sent: dict[str, Any]) -> None:
    explanation = sent.get("explanation", block.explanation)
    if set(sent) <= {"explanation"}:
        training_block_explain(training_block=block, explanation=explanation)
        return
    expected = {
        candidate.output: candidate.expected for candidate in block.candidates.all()
    }
    if "candidates" in sent:
        ranks = {row["output_id"]: row["expected"] for row in sent["candidates"]}
        there = Output.objects.in_bulk(list(ranks))
        of_segment = {
            pk: output
            for pk, output in there.items()
            if output.segment_id == block.segment_id
        }
        if len(of_segment) < len(sent["candidates"]):
            raise ValidationError(
                {
                    "candidates": [
                        "Outputs must be different and belong to this segment.",
                    ],
                },
            )
        expected = {of_segment[pk]: rank for pk, rank in ranks.items()}
    training_block_change(
        training_block=block,
        explanation=explanation,
        expected=expected,
        position=sent.get("position"),
    )
