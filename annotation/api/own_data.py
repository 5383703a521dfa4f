"""Data stored about a judge, and erasure requests with the organisers' answers."""

import json

from django.db.models import QuerySet
from django.utils.translation import get_language
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.response import Response

from annotation.api.judging import CAMPAIGN, JudgeAddress
from annotation.export.own_data import own_data_json
from annotation.services.judges import erasure_carry_out
from campaign.api.operations import Address, operation, row_found
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import StrictJSONParser, unknown_keys_refuse
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
        fields = ["asked_at", "due_at", "withdrawn_at", "refused_at", "reason", "carried_out_at"]
        read_only_fields = fields


class OwnDataView(JudgeAddress):
    @operation(
        "judging_data",
        OpenApiResponse(OpenApiTypes.OBJECT, description="docs/privacy.md"),
        parameters=[CAMPAIGN],
    )
    def get(self) -> Response:
        """Return the data stored about you in a campaign (data.json of the page *Your data*), without system names."""
        return Response(json.loads(own_data_json(self.judge)))


class OwnErasureView(JudgeAddress):
    # No request body is expected, so any content type is accepted.
    parser_classes = (StrictJSONParser, FormParser, MultiPartParser)

    @operation("judging_erasure", OwnErasureSerializer(many=True), parameters=[CAMPAIGN])
    def get(self) -> Response:
        """List your erasure requests, newest first."""
        asked = self.judge.erasure_requests.order_by("-pk")
        return Response(OwnErasureSerializer(asked, many=True).data)

    @operation("judging_erasure_ask", OwnErasureSerializer, parameters=[CAMPAIGN])
    def post(self) -> ErasureRequest:
        """Request erasure of your identity; an open request is returned unchanged."""
        judge = self.judge
        unknown_keys_refuse(serializers.Serializer(), self.request.data)
        return erasure_ask(judge=judge, language=get_language() or "")

    @operation("judging_erasure_withdraw", parameters=[CAMPAIGN])
    def delete(self) -> None:
        """Withdraw your open request."""
        judge = self.judge
        unknown_keys_refuse(serializers.Serializer(), self.request.data)
        erasure_withdraw(judge=judge)


class ErasureSerializer(serializers.ModelSerializer[ErasureRequest]):
    """A judge's erasure request and its outcome."""

    judge = serializers.CharField(source="judge.pseudonym", read_only=True)

    class Meta:
        model = ErasureRequest
        fields = [
            *("id", "judge", "asked_at", "due_at", "withdrawn_at", "refused_at", "reason"),
            *("carried_out_at", "removed"),
        ]
        read_only_fields = fields


class RefusalOfErasureSerializer(PlainSerializer):
    reason = serializers.CharField(max_length=REASON_LENGTH, help_text="Shown to the judge.")


class ErasureRecordSerializer(PlainSerializer):
    judge = serializers.CharField(max_length=100, help_text="Pseudonym.")


class _ErasureAddress(Address):
    def erasure(self, request_id: int) -> ErasureRequest:
        return row_found(self.erasures(), "Request not found.", pk=request_id)

    def erasures(self) -> QuerySet[ErasureRequest]:
        rows = ErasureRequest.objects.filter(judge__campaign=self.campaign)
        return rows.select_related("judge")


class ErasuresView(_ErasureAddress):
    @operation("campaigns_erasures_list", ErasureSerializer(many=True))
    def get(self) -> QuerySet[ErasureRequest]:
        """List the erasure requests of a campaign, newest first."""
        return self.erasures()

    @operation(
        "erasure_record",
        ErasureSerializer,
        takes=ErasureRecordSerializer,
        refusals={ErasureRefusedError: "judge"},
    )
    def post(self) -> ErasureRequest:
        """Record a request that a judge made by other means; an open request is returned unchanged."""
        return erasure_record(campaign=self.campaign, pseudonym=self.sent["judge"], by=self.user)


class ErasureCarryOutView(_ErasureAddress):
    @operation("erasure_carry_out", ErasureSerializer)
    def post(self, request_id: int) -> ErasureRequest:
        """Erase the judge's identity permanently. 400 if the request was answered or withdrawn."""
        asked = self.erasure(request_id)
        erasure_carry_out(request=asked, by=self.user)
        return asked


class ErasureRefuseView(_ErasureAddress):
    @operation("erasure_refuse", ErasureSerializer, takes=RefusalOfErasureSerializer)
    def post(self, request_id: int) -> ErasureRequest:
        """Refuse a request with a reason shown to the judge. 400 if it was answered or withdrawn."""
        erasure_refuse(request=self.erasure(request_id), reason=self.sent["reason"], by=self.user)
        return self.erasure(request_id)
