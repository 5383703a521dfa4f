"""Panels of recruiting services over REST: their terms, addresses and participations."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.pages.judge_tables import ParticipationFilter
from annotation.selectors.panels import (
    PanelSummary,
    panel_summaries,
    panels_counted,
    participations_described,
    participations_of,
)
from campaign.api.access import organised_campaign, reader
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages, paged
from campaign.models import (
    CHANGING_ROLES,
    Campaign,
    Panel,
    PanelKind,
    Participation,
    ParticipationState,
)
from campaign.pages.rights import role_remember
from campaign.services.panels import (
    CODE_PATTERN,
    GENERIC_TERMS,
    MOST_BLOCKS,
    MOST_MINUTES,
    MOST_PARTICIPATIONS,
    PanelRefusedError,
    PanelTerms,
    panel_change,
    panel_create,
    panel_open_or_close,
)
from campaign.texts.language_tags import LanguageTagError

_CODES = ("completion_code", "screened_out_code")


class PanelTermsSerializer(serializers.ModelSerializer[Panel]):
    """Terms for new participants; missing fields keep their value."""

    blocks_asked = serializers.IntegerField(
        min_value=1, max_value=MOST_BLOCKS, help_text="Blocks per participation."
    )
    minutes_allowed = serializers.IntegerField(min_value=1, max_value=MOST_MINUTES)
    participations_per_member = serializers.IntegerField(
        min_value=1, max_value=MOST_PARTICIPATIONS, default=1
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
            *("name", "blocks_asked", "minutes_allowed", "participations_per_member"),
            *("screen_out_after_training", "languages", *_CODES, "webhook_secret"),
            *GENERIC_TERMS,
        )
        # The service says which names there may be.
        validators: list[Any] = []


class PanelCreateSerializer(PanelTermsSerializer):
    kind = serializers.ChoiceField(choices=PanelKind.choices, help_text="Recruiting service.")

    class Meta(PanelTermsSerializer.Meta):
        fields = ("kind", *PanelTermsSerializer.Meta.fields)  # type: ignore[assignment]


class PanelSerializer(serializers.Serializer[Any]):
    """A panel, without its addresses, codes and secret."""

    id = serializers.IntegerField(source="panel.pk")
    kind = serializers.ChoiceField(source="panel.kind", choices=PanelKind.choices)
    service = serializers.CharField(source="panel.service")
    id_parameter = serializers.CharField(source="panel.id_parameter")
    name = serializers.CharField(source="panel.name")
    blocks_asked = serializers.IntegerField(source="panel.blocks_asked")
    minutes_allowed = serializers.IntegerField(source="panel.minutes_allowed")
    participations_per_member = serializers.IntegerField(source="panel.participations_per_member")
    screen_out_after_training = serializers.BooleanField(source="panel.screen_out_after_training")
    languages = serializers.ListField(source="panel.languages", child=serializers.CharField())
    has_webhook_secret = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(source="panel.created_at")
    closed_at = serializers.DateTimeField(source="panel.closed_at", allow_null=True)
    participations = serializers.DictField(
        source="counts",
        child=serializers.IntegerField(),
        help_text="Number of participations by state.",
    )

    def get_has_webhook_secret(self, each: PanelSummary) -> bool:
        return bool(each.panel.webhook_secret)


class _HiddenSerializer(serializers.Serializer[Any]):
    """Has null in its `hidden` fields for members who only read."""

    hidden: tuple[str, ...]

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown = super().to_representation(instance)
        return shown if self.context["may_change"] else shown | dict.fromkeys(self.hidden)


class PanelWithAddressesSerializer(_HiddenSerializer, PanelSerializer):
    """A panel with its codes and addresses, which are null for read-only members."""

    completion_code = serializers.CharField(source="panel.completion_code", allow_null=True)
    screened_out_code = serializers.CharField(source="panel.screened_out_code", allow_null=True)
    completion_address = serializers.CharField(source="panel.completion_address", allow_null=True)
    screened_out_address = serializers.CharField(
        source="panel.screened_out_address", allow_null=True
    )
    pasted = serializers.SerializerMethodField(
        help_text="Address to enter at the service for participants."
    )
    events_address = serializers.SerializerMethodField(help_text="Webhook address for Prolific.")
    hidden = (*_CODES, "completion_address", "screened_out_address", "pasted", "events_address")

    def get_pasted(self, each: PanelSummary) -> str | None:
        return self._address("panel-entry", each.panel.key) + each.panel.query

    def get_events_address(self, each: PanelSummary) -> str | None:
        return self._address("panel-events", each.panel.events_key)

    def _address(self, name: str, key: str) -> str:
        address: str = self.context["request"].build_absolute_uri(reverse(name, args=[key]))
        return address


class PanelOpenSerializer(serializers.Serializer[Any]):
    open = serializers.BooleanField(help_text="True to admit new participants.")


class ParticipationSerializer(_HiddenSerializer):
    """A participation. Service ids and codes are null for read-only members."""

    id = serializers.IntegerField(source="participation.pk")
    judge = serializers.CharField(source="participation.judge.pseudonym")
    judge_status = serializers.ChoiceField(choices=["good", "warned", "paused", "excluded"])
    state = serializers.ChoiceField(
        source="participation.state", choices=ParticipationState.choices
    )
    blocks_done = serializers.IntegerField(source="done")
    blocks_asked = serializers.IntegerField(source="participation.blocks_asked")
    started_at = serializers.DateTimeField(source="participation.started_at")
    ended_at = serializers.DateTimeField(source="participation.ended_at", allow_null=True)
    code_given_at = serializers.DateTimeField(source="participation.code_given_at", allow_null=True)
    service_status = serializers.CharField(source="participation.service_status")
    participant = serializers.CharField(source="participation.judge.external_id", allow_null=True)
    session = serializers.CharField(
        source="participation.session_id",
        allow_null=True,
        help_text="Submission on Prolific; participant on other services.",
    )
    study = serializers.CharField(source="participation.study_id", allow_null=True)
    code = serializers.CharField(source="participation.code", allow_null=True)
    hidden = ("participant", "session", "study", "code")


class _PanelView(APIView):
    """Find the panel that an address names."""

    def campaign(self, request: Request, slug: str) -> Campaign:
        campaign: Any = organised_campaign(request, slug)
        # The filter of participations looks at it, too.
        role_remember(request, campaign.role)
        self.seen = {"request": request, "may_change": campaign.role in CHANGING_ROLES}
        found: Campaign = campaign
        return found

    def found(self, request: Request, slug: str, panel_id: int) -> Panel:
        panels = panels_counted(campaign=self.campaign(request, slug))
        panel = panels.filter(pk=panel_id).first()
        if panel is None:
            raise NotFound(_("Panel not found."))
        return panel

    def shown(self, panel: Panel, status: int = 200) -> Response:
        row = panels_counted(campaign=panel.campaign).get(pk=panel.pk)
        [summary] = panel_summaries([row])
        answer = PanelWithAddressesSerializer(summary, context=self.seen).data
        return Response(answer, status=status)

    def handle_exception(self, exc: Exception) -> Response:
        """Answer refusals in words."""
        if isinstance(exc, PanelRefusedError):
            exc = ValidationError({exc.field: [str(exc)]})
        if isinstance(exc, LanguageTagError):
            exc = ValidationError({"languages": [str(exc)]})
        return super().handle_exception(exc)


class PanelsView(_PanelView):
    pagination_class = CursorPages
    ordering = "-id"

    @extend_schema(operation_id="panels", responses=PanelSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the panels of a campaign, newest first."""

        def shown(page: list[Panel]) -> Any:
            return PanelSerializer(panel_summaries(page), many=True).data

        return paged(self, panels_counted(campaign=self.campaign(request, slug)), shown)

    @extend_schema(
        operation_id="panel_create",
        request=PanelCreateSerializer,
        responses={201: PanelWithAddressesSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a panel, and return its codes and addresses."""
        campaign = self.campaign(request, slug)
        sent = PanelCreateSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        kind = sent.validated_data.pop("kind")
        terms = PanelTerms(**sent.validated_data)
        panel = panel_create(campaign=campaign, kind=kind, terms=terms, user=reader(request))
        return self.shown(panel, 201)


class PanelView(_PanelView):
    @extend_schema(operation_id="panel", responses=PanelWithAddressesSerializer)
    def get(self, request: Request, slug: str, panel_id: int) -> Response:
        """Return a panel with its codes and addresses."""
        return self.shown(self.found(request, slug, panel_id))

    @extend_schema(
        operation_id="panel_change",
        request=PanelTermsSerializer,
        responses=PanelWithAddressesSerializer,
    )
    def patch(self, request: Request, slug: str, panel_id: int) -> Response:
        """Change the terms for new participants."""
        panel = self.found(request, slug, panel_id)
        sent = PanelTermsSerializer(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        names = PanelTermsSerializer.Meta.fields
        as_it_is = {name: getattr(panel, name) for name in names}
        panel_change(panel=panel, terms=PanelTerms(**as_it_is | sent.validated_data))
        return self.shown(panel)


class PanelOpenView(_PanelView):
    @extend_schema(
        operation_id="panel_open",
        request=PanelOpenSerializer,
        responses=PanelWithAddressesSerializer,
    )
    def post(self, request: Request, slug: str, panel_id: int) -> Response:
        """Open or close a panel to new participants; those who have started can finish."""
        panel = self.found(request, slug, panel_id)
        sent = PanelOpenSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        panel_open_or_close(panel=panel, is_open=sent.validated_data["open"])
        return self.shown(panel)


class ParticipationsView(_PanelView):
    pagination_class = CursorPages
    ordering = "-id"

    @extend_schema(
        operation_id="panel_participations",
        parameters=filter_parameters(ParticipationFilter),
        responses=ParticipationSerializer(many=True),
    )
    def get(self, request: Request, slug: str, panel_id: int) -> Response:
        """List participations and their progress, newest first."""
        panel = self.found(request, slug, panel_id)
        found = filtered(ParticipationFilter, request, participations_of(panel=panel))

        def shown(page: list[Participation]) -> Any:
            rows = participations_described(page)
            return ParticipationSerializer(rows, many=True, context=self.seen).data

        return paged(self, found, shown)
