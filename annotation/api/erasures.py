"""Judges who asked for erasure, and the organisers' answers."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.services import erasure_carry_out
from campaign.api.access import organised_campaign, reader
from campaign.api.pages import CursorPages
from campaign.models import ErasureRequest
from campaign.services import REASON_LENGTH, ErasureRefusedError, erasure_refuse
from campaign.services.erasures import erasure_record


class ErasureSerializer(serializers.ModelSerializer[ErasureRequest]):
    """A judge's request that nothing leads from their judgments to them, and what became of it."""

    judge = serializers.CharField(source="judge.pseudonym", read_only=True)

    class Meta:
        model = ErasureRequest
        fields = [
            *("id", "judge", "asked_at", "due_at", "withdrawn_at", "refused_at", "reason"),
            *("carried_out_at", "removed"),
        ]
        read_only_fields = fields


class RefusalOfErasureSerializer(serializers.Serializer[object]):
    reason = serializers.CharField(max_length=REASON_LENGTH, help_text="The judge reads it.")


class ErasureRecordSerializer(serializers.Serializer[object]):
    judge = serializers.CharField(max_length=100, help_text="Pseudonym.")


class ErasuresView(generics.ListAPIView[ErasureRequest]):
    """Requests for erasure of a campaign, the newest first."""

    serializer_class = ErasureSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[ErasureRequest]:
        campaign = organised_campaign(self.request, self.kwargs["slug"])
        return ErasureRequest.objects.filter(judge__campaign=campaign).select_related("judge")

    @extend_schema(
        operation_id="erasure_record",
        request=ErasureRecordSerializer,
        responses={200: ErasureSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Record that a judge asked you for it, by letter or otherwise; an open request is returned as it is."""
        campaign = organised_campaign(request, slug)
        sent = ErasureRecordSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            asked = erasure_record(
                campaign=campaign, pseudonym=sent.validated_data["judge"], by=reader(request)
            )
        except ErasureRefusedError as error:
            raise ValidationError({"judge": [str(error)]}) from error
        return Response(ErasureSerializer(asked).data)


class ErasureCarryOutView(APIView):
    @extend_schema(
        operation_id="erasure_carry_out", request=None, responses={200: ErasureSerializer}
    )
    def post(self, request: Request, slug: str, request_id: int) -> Response:
        """Unlink a judge who asked for it, for good. 400 if the request was answered or withdrawn."""
        asked = _request(request, slug, request_id)
        try:
            erasure_carry_out(request=asked, by=reader(request))
        except ErasureRefusedError as error:
            raise ValidationError({"detail": [str(error)]}) from error
        return Response(ErasureSerializer(asked).data)


class ErasureRefuseView(APIView):
    @extend_schema(
        operation_id="erasure_refuse",
        request=RefusalOfErasureSerializer,
        responses={200: ErasureSerializer},
    )
    def post(self, request: Request, slug: str, request_id: int) -> Response:
        """Refuse a request for a reason that the judge reads. 400 if it was answered or withdrawn."""
        asked = _request(request, slug, request_id)
        sent = RefusalOfErasureSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            erasure_refuse(request=asked, reason=sent.validated_data["reason"], by=reader(request))
        except ErasureRefusedError as error:
            raise ValidationError({"detail": [str(error)]}) from error
        asked.refresh_from_db()
        return Response(ErasureSerializer(asked).data)


def _request(request: Request, slug: str, request_id: int) -> ErasureRequest:
    campaign = organised_campaign(request, slug)
    asked = ErasureRequest.objects.filter(judge__campaign=campaign, pk=request_id).first()
    if asked is None:
        raise NotFound(_("There is no such request."))
    return asked
