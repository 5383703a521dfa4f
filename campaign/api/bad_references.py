"""Damaged references of a test set, for the members of its campaign: create, review and redraw."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import TaskAPIView, refused_at, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField
from campaign.models import BadReference, Reference
from campaign.pages.filters import BadReferenceFilter
from campaign.selectors.bad_references import bad_references_of, withdrawal_in_words
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
    text = serializers.CharField(
        source="output.text", help_text="Text shown to judges."
    )
    seed = serializers.CharField(
        help_text="Integer of up to 128 bits, as a decimal string."
    )

    class Meta:
        model = BadReference
        fields = [
            *(
                "id",
                "segment",
                "source",
                "reference",
                "text",
                "damage",
                "detail",
                "seed",
            ),
            "attempt",
            "status",
            "reviewed_at",
            "approved_at",
            "withdrawn_at",
        ]
        read_only_fields = fields

    def get_reference(self, row: BadReference) -> str | None:
        first: list[Reference] = row.output.segment.in_order  # type: ignore[attr-defined]
        if first:
            return first[0].text
        return None


class BadReferencesMakeSerializer(PlainSerializer):
    share = NumberField(
        min_value=0,
        max_value=1,
        help_text="Share of the segments with a reference. Existing damaged references are kept.",
    )


class BadReferencesMadeSerializer(PlainSerializer):
    made = serializers.IntegerField()


class BadReferenceReviewSerializer(PlainSerializer):
    status = serializers.ChoiceField(
        choices=[BadReference.Status.APPROVED.value, BadReference.Status.REJECTED.value]
    )
    confirm = serializers.BooleanField(
        default=False,
        help_text="Required to reject an approved one, which is withdrawn permanently.",
    )


class BadReferenceWithdrawalSerializer(PlainSerializer):
    words = serializers.ListField(
        child=serializers.CharField(), help_text="Effects of the withdrawal."
    )


class _BadReferenceAPIView(TaskAPIView):
    ordering = "segment_number"

    def bad_reference(self, bad_reference_id: int) -> BadReference:
        message = "Damaged reference not found."
        return row_or_404(
            bad_references_of(test_set_id=self.task.test_set_id),
            message,
            pk=bad_reference_id,
        )


class BadReferencesView(_BadReferenceAPIView):
    filterset_class = BadReferenceFilter

    @extend_schema(
        "tasks_bad_references_list", responses=BadReferenceSerializer(many=True)
    )
    def get(self, request: Request, task_id: int) -> Response:
        """List the damaged references of a test set by segment, in every state of review."""
        return self.paginated(
            self.filter_queryset(bad_references_of(test_set_id=self.task.test_set_id)),
            BadReferenceSerializer,
        )

    @extend_schema(
        "bad_references_make",
        request=BadReferencesMakeSerializer,
        responses=BadReferencesMadeSerializer,
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Damage the first reference of a share of the segments; each waits for your review."""
        data = self.validated(BadReferencesMakeSerializer)
        return self.serialized(
            {"made": bad_references_make(test_set=self.task.test_set, **data)},
            BadReferencesMadeSerializer,
        )


class BadReferenceView(_BadReferenceAPIView):
    @extend_schema("bad_reference_read", responses=BadReferenceSerializer)
    def get(self, request: Request, task_id: int, bad_reference_id: int) -> Response:
        """Return a damaged reference with its source text."""
        return self.serialized(
            self.bad_reference(bad_reference_id), BadReferenceSerializer
        )

    @extend_schema(
        "bad_reference_review",
        request=BadReferenceReviewSerializer,
        responses={200: BadReferenceSerializer, 409: BadReferenceWithdrawalSerializer},
    )
    def patch(self, request: Request, task_id: int, bad_reference_id: int) -> Response:
        """Approve or reject it. 409 without `confirm` if that withdraws a text that judges may have seen."""
        data = self.validated(BadReferenceReviewSerializer)
        row = self.bad_reference(bad_reference_id)
        if "status" not in data:
            return self.serialized(row, BadReferenceSerializer)
        approve = data["status"] == BadReference.Status.APPROVED
        withdraws = row.status == BadReference.Status.APPROVED and not approve
        if withdraws and not data.get("confirm"):
            return Response(
                {"words": withdrawal_in_words(row.output.segment.number)}, status=409
            )
        with refused_at("status", BadReferenceRefusedError):
            bad_reference_review(bad_reference=row, approve=approve, reviewer=self.user)
        return self.serialized(
            self.bad_reference(bad_reference_id), BadReferenceSerializer
        )


class BadReferenceRedrawView(_BadReferenceAPIView):
    @extend_schema(
        "bad_reference_redraw", request=None, responses=BadReferenceSerializer
    )
    def post(self, request: Request, task_id: int, bad_reference_id: int) -> Response:
        """Damage the reference in another way; it waits for a new review. 400 once it was approved."""
        bad_reference_redraw(bad_reference=self.bad_reference(bad_reference_id))
        return self.serialized(
            self.bad_reference(bad_reference_id), BadReferenceSerializer
        )
