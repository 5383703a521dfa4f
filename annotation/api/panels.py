"""REST API for panels of recruiting services: their terms, addresses and participations."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.pages.panel_addresses import panel_entry_address, panel_events_address
from annotation.pages.panels import (
    ParticipationFilter,
)
from annotation.selectors.panels import (
    panels_counted,
    participations_described,
    participations_of,
)
from campaign.api.base import CampaignAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import CHANGING_ROLES, Panel, PanelKind, ParticipationState
from campaign.pages.desk import role_remember
from campaign.services.panels import (
    CODE_PATTERN,
    GENERIC_TERMS,
    MOST_BLOCKS,
    MOST_MINUTES,
    MOST_PARTICIPATIONS,
    panel_change,
    panel_create,
    panel_open_or_close,
)

_CODES = ("completion_code", "screened_out_code")
_HIDDEN = (
    *_CODES,
    "completion_address",
    "screened_out_address",
    "pasted",
    "events_address",
)


class PanelTermsSerializer(serializers.ModelSerializer[Panel]):
    """Terms for new participants; missing fields keep their value."""

    blocks_asked = serializers.IntegerField(
        min_value=1,
        max_value=MOST_BLOCKS,
        help_text="Blocks per participation.",
    )
    minutes_allowed = serializers.IntegerField(min_value=1, max_value=MOST_MINUTES)
    participations_per_member = serializers.IntegerField(
        min_value=1,
        max_value=MOST_PARTICIPATIONS,
        default=1,
    )
    screen_out_after_training = serializers.BooleanField(default=True)
    languages = serializers.ListField(
        child=serializers.CharField(max_length=35),
        default=list,
        max_length=100,
        help_text="Languages of the participants; empty for all languages of the campaign.",
    )
    completion_code = serializers.RegexField(
        CODE_PATTERN,
        default="",
        allow_blank=True,
        help_text="Generated if empty.",
    )
    screened_out_code = serializers.RegexField(
        CODE_PATTERN,
        default="",
        allow_blank=True,
        help_text="Generated if empty. Must differ from the completion code.",
    )
    webhook_secret = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        write_only=True,
        help_text="Prolific's signing secret. Never returned.",
    )

    class Meta:
        model = Panel
        fields = (
            "name",
            "blocks_asked",
            "minutes_allowed",
            "participations_per_member",
            "screen_out_after_training",
            "languages",
            *_CODES,
            "webhook_secret",
            *GENERIC_TERMS,
        )
        # The service checks that the name is unique.
        validators: list[Any] = []

    def create(self, validated_data: dict[str, Any]) -> Panel:
        """Add a panel with its own addresses."""
        view = self.context["view"]
        return panel_create(campaign=view.campaign, user=view.user, **validated_data)

    def update(self, instance: Panel, validated_data: dict[str, Any]) -> Panel:
        """Change the given terms for new participants."""
        return panel_change(panel=instance, **validated_data)


class PanelCreateSerializer(PanelTermsSerializer):
    kind = serializers.ChoiceField(
        choices=PanelKind.choices,
        help_text="Recruiting service.",
    )

    class Meta(PanelTermsSerializer.Meta):
        fields = ("kind", *PanelTermsSerializer.Meta.fields)  # type: ignore[assignment]


class PanelSerializer(serializers.ModelSerializer[Panel]):
    """A panel, without its addresses, codes and secret."""

    has_webhook_secret = serializers.SerializerMethodField()
    participations = serializers.SerializerMethodField(
        help_text="Number of participations by state.",
    )

    class Meta:
        model = Panel
        fields = (
            "id",
            "kind",
            "service",
            "id_parameter",
            "name",
            "blocks_asked",
            "minutes_allowed",
            "participations_per_member",
            "screen_out_after_training",
            "languages",
            "has_webhook_secret",
            "created_at",
            "closed_at",
            "participations",
        )
        read_only_fields = fields

    def get_has_webhook_secret(self, panel: Panel) -> bool:
        return bool(panel.webhook_secret)

    def get_participations(self, panel: Panel) -> dict[str, int]:
        return {
            state: getattr(panel, f"count_{state}")
            for state in ParticipationState.values
        }


class _HiddenSerializer(PlainSerializer):
    """Serializer whose `hidden` fields are null for read-only members."""

    hidden: tuple[str, ...]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        representation = super().to_representation(instance)
        if self.context["may_change"]:
            return representation
        return representation | dict.fromkeys(self.hidden)


class PanelWithAddressesSerializer(_HiddenSerializer, PanelSerializer):
    """A panel with its codes and addresses, which are null for read-only members."""

    hidden = _HIDDEN

    completion_code = serializers.CharField(allow_null=True)
    screened_out_code = serializers.CharField(allow_null=True)
    completion_address = serializers.CharField(allow_null=True)
    screened_out_address = serializers.CharField(allow_null=True)
    pasted = serializers.SerializerMethodField(
        help_text="Address to enter at the service for participants.",
    )
    events_address = serializers.SerializerMethodField(
        help_text="Webhook address for Prolific.",
    )

    class Meta(PanelSerializer.Meta):
        fields = (*PanelSerializer.Meta.fields, *_HIDDEN)  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]

    def get_pasted(self, panel: Panel) -> str | None:
        return panel_entry_address(self.context["request"], panel) or None

    def get_events_address(self, panel: Panel) -> str | None:
        return panel_events_address(self.context["request"], panel) or None


class PanelOpenSerializer(PlainSerializer):
    open = serializers.BooleanField(help_text="True to admit new participants.")


class ParticipationSerializer(_HiddenSerializer):
    """A participation. Service ids and codes are null for read-only members."""

    id = serializers.IntegerField(source="participation.pk")
    judge = serializers.CharField(source="participation.judge.pseudonym")
    judge_status = serializers.ChoiceField(
        choices=["good", "warned", "paused", "excluded"],
    )
    state = serializers.ChoiceField(
        source="participation.state",
        choices=ParticipationState.choices,
    )
    blocks_done = serializers.IntegerField()
    blocks_asked = serializers.IntegerField(source="participation.blocks_asked")
    started_at = serializers.DateTimeField(source="participation.started_at")
    ended_at = serializers.DateTimeField(
        source="participation.ended_at",
        allow_null=True,
    )
    code_given_at = serializers.DateTimeField(
        source="participation.code_given_at",
        allow_null=True,
    )
    service_status = serializers.CharField(source="participation.service_status")
    participant = serializers.CharField(
        source="participation.judge.external_id",
        allow_null=True,
    )
    session = serializers.CharField(
        source="participation.session_id",
        allow_null=True,
        help_text="Submission on Prolific; participant on other services.",
    )
    study = serializers.CharField(source="participation.study_id", allow_null=True)
    code = serializers.CharField(source="participation.code", allow_null=True)
    hidden = ("participant", "session", "study", "code")


class _PanelAPIView(CampaignAPIView):
    """Base view for the addresses of a panel."""

    def get_serializer_context(self) -> dict[str, Any]:
        campaign: Any = self.campaign
        return {
            **super().get_serializer_context(),
            "may_change": campaign.role in CHANGING_ROLES,
        }

    def panel(self, panel_id: int) -> Panel:
        return row_or_404(
            panels_counted(campaign=self.campaign),
            "Panel not found.",
            pk=panel_id,
        )


class PanelsView(_PanelAPIView):
    @extend_schema("panels", responses=PanelSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the panels of a campaign, newest first."""
        return self.paginated(panels_counted(campaign=self.campaign), PanelSerializer)

    @extend_schema(
        "panel_create",
        request=PanelCreateSerializer,
        responses={201: PanelWithAddressesSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a panel, and return its codes and addresses."""
        panel = self.saved(PanelCreateSerializer)
        return self.serialized(
            self.panel(panel.pk),
            PanelWithAddressesSerializer,
            status=201,
        )


class PanelView(_PanelAPIView):
    @extend_schema("panel", responses=PanelWithAddressesSerializer)
    def get(self, request: Request, slug: str, panel_id: int) -> Response:
        """Return a panel with its codes and addresses."""
        return self.serialized(self.panel(panel_id), PanelWithAddressesSerializer)

    @extend_schema(
        "panel_change",
        request=PanelTermsSerializer,
        responses=PanelWithAddressesSerializer,
    )
    def patch(self, request: Request, slug: str, panel_id: int) -> Response:
        """Change the terms for new participants."""
        self.saved(PanelTermsSerializer, self.panel(panel_id))
        return self.serialized(self.panel(panel_id), PanelWithAddressesSerializer)


class PanelOpenView(_PanelAPIView):
    @extend_schema(
        "panel_open",
        request=PanelOpenSerializer,
        responses=PanelWithAddressesSerializer,
    )
    def post(self, request: Request, slug: str, panel_id: int) -> Response:
        """Open or close a panel to new participants; those who have started can finish."""
        data = self.validated(PanelOpenSerializer)
        panel = self.panel(panel_id)
        panel_open_or_close(panel=panel, is_open=data["open"])
        return self.serialized(self.panel(panel_id), PanelWithAddressesSerializer)


class PanelParticipationsView(_PanelAPIView):
    filterset_class = ParticipationFilter

    @extend_schema("panel_participations", responses=ParticipationSerializer(many=True))
    def get(self, request: Request, slug: str, panel_id: int) -> Response:
        """List participations and their progress, newest first."""
        # The filter uses the role.
        campaign: Any = self.campaign
        role_remember(request, campaign.role)
        return self.paginated(
            self.filter_queryset(participations_of(panel=self.panel(panel_id))),
            ParticipationSerializer,
        )

    def page_rows(self, page: list[Any]) -> Any:
        return participations_described(page)
