"""Damaged references of a test set, for the members of its campaign: make, review, have another one drawn."""

from typing import Any

from django.db.models import F, Prefetch, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_task, readable_task, reader
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages
from campaign.api.requests import NumberField
from campaign.models import BadReference, Reference, Task
from campaign.pages.text_filters import BadReferenceFilter
from campaign.selectors.bad_references import withdrawal_in_words
from campaign.services.bad_references import (
    BadReferenceRefusedError,
    bad_reference_redraw,
    bad_reference_review,
    bad_references_make,
)


class BadReferenceSerializer(serializers.ModelSerializer[BadReference]):
    """A damaged reference with its source text."""

    segment = serializers.IntegerField(source="output.segment.number")
    source = serializers.CharField(  # type: ignore[assignment]
        source="output.segment.source_text", allow_null=True
    )
    reference = serializers.SerializerMethodField(help_text="Reference before damage.")
    text = serializers.CharField(source="output.text", help_text="Text shown to judges.")
    seed = serializers.CharField(help_text="Integer of up to 128 bits, as a decimal string.")

    class Meta:
        model = BadReference
        fields = [
            *("id", "segment", "source", "reference", "text", "damage", "detail", "seed"),
            *("attempt", "status", "reviewed_at", "approved_at", "withdrawn_at"),
        ]
        read_only_fields = fields

    def get_reference(self, row: BadReference) -> str | None:
        first: list[Reference] = row.output.segment.in_order  # type: ignore[attr-defined]
        return first[0].text if first else None


class BadReferencesMakeSerializer(serializers.Serializer[Any]):
    share = NumberField(
        min_value=0,
        max_value=1,
        help_text="Share of the segments with a reference. Existing damaged references are kept.",
    )


class BadReferencesMadeSerializer(serializers.Serializer[Any]):
    made = serializers.IntegerField()


class BadReferenceReviewSerializer(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        choices=[BadReference.Status.APPROVED.value, BadReference.Status.REJECTED.value]
    )
    confirm = serializers.BooleanField(
        default=False,
        help_text="Required to reject an approved one, which is withdrawn permanently.",
    )


class BadReferenceWithdrawalSerializer(serializers.Serializer[Any]):
    words = serializers.ListField(
        child=serializers.CharField(), help_text="Effects of the withdrawal."
    )


class BadReferencesView(generics.ListAPIView[BadReference]):
    """The damaged references of a test set by segment, whatever was said of them."""

    serializer_class = BadReferenceSerializer
    pagination_class = CursorPages
    ordering = "segment_number"

    @extend_schema(parameters=filter_parameters(BadReferenceFilter))
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="bad_references_make",
        request=BadReferencesMakeSerializer,
        responses={200: BadReferencesMadeSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Damage the first reference of a share of the segments; each waits for your review."""
        task = organised_task(request, task_id)
        sent = BadReferencesMakeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        made = bad_references_make(test_set=task.test_set, share=sent.validated_data["share"])
        return Response({"made": made})

    def get_queryset(self) -> QuerySet[BadReference]:
        task = readable_task(self.request, self.kwargs["task_id"])
        rows: QuerySet[BadReference] = filtered(BadReferenceFilter, self.request, _rows(task))
        return rows


class BadReferenceView(APIView):
    @extend_schema(operation_id="bad_reference_read", responses=BadReferenceSerializer)
    def get(self, request: Request, task_id: int, bad_reference_id: int) -> Response:
        """Return a damaged reference with its source text."""
        return _answer(readable_task(request, task_id), bad_reference_id)

    @extend_schema(
        operation_id="bad_reference_review",
        request=BadReferenceReviewSerializer,
        responses={200: BadReferenceSerializer, 409: BadReferenceWithdrawalSerializer},
    )
    def patch(self, request: Request, task_id: int, bad_reference_id: int) -> Response:
        """Approve or reject it. 409 without `confirm` where that withdraws one that judges may have seen."""
        task = organised_task(request, task_id)
        row = _found(task, bad_reference_id)
        sent = BadReferenceReviewSerializer(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        if "status" not in sent.validated_data:
            return _answer(task, bad_reference_id)
        approve = sent.validated_data["status"] == BadReference.Status.APPROVED
        withdraws = row.status == BadReference.Status.APPROVED and not approve
        if withdraws and not sent.validated_data.get("confirm"):
            return Response({"words": withdrawal_in_words(row.output.segment.number)}, status=409)
        try:
            bad_reference_review(bad_reference=row, approve=approve, reviewer=reader(request))
        except BadReferenceRefusedError as error:
            raise ValidationError({"status": [str(error)]}) from error
        return _answer(task, bad_reference_id)


class BadReferenceRedrawView(APIView):
    @extend_schema(
        operation_id="bad_reference_redraw", request=None, responses=BadReferenceSerializer
    )
    def post(self, request: Request, task_id: int, bad_reference_id: int) -> Response:
        """Damage the reference in another way; it waits for a new review. 400 once it was approved."""
        task = organised_task(request, task_id)
        bad_reference_redraw(bad_reference=_found(task, bad_reference_id))
        return _answer(task, bad_reference_id)


def _rows(task: Task) -> QuerySet[BadReference]:
    references = Prefetch(
        "output__segment__references", Reference.objects.order_by("number"), to_attr="in_order"
    )
    return (
        BadReference.objects.of(task.test_set_id)
        .annotate(segment_number=F("output__segment__number"))
        .select_related("output__segment")
        .prefetch_related(references)
    )


def _found(task: Task, bad_reference_id: int) -> BadReference:
    row = _rows(task).filter(pk=bad_reference_id).first()
    if row is None:
        raise NotFound(_("Damaged reference not found."))
    return row


def _answer(task: Task, bad_reference_id: int) -> Response:
    return Response(BadReferenceSerializer(_found(task, bad_reference_id)).data)
