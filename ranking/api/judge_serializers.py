"""What REST says of judges and of what was decided about them."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.models import QualityAction, QualityActionKind
from annotation.selectors import JudgeStatus
from annotation.services import MESSAGE_LENGTH, NOTE_LENGTH
from campaign.models import Judge
from ranking.api.serializers import NO_INTERVAL
from ranking.pages.forms import DECISIONS
from ranking.selectors.quality import JudgeQuality


class JudgeAgreementSerializer(serializers.Serializer[Any]):
    kappa = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    agreeing = serializers.IntegerField()
    comparable = serializers.IntegerField()
    no_interval = serializers.ChoiceField(
        choices=NO_INTERVAL,
        allow_null=True,
        help_text="Why there is no interval, if there is a κ.",
    )


class MeasureResultSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField()
    evidence = serializers.IntegerField(help_text="Comparisons or blocks it rests on.")
    low = serializers.FloatField(allow_null=True, help_text="Ends of the 95 % interval.")
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True)


class JudgeSerializer(serializers.Serializer[JudgeQuality]):
    pseudonym = serializers.CharField(source="row.pseudonym")
    origin = serializers.ChoiceField(source="row.origin", choices=Judge.Origin.choices)
    judged = serializers.IntegerField(
        source="row.judged", help_text="Blocks that count, however often revised."
    )
    skipped = serializers.IntegerField(source="row.skipped")
    agreement = JudgeAgreementSerializer(
        source="row.agreement",
        help_text="With the others, as of the latest ranking; κ is null while not estimable.",
    )
    status = serializers.ChoiceField(
        source="row.status", choices=[each.value for each in JudgeStatus]
    )
    measures = serializers.DictField(
        child=MeasureResultSerializer(),
        help_text="By name, those there is evidence for; see docs/statistics/quality.md.",
    )


class QualityActionSerializer(serializers.ModelSerializer[QualityAction]):
    """A judge was warned, paused, excluded, asked or told something; and whether that was taken back."""

    judge = serializers.CharField(source="judge.pseudonym")
    task = serializers.CharField(source="task.test_set.name")
    by_rule = serializers.SerializerMethodField(help_text="Not by a person.")
    created_by = serializers.CharField(source="created_by.name", default=None, allow_null=True)
    reverted_at = serializers.DateTimeField(
        source="reversal.created_at", default=None, allow_null=True
    )
    reverted_by = serializers.CharField(
        source="reversal.created_by.name", default=None, allow_null=True
    )

    class Meta:
        model = QualityAction
        fields = [
            "id",
            "judge",
            "task",
            "action",
            "by_rule",
            "evidence",
            "note",
            "text",
            "batch",
            "created_at",
            "created_by",
            "reverted_at",
            "reverted_by",
        ]
        read_only_fields = fields

    def get_by_rule(self, action: QualityAction) -> bool:
        return action.rule_id is not None


class JudgeDecisionSerializer(serializers.Serializer[Any]):
    """A decision about judges."""

    judges = serializers.ListField(
        child=serializers.CharField(max_length=200),
        min_length=1,
        max_length=10_000,
        help_text="Pseudonyms.",
    )
    action = serializers.ChoiceField(choices=DECISIONS)
    note = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=NOTE_LENGTH,
        help_text="Why; judges do not see it here. Of an exclusion, a published result gives it as the reason.",
    )
    text = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MESSAGE_LENGTH,
        help_text="Of a message: what the judges read.",
    )
    analysis = serializers.IntegerField(
        default=None,
        allow_null=True,
        help_text="Id of the analysis whose figures are kept as evidence.",
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Say what it would do, and change nothing."
    )

    batch = serializers.UUIDField(
        default=None,
        allow_null=True,
        help_text="Chosen by the client, for one decision: sent again, it is not taken again.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Demand a text of a message, and drop it of anything else."""
        if attrs["action"] != QualityActionKind.MESSAGE:
            attrs["text"] = ""
        elif not attrs["text"]:
            raise serializers.ValidationError({"text": [_("Write what the judge should read.")]})
        return attrs


class JudgesDecidedSerializer(serializers.Serializer[Any]):
    """What a decision did, or would do."""

    batch = serializers.UUIDField(allow_null=True, help_text="By which it is undone.")
    judges = serializers.ListField(
        child=serializers.CharField(), help_text="For whom something changed."
    )
    unchanged = serializers.DictField(
        child=serializers.CharField(), help_text="The others, each with the reason."
    )
    effects = serializers.ListField(
        child=serializers.CharField(), help_text="Of a dry run: what it would do, in sentences."
    )
