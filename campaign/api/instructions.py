"""Instructions that judges of a campaign read and accept, by version."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_campaign, reader
from campaign.api.pages import CursorPages, paged
from campaign.models import Campaign, Instructions
from campaign.selectors.instructions import instructions_history, instructions_in_force
from campaign.services.instructions import (
    MAX_CHARACTERS,
    instructions_write,
)
from campaign.texts.language_tags import LanguageTagError


class InstructionsBriefSerializer(serializers.ModelSerializer[Instructions]):
    written_by = serializers.CharField(
        source="created_by.name", allow_null=True, default=None, read_only=True
    )
    in_force = serializers.SerializerMethodField(
        help_text="True if this is the current version in its language."
    )
    accepted = serializers.IntegerField(
        read_only=True, help_text="Number of judges who accepted this version."
    )

    class Meta:
        model = Instructions
        fields = (
            *("version", "language", "demands_acceptance", "in_force", "accepted"),
            *("created_at", "written_by"),
        )
        read_only_fields = fields

    def get_in_force(self, row: Instructions) -> bool:
        return row.pk in self.context["in_force"]


class InstructionsSerializer(InstructionsBriefSerializer):
    class Meta(InstructionsBriefSerializer.Meta):
        fields = (*InstructionsBriefSerializer.Meta.fields, "text")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]


class InstructionsWriteSerializer(serializers.Serializer[Any]):
    language = serializers.CharField(
        max_length=35, help_text="Language tag, such as `de` or `pt-BR`."
    )
    text = serializers.CharField(max_length=MAX_CHARACTERS, help_text="Markdown.")
    demands_acceptance = serializers.BooleanField(
        default=False,
        help_text="Judges must accept this version before they continue. Always true for the first version.",
    )


def _context(campaign: Campaign) -> dict[str, Any]:
    return {"in_force": {row.pk for row in instructions_in_force(campaign=campaign).values()}}


def _found(campaign: Campaign, version: int) -> Instructions:
    row = instructions_history(campaign=campaign).filter(version=version).first()
    if row is None:
        raise NotFound
    return row


class InstructionsView(APIView):
    pagination_class = CursorPages
    ordering = "-version"

    @extend_schema(
        operation_id="instructions_list", responses=InstructionsBriefSerializer(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the versions of the instructions, the newest first, without their texts."""
        campaign = organised_campaign(request, slug)

        def shown(page: list[Instructions]) -> Any:
            return InstructionsBriefSerializer(page, many=True, context=_context(campaign)).data

        return paged(self, instructions_history(campaign=campaign), shown)

    @extend_schema(
        operation_id="instructions_write",
        request=InstructionsWriteSerializer,
        responses={201: InstructionsSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a new version, in force from now on; an unchanged text returns the existing version."""
        campaign = organised_campaign(request, slug)
        sent = InstructionsWriteSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            kept = instructions_write(
                campaign=campaign, user=reader(request), **sent.validated_data
            )
        except LanguageTagError as error:
            raise ValidationError({"language": [str(error)]}) from error
        row = _found(campaign, kept.version)
        return Response(InstructionsSerializer(row, context=_context(campaign)).data, status=201)


class InstructionsVersionView(APIView):
    @extend_schema(operation_id="instructions_read", responses=InstructionsSerializer)
    def get(self, request: Request, slug: str, version: int) -> Response:
        """Return a version with its text."""
        campaign = organised_campaign(request, slug)
        row = _found(campaign, version)
        return Response(InstructionsSerializer(row, context=_context(campaign)).data)
