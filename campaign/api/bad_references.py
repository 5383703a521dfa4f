"""Damaged references of a test set, for the members of its campaign: create, review and redraw."""

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.response import Response

from campaign.api.operations import Address, operation, row_found
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


class _BadReferenceAddress(Address):
    ordering = "segment_number"

    def found(self, bad_reference_id: int) -> BadReference:
        said = "Damaged reference not found."
        return row_found(
            bad_references_of(test_set_id=self.task.test_set_id), said, pk=bad_reference_id
        )


class BadReferencesView(_BadReferenceAddress):
    @operation(
        "tasks_bad_references_list", BadReferenceSerializer(many=True), filters=BadReferenceFilter
    )
    def get(self) -> QuerySet[BadReference]:
        """List the damaged references of a test set by segment, in every state of review."""
        return bad_references_of(test_set_id=self.task.test_set_id)

    @operation(
        "bad_references_make", BadReferencesMadeSerializer, takes=BadReferencesMakeSerializer
    )
    def post(self) -> dict[str, int]:
        """Damage the first reference of a share of the segments; each waits for your review."""
        return {"made": bad_references_make(test_set=self.task.test_set, **self.sent)}


class BadReferenceView(_BadReferenceAddress):
    @operation("bad_reference_read", BadReferenceSerializer)
    def get(self, bad_reference_id: int) -> BadReference:
        """Return a damaged reference with its source text."""
        return self.found(bad_reference_id)

    @operation(
        "bad_reference_review",
        {200: BadReferenceSerializer, 409: BadReferenceWithdrawalSerializer},
        takes=BadReferenceReviewSerializer,
        refusals={BadReferenceRefusedError: "status"},
    )
    def patch(self, bad_reference_id: int) -> BadReference | Response:
        """Approve or reject it. 409 without `confirm` if that withdraws a text that judges may have seen."""
        row = self.found(bad_reference_id)
        if "status" not in self.sent:
            return row
        approve = self.sent["status"] == BadReference.Status.APPROVED
        withdraws = row.status == BadReference.Status.APPROVED and not approve
        if withdraws and not self.sent.get("confirm"):
            return Response({"words": withdrawal_in_words(row.output.segment.number)}, status=409)
        bad_reference_review(bad_reference=row, approve=approve, reviewer=self.user)
        return self.found(bad_reference_id)


class BadReferenceRedrawView(_BadReferenceAddress):
    @operation("bad_reference_redraw", BadReferenceSerializer)
    def post(self, bad_reference_id: int) -> BadReference:
        """Damage the reference in another way; it waits for a new review. 400 once it was approved."""
        bad_reference_redraw(bad_reference=self.found(bad_reference_id))
        return self.found(bad_reference_id)
