"""Data stored about a judge, and erasure requests with the organisers' answers."""

import json

from django.db.models import QuerySet
from django.utils.translation import get_language
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.judging import CAMPAIGN, IsJudge, JudgeAPIView
from annotation.export.own_data import own_data_json
from annotation.services.judges import erasure_carry_out
from campaign.api.base import CampaignAPIView, refused_at, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import ErasureRequest
from campaign.services.erasures import (
    REASON_LENGTH,
    ErasureRefusedError,
    erasure_ask,
    erasure_record,
    erasure_refuse,
    erasure_withdraw,
)


class OwnErasureSerializer(serializers.ModelSerializer[ErasureRequest]):
    """An erasure request and its outcome."""

    class Meta:
        model = ErasureRequest
        fields = [
            "asked_at",
            "due_at",
            "withdrawn_at",
            "refused_at",
            "reason",
            "carried_out_at",
        ]
        read_only_fields = fields


class OwnDataView(JudgeAPIView):
    @extend_schema(
        "judging_data",
        parameters=[CAMPAIGN],
        responses=OpenApiResponse(OpenApiTypes.OBJECT, description="docs/privacy.md"),
    )
    def get(self, request: Request) -> Response:
        """Return the data stored about you in a campaign (data.json of the page *Your data*), without system names."""
        return Response(json.loads(own_data_json(self.judge)))


class OwnErasureView(JudgeAPIView):
    permission_classes = [IsAuthenticated, IsJudge]

    @extend_schema(
        "judging_erasure",
        parameters=[CAMPAIGN],
        responses=OwnErasureSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List your erasure requests, newest first."""
        erasures = self.judge.erasure_requests.order_by("-pk")
        return Response(OwnErasureSerializer(erasures, many=True).data)

    @extend_schema(
        "judging_erasure_ask",
        parameters=[CAMPAIGN],
        request=None,
        responses=OwnErasureSerializer,
    )
    def post(self, request: Request) -> Response:
        """Request erasure of your identity; an open request is returned unchanged."""
        return self.serialized(
            erasure_ask(judge=self.judge, language=get_language() or ""),
            OwnErasureSerializer,
        )

    @extend_schema(
        "judging_erasure_withdraw",
        parameters=[CAMPAIGN],
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        """Withdraw your open request."""
        erasure_withdraw(judge=self.judge)
        return Response(status=204)


class ErasureSerializer(serializers.ModelSerializer[ErasureRequest]):
    """A judge's erasure request and its outcome."""

    judge = serializers.CharField(source="judge.pseudonym", read_only=True)

    class Meta:
        model = ErasureRequest
        fields = [
            "id",
            "judge",
            "asked_at",
            "due_at",
            "withdrawn_at",
            "refused_at",
            "reason",
            "carried_out_at",
            "removed",
        ]
        read_only_fields = fields


class RefusalOfErasureSerializer(PlainSerializer):
    reason = serializers.CharField(
        max_length=REASON_LENGTH,
        help_text="Shown to the judge.",
    )


class ErasureRecordSerializer(PlainSerializer):
    judge = serializers.CharField(max_length=100, help_text="Pseudonym.")


class _ErasureAPIView(CampaignAPIView):
    def erasure(self, request_id: int) -> ErasureRequest:
        return row_or_404(self.erasures(), "Request not found.", pk=request_id)

    def erasures(self) -> QuerySet[ErasureRequest]:
        rows = ErasureRequest.objects.filter(judge__campaign=self.campaign)
        return rows.select_related("judge")


class ErasuresView(_ErasureAPIView):
    @extend_schema("campaigns_erasures_list", responses=ErasureSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the erasure requests of a campaign, newest first."""
        return self.paginated(self.erasures(), ErasureSerializer)

    @extend_schema(
        "erasure_record",
        request=ErasureRecordSerializer,
        responses=ErasureSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Record a request that a judge made by other means; an open request is returned unchanged."""
        data = self.validated(ErasureRecordSerializer)
        with refused_at("judge", ErasureRefusedError):
            erasure = erasure_record(
                campaign=self.campaign,
                pseudonym=data["judge"],
                by=self.user,
            )
        return self.serialized(erasure, ErasureSerializer)


class ErasureCarryOutView(_ErasureAPIView):
    @extend_schema("erasure_carry_out", request=None, responses=ErasureSerializer)
    def post(self, request: Request, slug: str, request_id: int) -> Response:
        """Erase the judge's identity permanently. 400 if the request was answered or withdrawn."""
        erasure = self.erasure(request_id)
        erasure_carry_out(request=erasure, by=self.user)
        return self.serialized(erasure, ErasureSerializer)


class ErasureRefuseView(_ErasureAPIView):
    @extend_schema(
        "erasure_refuse",
        request=RefusalOfErasureSerializer,
        responses=ErasureSerializer,
    )
    def post(self, request: Request, slug: str, request_id: int) -> Response:
        """Refuse a request with a reason shown to the judge. 400 if it was answered or withdrawn."""
        data = self.validated(RefusalOfErasureSerializer)
        erasure_refuse(
            request=self.erasure(request_id),
            reason=data["reason"],
            by=self.user,
        )
        return self.serialized(self.erasure(request_id), ErasureSerializer)
