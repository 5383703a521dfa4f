"""Damaged references of a test set, for the members of its campaign: create, review and redraw."""

from dataclasses import replace
from typing import Any

from django.db.models import QuerySet
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
    BadReferenceContent,
    BadReferenceRefusedError,
    bad_reference_change,
    bad_reference_content,
    bad_reference_redraw,
    bad_reference_review,
    bad_references_make,
    bad_references_store,
)
from campaign.texts.damage import Damage


class BadReferenceSerializer(serializers.ModelSerializer[BadReference]):
    """A damaged reference with its source text."""

    segment = serializers.IntegerField(source="output.segment.number")
    source = serializers.CharField(  # type: ignore[assignment]
        source="output.segment.source_text",
        allow_null=True,
    )
    reference = serializers.SerializerMethodField(help_text="Reference before damage.")
    text = serializers.CharField(
        source="output.text",
        help_text="Text shown to judges.",
    )
    seed = serializers.CharField(
        help_text="Integer of up to 128 bits, as a decimal string.",
    )

    class Meta:
        model = BadReference
        fields = [
            "id",
            "segment",
            "source",
            "reference",
            "text",
            "damage",
            "detail",
            "seed",
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


class _WithdrawalSerializer(PlainSerializer):
    confirm = serializers.BooleanField(
        default=False,
        help_text="Required to reject an approved one, which is withdrawn permanently.",
    )


class BadReferenceReviewSerializer(_WithdrawalSerializer):
    status = serializers.ChoiceField(
        choices=[
            BadReference.Status.APPROVED.value,
            BadReference.Status.REJECTED.value,
        ],
    )


class BadReferenceOfSegmentSerializer(_WithdrawalSerializer):
    """A damaged reference made elsewhere: its text, origin and review."""

    text = serializers.CharField(
        trim_whitespace=False,
        help_text="Text shown to judges. Cannot be changed once approved.",
    )
    damage = serializers.ChoiceField(choices=Damage.choices)
    detail = serializers.CharField(
        required=False,
        allow_blank=True,
        trim_whitespace=False,
    )
    status = serializers.ChoiceField(
        choices=BadReference.Status.choices,
        required=False,
        help_text="Only approved ones are shown to judges. Defaults to pending.",
    )

    def validate_damage(self, damage: str) -> Damage:
        """Return the kind of damage."""
        return Damage(damage)

    def validate_status(self, status: str) -> BadReference.Status:
        """Return the state of review."""
        return BadReference.Status(status)


class BadReferenceWithdrawalSerializer(PlainSerializer):
    words = serializers.ListField(
        child=serializers.CharField(),
        help_text="Effects of the withdrawal.",
    )


class _BadReferenceAPIView(TaskAPIView):
    ordering = "segment_number"

    def bad_references(self) -> QuerySet[BadReference]:
        return bad_references_of(test_set_id=self.task.test_set_id)

    def bad_reference(self, bad_reference_id: int) -> BadReference:
        message = "Damaged reference not found."
        return row_or_404(self.bad_references(), message, pk=bad_reference_id)


class BadReferencesView(_BadReferenceAPIView):
    filterset_class = BadReferenceFilter

    @extend_schema(
        "tasks_bad_references_list",
        responses=BadReferenceSerializer(many=True),
    )
    def get(self, request: Request, task_id: int) -> Response:
        """List the damaged references of a test set by segment, in every state of review."""
        return self.paginated(
            self.filter_queryset(self.bad_references()),
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
            self.bad_reference(bad_reference_id),
            BadReferenceSerializer,
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
        if _is_withdrawal_unconfirmed(row, data):
            return _withdrawal(row)
        approve = data["status"] == BadReference.Status.APPROVED
        with refused_at("status", BadReferenceRefusedError):
            bad_reference_review(bad_reference=row, approve=approve, reviewer=self.user)
        return self.serialized(
            self.bad_reference(bad_reference_id),
            BadReferenceSerializer,
        )


class BadReferenceOfSegmentView(_BadReferenceAPIView):
    @extend_schema(
        "bad_reference_of_segment_write",
        request=BadReferenceOfSegmentSerializer,
        responses={200: BadReferenceSerializer, 409: BadReferenceWithdrawalSerializer},
    )
    def put(self, request: Request, task_id: int, number: int) -> Response:
        """Store the damaged reference of a segment, or rewrite and review the one that is there.

        400 for another text once judges may have seen the present one. 409 without `confirm` if that withdraws it.
        """
        data = self.validated(BadReferenceOfSegmentSerializer)
        of_segment = self.bad_references().filter(output__segment__number=number)
        row = of_segment.first()
        if row is not None and _is_withdrawal_unconfirmed(row, data):
            return _withdrawal(row)
        data.pop("confirm")
        if row is None:
            bad_references_store(
                test_set=self.task.test_set,
                bad_references=[BadReferenceContent(segment=number, **data)],
                reviewer=self.user,
            )
        else:
            bad_reference_change(
                bad_reference=row,
                content=replace(bad_reference_content(row), **data),
                reviewer=self.user,
            )
        return self.serialized(of_segment.get(), BadReferenceSerializer)


def _is_withdrawal_unconfirmed(row: BadReference, data: dict[str, Any]) -> bool:
    is_approved = row.status == BadReference.Status.APPROVED
    is_rejected = data.get("status") == BadReference.Status.REJECTED
    return is_approved and is_rejected and not data.get("confirm")


def _withdrawal(row: BadReference) -> Response:
    words = withdrawal_in_words(row.output.segment.number)
    return Response({"words": words}, status=409)


class BadReferenceRedrawView(_BadReferenceAPIView):
    @extend_schema(
        "bad_reference_redraw",
        request=None,
        responses=BadReferenceSerializer,
    )
    def post(self, request: Request, task_id: int, bad_reference_id: int) -> Response:
        """Damage the reference in another way; it waits for a new review. 400 once it was approved."""
        bad_reference_redraw(bad_reference=self.bad_reference(bad_reference_id))
        return self.serialized(
            self.bad_reference(bad_reference_id),
            BadReferenceSerializer,
        )
