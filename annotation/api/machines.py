"""Machine judges of a campaign: add them, replace their tokens, withdraw them."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.selectors.machines import machines_of
from campaign.api.base import CampaignAPIView, row_or_404
from campaign.models import MachineJudge
from campaign.services.machines import (
    MachineTerms,
    machine_add,
    machine_token_replace,
    machine_withdraw,
)


class MachineMakeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=60)
    version = serializers.CharField(
        max_length=60,
        help_text="Another version of a program is another machine judge.",
    )
    prompt = serializers.CharField(default="", allow_blank=True, trim_whitespace=False)
    settings = serializers.CharField(
        default="",
        allow_blank=True,
        trim_whitespace=False,
    )
    asked_twice = serializers.BooleanField(
        default=False,
        help_text="Repeats blocks of several outputs in reverse order.",
    )


class MachineSerializer(MachineMakeSerializer):
    id = serializers.IntegerField()
    judged = serializers.IntegerField(default=0, help_text="Number of blocks judged.")
    skipped = serializers.IntegerField(default=0, help_text="Number of blocks skipped.")
    created_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)


class MachineWithTokenSerializer(MachineSerializer):
    token = serializers.SerializerMethodField(
        help_text="For `/api/v1/judging/`. Shown only once.",
    )

    def get_token(self, _machine: MachineJudge) -> str:
        return str(self.context["view"].token)


class _MachineAPIView(CampaignAPIView):
    ordering = "id"
    token = ""

    def machine(self, machine_id: int) -> MachineJudge:
        return row_or_404(machines_of(campaign_id=self.campaign.pk), pk=machine_id)


class MachinesView(_MachineAPIView):
    @extend_schema("machines", responses=MachineSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the machine judges of a campaign. Their answers never count."""
        return self.paginated(
            machines_of(campaign_id=self.campaign.pk),
            MachineSerializer,
        )

    @extend_schema(
        "machine_add",
        request=MachineMakeSerializer,
        responses={201: MachineWithTokenSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a machine judge; the response has its token."""
        data = self.validated(MachineMakeSerializer)
        machine, self.token = machine_add(
            campaign=self.campaign,
            by=self.user,
            terms=MachineTerms(**data),
        )
        return self.serialized(machine, MachineWithTokenSerializer, status=201)


class MachineView(_MachineAPIView):
    @extend_schema("machine", responses=MachineSerializer)
    def get(self, request: Request, slug: str, machine_id: int) -> Response:
        """Return a machine judge."""
        return self.serialized(self.machine(machine_id), MachineSerializer)

    @extend_schema("machine_withdraw", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, machine_id: int) -> Response:
        """Withdraw a machine judge: its token ends, and its judgments are kept."""
        machine_withdraw(machine=self.machine(machine_id))
        return Response(status=204)


class MachineTokenView(_MachineAPIView):
    @extend_schema(
        "machine_token_replace",
        request=None,
        responses=MachineWithTokenSerializer,
    )
    def post(self, request: Request, slug: str, machine_id: int) -> Response:
        """Create a new token; the previous one ends, and a withdrawn machine judge may judge again."""
        machine = self.machine(machine_id)
        self.token = machine_token_replace(machine=machine, by=self.user)
        return self.serialized(machine, MachineWithTokenSerializer)
