"""Training of a task, for the members of its campaign: the blocks shown to new judges, and their expected answers."""

from typing import Any, Final

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import TrainingBlock
from annotation.selectors.training import training_blocks_of
from annotation.services.training import (
    training_block_change,
    training_block_explain,
    training_block_remove,
    training_propose,
)
from campaign.api.access import organised_task, readable_task
from campaign.api.pages import CursorPages
from campaign.models import Output, SystemKind, Task

#: As many as make sense before the first HIT.
_MOST: Final = 10


class TrainingCandidateSerializer(serializers.Serializer[Any]):
    """An output of a training block and its expected rank."""

    output = serializers.IntegerField(source="output_id", help_text="`id` in `outputs/`.")
    system = serializers.CharField(source="output.system.name", read_only=True)
    kind = serializers.ChoiceField(
        source="output.system.kind", choices=SystemKind.choices, read_only=True
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
        source="segment.source_text", allow_null=True
    )
    candidates = TrainingCandidateSerializer(many=True)

    class Meta:
        model = TrainingBlock
        fields = ["id", "position", "segment", "source", "explanation", "candidates"]
        read_only_fields = fields


class TrainingProposeSerializer(serializers.Serializer[Any]):
    count = serializers.IntegerField(min_value=1, max_value=_MOST)


class TrainingChangeSerializer(serializers.Serializer[Any]):
    """Changes to a training block; missing fields keep their value."""

    position = serializers.IntegerField(min_value=1, max_value=32767, required=False)
    explanation = serializers.CharField(
        required=False,
        max_length=10_000,
        help_text="Shown to the judge afterwards. Name no systems.",
    )
    candidates = TrainingCandidateSerializer(
        many=True, required=False, help_text="All outputs of the block with their expected ranks."
    )


class TrainingView(generics.ListAPIView[TrainingBlock]):
    """Training blocks of a task in order, with the expected ranks."""

    serializer_class = TrainingBlockSerializer
    pagination_class = CursorPages
    ordering = "position"

    def get_queryset(self) -> Any:
        return training_blocks_of(task_id=readable_task(self.request, self.kwargs["task_id"]).pk)

    @extend_schema(
        operation_id="training_propose",
        request=TrainingProposeSerializer,
        responses={201: TrainingBlockSerializer(many=True)},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Propose training blocks from approved damaged references, to be reviewed by an organiser."""
        task = organised_task(request, task_id)
        sent = TrainingProposeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        made = training_propose(task=task, count=sent.validated_data["count"])
        rows = training_blocks_of(task_id=task.pk).filter(pk__in=[each.pk for each in made])
        return Response(TrainingBlockSerializer(rows, many=True).data, status=201)


class TrainingBlockView(APIView):
    @extend_schema(operation_id="training_block_read", responses=TrainingBlockSerializer)
    def get(self, request: Request, task_id: int, block_id: int) -> Response:
        """Return a training block."""
        found = _found(readable_task(request, task_id), block_id)
        return Response(TrainingBlockSerializer(found).data)

    @extend_schema(
        operation_id="training_block_change",
        request=TrainingChangeSerializer,
        responses=TrainingBlockSerializer,
    )
    def patch(self, request: Request, task_id: int, block_id: int) -> Response:
        """Change a training block for future judges."""
        task = organised_task(request, task_id)
        block = _found(task, block_id)
        sent = TrainingChangeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        _change(block, sent.validated_data)
        return Response(TrainingBlockSerializer(_found(task, block_id)).data)

    @extend_schema(operation_id="training_block_remove", responses={204: None})
    def delete(self, request: Request, task_id: int, block_id: int) -> Response:
        """Remove a training block for future judges."""
        task = organised_task(request, task_id)
        training_block_remove(training_block=_found(task, block_id))
        return Response(status=204)


def _change(block: TrainingBlock, sent: dict[str, Any]) -> None:
    explanation = sent.get("explanation", block.explanation)
    if set(sent) <= {"explanation"}:
        training_block_explain(training_block=block, explanation=explanation)
        return
    expected = {each.output: each.expected for each in block.candidates.all()}
    if "candidates" in sent:
        ranks = {each["output_id"]: each["expected"] for each in sent["candidates"]}
        there = Output.objects.in_bulk(list(ranks))
        of_segment = {pk: each for pk, each in there.items() if each.segment_id == block.segment_id}
        if len(of_segment) < len(sent["candidates"]):
            raise ValidationError(
                {"candidates": [_("Outputs must be different and belong to this segment.")]}
            )
        expected = {of_segment[pk]: rank for pk, rank in ranks.items()}
    training_block_change(
        training_block=block,
        explanation=explanation,
        expected=expected,
        position=sent.get("position"),
    )


def _found(task: Task, block_id: int) -> TrainingBlock:
    block: TrainingBlock | None = training_blocks_of(task_id=task.pk).filter(pk=block_id).first()
    if block is None:
        raise NotFound(_("Training sentence not found."))
    return block
