"""Designs of a test set: history, changes, HITs, and a preview of the HITs of a proposed design."""

from typing import Any, Final

from django.db.models import FloatField
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.serializers import ChangeEffectsSerializer, TextSerializer
from annotation.models import HIT, Design
from annotation.models.design import PARAMETERS
from annotation.selectors.effects import design_effects, design_effects_in_words
from annotation.selectors.hits import (
    PreviewedBlock,
    designs_of,
    hit_state,
    hits_explained,
    previewed_hits,
)
from annotation.services.planning.designs import (
    design_change,
    design_proposed,
    design_use_again,
)
from campaign.api.base import IsMember, TaskAPIView, group_by_name, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField
from campaign.models import JudgeGroup


class DesignSerializer(serializers.ModelSerializer[Design]):
    seed = serializers.CharField(
        read_only=True,
        help_text="Whole number of up to 128 bits as a string of digits.",
    )
    changed_by = serializers.CharField(
        source="changed_by_name",
        allow_null=True,
        help_text="Null for the default design.",
    )

    judge_group = serializers.CharField(
        source="judge_group.name",
        allow_null=True,
        default=None,
        help_text="Judge group that the test set is restricted to; null for all judges.",
    )

    class Meta:
        model = Design
        fields = ["id", *PARAMETERS, "created_at", "changed_by"]
        read_only_fields = fields


class HITSerializer(serializers.ModelSerializer[HIT]):
    """A HIT and how it was drawn."""

    design = serializers.IntegerField(source="design_id")
    repeats = serializers.IntegerField(
        source="repeats.number",
        allow_null=True,
        default=None,
        help_text="Number of the HIT that this one repeats.",
    )
    reserved_for = serializers.CharField(
        source="reserved_for.pseudonym",
        allow_null=True,
        default=None,
    )
    state = serializers.SerializerMethodField()
    why = serializers.JSONField(
        help_text="Reasons for the draw of the HIT and its blocks.",
    )

    class Meta:
        model = HIT
        fields = [
            "number",
            "design",
            "purpose",
            "repeats",
            "reserved_for",
            "state",
            "why",
        ]
        read_only_fields = fields

    @extend_schema_field(
        serializers.ChoiceField(
            choices=["waiting", "available", "lent", "done", "withdrawn"],
        ),
    )
    def get_state(self, hit: HIT) -> str:
        return hit_state(hit)


class HITsView(TaskAPIView):
    ordering = "number"

    @extend_schema("tasks_hits_list", responses=HITSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the HITs of a test set by number, and how they were drawn."""
        return self.paginated(hits_explained(task_id=self.task.pk), HITSerializer)


_MOST_PREVIEWED: Final = 20


class DesignParametersSerializer(serializers.ModelSerializer[Design]):
    """Parameters of a design; missing ones keep their value."""

    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        FloatField: NumberField,
    }
    seed = serializers.RegexField(
        r"^[0-9]+$",
        required=False,
        max_length=39,
        help_text="Whole number of up to 128 bits as a string of digits. Judges can guess a short one.",
        error_messages={"invalid": gettext_lazy("Enter a whole number of 0 or more.")},
    )
    length_limits = serializers.ListField(
        child=serializers.ListField(
            child=serializers.IntegerField(min_value=0, max_value=32767),
            min_length=2,
            max_length=2,
        ),
        required=False,
        max_length=20,
        help_text="Pairs of words and outputs: segments with at least that many words show at most that many outputs.",
    )
    judge_group = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=60,
        help_text="Judge group that the test set is restricted to; null for all judges.",
    )
    rank_shown_reference = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Required to set a reference rate while judges see the reference.",
    )

    class Meta:
        model = Design
        fields = [*PARAMETERS, "rank_shown_reference"]
        extra_kwargs = {name: {"required": False} for name in PARAMETERS}

    def validate_seed(self, text: str) -> int:
        """Read the seed."""
        return int(text)

    def validate_judge_group(self, name: str | None) -> JudgeGroup | None:
        """Find the group by name in the test set's campaign."""
        return group_by_name(self.context["view"].task, name)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Skip constraints across fields: the service checks them, and its errors include a remedy."""
        return serializers.Serializer.run_validation(self, data)

    def get_validators(self) -> list[Any]:
        """Return no validators: the service validates, as it does for the page and the command."""
        return []


class DesignChangeSerializer(DesignParametersSerializer):
    confirm = serializers.BooleanField(
        default=False,
        help_text="Required once HITs are planned. Without it, 409 returns the effects.",
    )

    class Meta(DesignParametersSerializer.Meta):
        fields = [*DesignParametersSerializer.Meta.fields, "confirm"]


class DesignPreviewRequestSerializer(DesignParametersSerializer):
    count = serializers.IntegerField(
        default=5,
        min_value=1,
        max_value=_MOST_PREVIEWED,
        help_text="Number of HITs.",
    )

    class Meta(DesignParametersSerializer.Meta):
        fields = [*DesignParametersSerializer.Meta.fields, "count"]


class PreviewedCandidateSerializer(TextSerializer):
    systems = serializers.ListField(
        child=serializers.CharField(),
        help_text="Systems, which judges do not see.",
    )
    is_damaged_reference = serializers.BooleanField()


class PreviewedBlockSerializer(PlainSerializer):
    segment = serializers.IntegerField(source="plan.segment")
    source = TextSerializer(source="block_data.source", allow_null=True)  # type: ignore[assignment]  # a field's name
    references = TextSerializer(source="block_data.references", many=True)
    candidates = serializers.SerializerMethodField(help_text="In display order.")

    @extend_schema_field(PreviewedCandidateSerializer(many=True))
    def get_candidates(self, block: PreviewedBlock) -> list[dict[str, object]]:
        return [
            {
                **{name: candidate[name] for name in ("text", "lang", "dir")},
                "systems": list(systems),
                "is_damaged_reference": systems == block.plan.control,
            }
            for candidate, systems in zip(
                block.block_data.candidates,
                block.plan.systems,
                strict=True,
            )
        ]


class PreviewedHITSerializer(PlainSerializer):
    number = serializers.IntegerField()
    purpose = serializers.CharField()
    repeats = serializers.IntegerField(
        allow_null=True,
        help_text="Number of the HIT that this one repeats.",
    )
    blocks = PreviewedBlockSerializer(many=True)


class DesignAPIView(TaskAPIView):
    """An address that takes the parameters of a design."""

    def chosen(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters in the request, as arguments of `design_change`."""
        names = (*PARAMETERS, "rank_shown_reference")
        changes = {}
        for name, value in data.items():
            if name in names:
                changes[name] = value
        return changes

    def proposed(self, data: dict[str, Any]) -> Design | None:
        """Return the proposed design, not saved; None if the request names no parameter."""
        chosen = self.chosen(data)
        if not set(chosen) & set(PARAMETERS):
            return None
        return design_proposed(task=self.task, **chosen)

    def design(self, design: Design) -> Design:
        """Return a design with the annotations that its serializer needs."""
        return designs_of(task_id=self.task.pk).get(pk=design.pk)


class DesignsView(DesignAPIView):
    @extend_schema("tasks_designs_list", responses=DesignSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the designs of a test set, the current one first."""
        return self.paginated(designs_of(task_id=self.task.pk), DesignSerializer)

    @extend_schema(
        "design_change",
        request=DesignChangeSerializer,
        responses={201: DesignSerializer, 409: ChangeEffectsSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Change the design of future HITs. 409 without `confirm` once HITs are planned."""
        data = self.validated(DesignChangeSerializer)
        chosen = self.chosen(data)
        effects = design_effects(task=self.task)
        proposed = self.proposed(data)
        if effects.is_any_planned and not data["confirm"]:
            group = None
            if proposed and "judge_group" in chosen:
                group = proposed.judge_group
            sentences = design_effects_in_words(effects, design=proposed, group=group)
            return Response({"words": sentences}, status=409)
        return self.serialized(
            self.design(design_change(task=self.task, changed_by=self.user, **chosen)),
            DesignSerializer,
            status=201,
        )


class DesignAgainView(DesignAPIView):
    @extend_schema("design_use_again", request=None, responses={201: DesignSerializer})
    def post(self, request: Request, task_id: int, design_id: int) -> Response:
        """Use an earlier design again for future HITs."""
        designs = Design.objects.not_imported().filter(task=self.task)
        design = row_or_404(designs, "Design not found.", pk=design_id)
        return self.serialized(
            self.design(design_use_again(design=design, changed_by=self.user)),
            DesignSerializer,
            status=201,
        )


class DesignPreviewView(DesignAPIView):
    permission_classes = [IsAuthenticated, IsMember]

    @extend_schema(
        "design_preview",
        request=DesignPreviewRequestSerializer,
        responses=PreviewedHITSerializer(many=True),
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Preview the next HITs as judges would see them, without storing anything."""
        data = self.validated(DesignPreviewRequestSerializer)
        return self.serialized(
            previewed_hits(
                task_id=self.task.pk,
                count=data["count"],
                design=self.proposed(data),
            ),
            PreviewedHITSerializer,
            many=True,
        )
