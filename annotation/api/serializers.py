"""Serializers of the judging API; no field names a system."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from annotation.models import SkipReason
from annotation.protocols.answer_kinds import (
    KIND,
    PROTOCOL,
    answer_serializers,
    rules_serializers,
)
from annotation.services.lending.lend import BLOCKS_AHEAD
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Protocol

# Longer comments belong in a problem report.
COMMENT_LENGTH = 5000
A_DAY_MS = 86_400_000


@extend_schema_field(
    PolymorphicProxySerializer(
        component_name="ProtocolAnswer",
        serializers=answer_serializers,
        resource_type_field_name=KIND,
    ),
)
class AnswerField(serializers.JSONField):
    """Answer in the fields of its protocol; null for rankings."""


@extend_schema_field(
    PolymorphicProxySerializer(
        component_name="TaskRules",
        serializers=rules_serializers,
        resource_type_field_name=PROTOCOL,
    ),
)
class RulesField(serializers.JSONField):
    """Rules of the campaign and the task, in the protocol's fields."""


def protocol_field() -> serializers.ChoiceField:
    """Return a serializer field for the protocol."""
    return serializers.ChoiceField(
        choices=Protocol.choices,
        help_text="Protocol of the task. Answer rankings with `labels`, all others with `answer`.",
    )


class ChangeEffectsSerializer(PlainSerializer):
    """Response with status 409: nothing was changed."""

    words = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
        help_text="Effects of the change.",
    )


class ConfirmChangeSerializer(PlainSerializer):
    confirm = serializers.BooleanField(
        default=False,
        help_text="Required. Without it, 409 returns the effects.",
    )


class MediaSerializer(PlainSerializer):
    kind = serializers.ChoiceField(choices=["image", "audio", "video"])
    address = serializers.CharField(
        help_text="Path on this server. Supports range requests.",
    )


class TextSerializer(PlainSerializer):
    text = serializers.CharField(help_text="Empty if there are only files to show.")
    lang = serializers.CharField(help_text="BCP 47 tag.")
    dir = serializers.ChoiceField(
        choices=["ltr", "rtl", "auto"],
        help_text="Direction of the text: that of its language, or auto if it has no letters of that direction.",
    )
    media = MediaSerializer(
        many=True,
        required=False,
        help_text="Files shown below the text; missing if there are none.",
    )


class LanguageSerializer(PlainSerializer):
    lang = serializers.CharField()
    dir = serializers.ChoiceField(choices=["ltr", "rtl"])
    name = serializers.CharField()


class LanguagesSerializer(PlainSerializer):
    source = LanguageSerializer()  # type: ignore[assignment]  # the contract's name
    target = LanguageSerializer()


class NeighbourSerializer(PlainSerializer):
    source = TextSerializer(  # type: ignore[assignment]  # the contract's name
        allow_null=True,
    )
    reference = TextSerializer(allow_null=True)
    output = TextSerializer(
        allow_null=True,
        help_text="Of the same system, if the block's only output is shown alone.",
    )


class ContextSerializer(PlainSerializer):
    before = NeighbourSerializer(many=True)
    after = NeighbourSerializer(many=True)


class BlockDocumentSerializer(PlainSerializer):
    segments = NeighbourSerializer(many=True)
    first = serializers.IntegerField(
        min_value=1,
        help_text="Position of the first of these segments in the document.",
    )
    total = serializers.IntegerField(
        min_value=1,
        help_text="Number of segments in the document.",
    )
    blocks = serializers.DictField(
        child=serializers.IntegerField(min_value=0),
        help_text="Index in `segments` of each of your blocks in the same HIT and document.",
    )


class CandidateSerializer(TextSerializer):
    id = serializers.UUIDField()
    suggested = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text="Errors that the answer starts from, in the form of its spans; missing if there are none.",
    )


class KnownJudgmentSerializer(PlainSerializer):
    id = serializers.UUIDField()
    labels = serializers.ListField(child=serializers.IntegerField(allow_null=True))
    comment = serializers.CharField()
    answer = AnswerField(allow_null=True)


class BlockSerializer(PlainSerializer):
    id = serializers.UUIDField()
    source = TextSerializer(  # type: ignore[assignment]  # the contract's name
        allow_null=True,
        help_text="Null if the campaign hides it.",
    )
    references = TextSerializer(
        many=True,
        help_text="Empty if the campaign hides them.",
    )
    context = ContextSerializer()  # type: ignore[assignment]  # the name is the contract's
    candidates = CandidateSerializer(many=True)
    state = serializers.ChoiceField(choices=["open", "judged", "skipped"])
    judgment = KnownJudgmentSerializer(allow_null=True)
    skip_reason = serializers.CharField(
        allow_null=True,
        help_text="Reason for your skip; null once you have judged the block.",
    )


class ProgressSerializer(PlainSerializer):
    done = serializers.IntegerField()
    wanted = serializers.IntegerField(allow_null=True)
    minutes_left = serializers.IntegerField(
        allow_null=True,
        help_text="Based on your latest 20 blocks; null if there are fewer than six.",
    )


class AssignmentSerializer(PlainSerializer):
    id = serializers.UUIDField()
    revisable_hits = serializers.IntegerField(
        min_value=0,
        help_text="Number of previous HITs that you may revise.",
    )
    expires_at = serializers.DateTimeField()
    languages = LanguagesSerializer()
    protocol = protocol_field()
    rules = RulesField()
    progress = ProgressSerializer()
    notice = serializers.CharField(
        allow_blank=True,
        help_text="Message from the organisers; usually empty.",
    )
    blocks = BlockSerializer(many=True)


class PausedSerializer(PlainSerializer):
    detail = serializers.CharField()
    code = serializers.CharField(
        required=False,
        help_text="“paused”: the organisers paused you. “instructions”: you have not accepted the current instructions. “declined”: you declined to take part. Otherwise missing.",
    )


class NotYetSerializer(PlainSerializer):
    state = serializers.ChoiceField(
        choices=[
            "preparing",
            "waiting",
            "not_begun",
            "campaign_paused",
            "campaign_closed",
        ],
        help_text="Sentences are being prepared, the remaining ones are with other judges, or the campaign has not started, is paused, or is closed.",
    )
    retry_after = serializers.IntegerField(min_value=1, help_text="Seconds.")


def in_hand_field() -> serializers.ListField:
    """Return a field for the HITs that the page holds but has not completed."""
    return serializers.ListField(
        child=serializers.UUIDField(),
        max_length=BLOCKS_AHEAD,
        required=False,
        help_text=f"Your current assignments in order: extends their leases, and lends another one only while they have at "
        f"most {BLOCKS_AHEAD} blocks.",
    )


class AssignmentRequestSerializer(PlainSerializer):
    campaign = serializers.SlugField(
        required=False,
        help_text="Slug, if you judge in several campaigns. Defaults to the latest.",
    )
    after = serializers.UUIDField(
        required=False,
        help_text="The current assignment: lends the next one in advance.",
    )
    in_hand = in_hand_field()
    skipped_before = serializers.DateTimeField(
        required=False,
        help_text="Machine judges only: returns blocks skipped before this time, too.",
    )
    task = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**63 - 1,
        help_text="Machine judges only: returns blocks of this task alone.",
    )


class MillisecondsField(serializers.IntegerField):
    """Time spent on a block. A page left open overnight is no reason to lose the answer: longer times are cut at a day."""

    def to_internal_value(self, data: Any) -> int:
        return min(super().to_internal_value(data), A_DAY_MS)


class TimesSerializer(PlainSerializer):
    """Time spent on a block in milliseconds."""

    duration_ms = MillisecondsField(
        min_value=0,
        required=False,
        allow_null=True,
        default=None,
        help_text="Stored as at most one day (86,400,000).",
    )
    active_ms = MillisecondsField(
        min_value=0,
        required=False,
        allow_null=True,
        default=None,
        help_text="At most `duration_ms`. Stored as at most one day.",
    )


class JudgmentRequestSerializer(TimesSerializer):
    block = serializers.UUIDField()
    after = serializers.UUIDField(
        required=False,
        help_text="The current assignment: returns the next one as `next`.",
    )
    in_hand = in_hand_field()
    labels = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=5, allow_null=True),
        min_length=1,
        max_length=26,
        required=False,
        help_text="Rankings only: rank of each candidate from 1 (best) to 5 (worst), or null.",
    )
    answer = AnswerField(
        required=False,
        allow_null=True,
        help_text="All protocols except rankings.",
    )
    comment = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=COMMENT_LENGTH,
        default="",
    )
    played = serializers.ListField(
        child=serializers.FloatField(min_value=0, max_value=1, allow_null=True),
        max_length=26,
        required=False,
        allow_null=True,
        help_text="Share of each candidate's recording that was played, from 0 to 1; null without a recording.",
    )
    replaces = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="Id of your judgment of this block that this one replaces, or null for none. If your latest judgment is "
        "another, as from another device, the submission is refused with status 409. Without this field, it replaces the "
        "latest.",
    )


class FeedbackSerializer(PlainSerializer):
    agrees = serializers.BooleanField(
        help_text="True if the ranking is in the expected order.",
    )
    expected = serializers.CharField(
        help_text="Expected order, best first, by the letters of the candidates: B > A = C.",
    )
    explanation = serializers.CharField()


def stopped_field() -> serializers.ChoiceField:
    """Return a serializer field for the reason why the judge gets no more sentences now."""
    return serializers.ChoiceField(
        choices=[
            "paused",
            "excluded",
            "not_begun",
            "campaign_paused",
            "campaign_closed",
        ],
        allow_null=True,
        help_text="Why you should not judge more sentences now, including those in hand; null if you may.",
    )


class JudgmentSerializer(PlainSerializer):
    id = serializers.UUIDField()
    block = serializers.UUIDField()
    labels = serializers.ListField(
        child=serializers.IntegerField(allow_null=True),
        help_text="Order that the answer implies; 1 is best.",
    )
    answer = AnswerField(allow_null=True)
    duration_ms = serializers.IntegerField(allow_null=True)
    active_ms = serializers.IntegerField(allow_null=True)
    comment = serializers.CharField()
    submitted_at = serializers.DateTimeField()
    assignment = serializers.UUIDField()
    feedback = FeedbackSerializer(
        allow_null=True,
        help_text="Only after a practice sentence.",
    )
    stopped = stopped_field()
    taken_back = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="Those of `in_hand` that you no longer hold, because other judges need them. Answers to them are still "
        "saved.",
    )
    next = AssignmentSerializer(
        allow_null=True,
        help_text="The HIT lent in advance if `after` requested one and it was ready; otherwise null, and a request for an assignment tells the reason.",
    )


class SkipRequestSerializer(TimesSerializer):
    block = serializers.UUIDField()
    reason = serializers.ChoiceField(
        choices=[
            reason for reason in SkipReason.values if reason != SkipReason.NOT_STATED
        ],
    )
    comment = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=COMMENT_LENGTH,
        default="",
    )


class SkipSerializer(PlainSerializer):
    id = serializers.UUIDField()
    block = serializers.UUIDField()
    reason = serializers.CharField()
    duration_ms = serializers.IntegerField(allow_null=True)
    active_ms = serializers.IntegerField(allow_null=True)
    comment = serializers.CharField()
    assignment = serializers.UUIDField()
    stopped = stopped_field()


class StoredRankingSerializer(PlainSerializer):
    id = serializers.UUIDField()
    labels = serializers.ListField(child=serializers.IntegerField(allow_null=True))
    answer = AnswerField(allow_null=True)
    comment = serializers.CharField()


class RefusalSerializer(PlainSerializer):
    """Reason for refusing a submission; invalid requests have only `errors`."""

    detail = serializers.CharField()
    missing = serializers.ListField(
        child=serializers.UUIDField(),
        required=False,
        help_text="Candidates without a label.",
    )
    errors = serializers.DictField(  # type: ignore[assignment]  # the contract's name
        child=serializers.ListField(child=serializers.CharField()),
    )
    retry_after = serializers.IntegerField(
        allow_null=True,
        required=False,
        help_text="Seconds until the same request is accepted; null if it never will be.",
    )
    stored = StoredRankingSerializer(
        allow_null=True,
        required=False,
        help_text="The judgment that counts instead, if the block accepts no more or you judged it elsewhere.",
    )
