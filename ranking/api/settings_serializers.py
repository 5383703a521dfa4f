"""How a task is ranked, as REST says and takes it."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from campaign.api.requests import NumberField
from ranking.models import RankingSettings
from ranking.selectors.settings import ranking_settings_history


class RankingSettingsSerializer(serializers.ModelSerializer[RankingSettings]):
    """By which method a test set is ranked, and how its rank ranges are made."""

    method = serializers.ChoiceField(
        choices=RankingSettings.Method.choices,
        help_text="What systems are ranked by; `by_design`: Expected Wins, or Bradley–Terry once an active "
        "design chose pairs.",
    )
    resample = serializers.ChoiceField(
        choices=RankingSettings.Resample.choices,
        help_text="What ranges account for; see docs/organisers.md.",
    )
    ranges = serializers.ChoiceField(
        choices=RankingSettings.Ranges.choices, help_text="How rank ranges are made."
    )
    correction = serializers.ChoiceField(
        choices=RankingSettings.Correction.choices,
        help_text="Of the tests of pairs, for their number. Confidence sets hold each by itself "
        "(none) or all together (holm).",
    )
    sides = serializers.IntegerField(min_value=1, max_value=2, help_text="Of the tests of pairs.")
    confidence = NumberField(help_text="Above 0, up to 0.999.")
    judge_group = serializers.CharField(
        source="judge_group.name",
        default=None,
        allow_null=True,
        max_length=60,
        help_text="The group whose judges alone count in the ranking; null: all judges.",
    )
    reason = serializers.CharField(
        max_length=1000,
        allow_blank=True,
        help_text="Why it was chosen; asked for once there are judgments, and published with results.",
    )
    judgments = serializers.IntegerField(
        read_only=True,
        allow_null=True,
        help_text="How many judgments there were then, revisions counted; null where nobody chose, or not recorded.",
    )
    changed_at = serializers.DateTimeField(
        source="created_at", read_only=True, allow_null=True, help_text="Null for the defaults."
    )
    changed_by = serializers.CharField(
        source="changed_by.name", read_only=True, default=None, allow_null=True
    )

    class Meta:
        model = RankingSettings
        fields = [
            "method",
            "resample",
            "ranges",
            "correction",
            "sides",
            "confidence",
            "judge_group",
            "reason",
            "judgments",
            "changed_at",
            "changed_by",
        ]


class RankingSettingsInForceSerializer(RankingSettingsSerializer):
    """The settings in force, and all that were."""

    history = serializers.SerializerMethodField(
        help_text="All that were chosen, the newest first; empty where nobody chose."
    )

    class Meta(RankingSettingsSerializer.Meta):
        fields = [*RankingSettingsSerializer.Meta.fields, "history"]

    @extend_schema_field(RankingSettingsSerializer(many=True))
    def get_history(self, settings: RankingSettings) -> Any:
        rows = ranking_settings_history(task_id=settings.task_id)
        return RankingSettingsSerializer(rows, many=True).data
