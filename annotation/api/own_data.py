"""What is kept about a judge, and their request that nothing leads to them any more."""

import json
from typing import Any

from django.utils.translation import get_language
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.views import judge_or_403
from annotation.export.own_data import own_data_json
from campaign.api.requests import EMPTY, StrictJSONParser, unknown_keys_refuse
from campaign.models import ErasureRequest
from campaign.services import erasure_ask, erasure_withdraw

_CAMPAIGN = OpenApiParameter("campaign", str, description="Where you judge in several.")


class OwnErasureSerializer(serializers.ModelSerializer[ErasureRequest]):
    """A request, and what became of it."""

    class Meta:
        model = ErasureRequest
        fields = ["asked_at", "due_at", "withdrawn_at", "refused_at", "reason", "carried_out_at"]
        read_only_fields = fields


class OwnDataView(APIView):
    @extend_schema(
        operation_id="judging_data",
        parameters=[_CAMPAIGN],
        responses={200: OpenApiResponse(OpenApiTypes.OBJECT, description="docs/privacy.md")},
    )
    def get(self, request: Request) -> Response:
        """Return what is kept about you in a campaign: the data.json of the page *Your data*. It names no system."""
        judge = judge_or_403(request, request.query_params.get("campaign"))
        return Response(json.loads(own_data_json(judge)))


class OwnErasureView(APIView):
    # However it is sent, there is nothing to be sent.
    parser_classes = (StrictJSONParser, FormParser, MultiPartParser)

    @extend_schema(
        operation_id="judging_erasure",
        parameters=[_CAMPAIGN],
        responses={200: OwnErasureSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        """Your requests for erasure, the newest first."""
        judge = judge_or_403(request, request.query_params.get("campaign"))
        return Response(_answer(judge.erasure_requests.order_by("-pk"), many=True))

    @extend_schema(
        operation_id="judging_erasure_ask",
        parameters=[_CAMPAIGN],
        request=None,
        responses={200: OwnErasureSerializer},
    )
    def post(self, request: Request) -> Response:
        """Ask that nothing leads from your judgments to you any more; what is asked already stays as it is."""
        judge = judge_or_403(request, request.query_params.get("campaign"))
        unknown_keys_refuse(EMPTY, request.data)
        return Response(_answer(erasure_ask(judge=judge, language=get_language() or "")))

    @extend_schema(
        operation_id="judging_erasure_withdraw", parameters=[_CAMPAIGN], responses={204: None}
    )
    def delete(self, request: Request) -> Response:
        """Withdraw what you asked, while it is not carried out."""
        judge = judge_or_403(request, request.query_params.get("campaign"))
        unknown_keys_refuse(EMPTY, request.data)
        erasure_withdraw(judge=judge)
        return Response(status=204)


def _answer(asked: Any, *, many: bool = False) -> Any:
    return OwnErasureSerializer(asked, many=many).data
