"""Instructions that judges of a campaign read and accept, by version."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import CampaignAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Instructions
from campaign.selectors.instructions import instructions_history, instructions_in_force
from campaign.services.instructions import MAX_CHARACTERS, instructions_write


class InstructionsBriefSerializer(serializers.ModelSerializer[Instructions]):
    written_by = serializers.CharField(
        source="created_by.name",
        allow_null=True,
        default=None,
        read_only=True,
    )
    in_force = serializers.SerializerMethodField(
        help_text="True if this is the current version in its language.",
    )
    accepted = serializers.IntegerField(
        read_only=True,
        help_text="Number of judges who accepted this version.",
    )

    class Meta:
        model = Instructions
        fields = (
            "version",
            "language",
            "demands_acceptance",
            "in_force",
            "accepted",
            "created_at",
            "written_by",
        )
        read_only_fields = fields

    def get_in_force(self, row: Instructions) -> bool:
        return row.pk in self.context["in_force"]


class InstructionsSerializer(InstructionsBriefSerializer):
    class Meta(InstructionsBriefSerializer.Meta):
        fields = (*InstructionsBriefSerializer.Meta.fields, "text")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]


class InstructionsWriteSerializer(PlainSerializer):
    language = serializers.CharField(
        max_length=35,
        help_text="Language tag, such as `de` or `pt-BR`.",
    )
    text = serializers.CharField(max_length=MAX_CHARACTERS, help_text="Markdown.")
    demands_acceptance = serializers.BooleanField(
        default=False,
        help_text="Judges must accept this version before they continue. Always true for the first version.",
    )

    def create(self, validated_data: dict[str, Any]) -> Instructions:
        """Write a version of the instructions of the campaign."""
        view = self.context["view"]
        return instructions_write(
            campaign=view.campaign,
            user=view.user,
            **validated_data,
        )


class _InstructionsAPIView(CampaignAPIView):
    ordering = "-version"

    def get_serializer_context(self) -> dict[str, Any]:
        in_force = instructions_in_force(campaign=self.campaign).values()
        return {
            **super().get_serializer_context(),
            "in_force": {row.pk for row in in_force},
        }

    def version(self, version: int) -> Instructions:
        return row_or_404(instructions_history(campaign=self.campaign), version=version)


class InstructionsView(_InstructionsAPIView):
    @extend_schema(
        "instructions_list",
        responses=InstructionsBriefSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the versions of the instructions, the newest first, without their texts."""
        return self.paginated(
            instructions_history(campaign=self.campaign),
            InstructionsBriefSerializer,
        )

    @extend_schema(
        "instructions_write",
        request=InstructionsWriteSerializer,
        responses={201: InstructionsSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a new version, in force from now on; an unchanged text returns the existing version."""
        instructions = self.saved(InstructionsWriteSerializer)
        return self.serialized(
            self.version(instructions.version),
            InstructionsSerializer,
            status=201,
        )


class InstructionsVersionView(_InstructionsAPIView):
    @extend_schema("instructions_read", responses=InstructionsSerializer)
    def get(self, request: Request, slug: str, version: int) -> Response:
        """Return a version with its text."""
        return self.serialized(self.version(version), InstructionsSerializer)
