"""Ranking settings of a task and their history."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import TaskAPIView, group_by_name
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField
from campaign.models import JudgeGroup
from ranking.models import RankingSettings
from ranking.selectors.runs import ranking_settings_history, ranking_settings_in_force
from ranking.services.ranking_settings import ranking_settings_change


class RankingSettingsSerializer(PlainSerializer):
    """Ranking method and rank ranges of a test set."""

    method = serializers.ChoiceField(
        choices=RankingSettings.Method.choices,
        help_text="Ranking method; `by_design` is Expected Wins, or Bradley–Terry once an active design has chosen pairs. "
        "A prediction-powered ranking, in which a metric or machine judge completes the human judgments, is the analysis `predicted_ranking` (`POST tasks/{id}/analyses/`).",
    )
    method_options = serializers.DictField(
        help_text="Options of the method that differ from their defaults, such as `prior` of `bradley_terry` (0 to 100). Another method starts with its defaults.",
    )
    resample = serializers.ChoiceField(
        choices=RankingSettings.Resample.choices,
        help_text="Variation that ranges account for; see docs/organisers.md.",
    )
    ranges = serializers.ChoiceField(
        choices=RankingSettings.Ranges.choices,
        help_text="Method for rank ranges.",
    )
    correction = serializers.ChoiceField(
        choices=RankingSettings.Correction.choices,
        help_text="Correction for the number of pairs. Confidence sets are individual (none) or simultaneous (holm).",
    )
    sides = serializers.IntegerField(
        min_value=1,
        max_value=2,
        help_text="One- or two-sided tests of pairs.",
    )
    confidence = NumberField(help_text="Above 0 and up to 0.999.")
    judge_group = serializers.CharField(
        source="judge_group.name",
        default=None,
        allow_null=True,
        max_length=60,
        help_text="Only judgments by this group count; null for all judges.",
    )
    reason = serializers.CharField(
        max_length=1000,
        allow_blank=True,
        help_text="Reason, required once there are judgments. Published with results.",
    )
    judgments = serializers.IntegerField(
        read_only=True,
        allow_null=True,
        help_text="Number of judgments at the time, including revisions; null for defaults or if not recorded.",
    )
    changed_at = serializers.DateTimeField(
        source="created_at",
        read_only=True,
        allow_null=True,
        help_text="Null for the defaults.",
    )
    changed_by = serializers.CharField(
        source="changed_by.name",
        read_only=True,
        default=None,
        allow_null=True,
    )

    def validate_judge_group(self, name: str | None) -> JudgeGroup | None:
        """Find the group in the campaign of the test set that the view names."""
        return group_by_name(self.context["view"].task, name)

    def create(self, validated_data: dict[str, Any]) -> RankingSettings:
        """Change the settings of the task; omitted fields keep their values."""
        view = self.context["view"]
        changes = dict(validated_data)
        if "judge_group" in changes:
            changes["judge_group"] = changes["judge_group"]["name"]
        return ranking_settings_change(task=view.task, changed_by=view.user, **changes)


class RankingSettingsInForceSerializer(RankingSettingsSerializer):
    """Current settings with their history."""

    history = serializers.SerializerMethodField(
        help_text="All settings, newest first; empty for the defaults.",
    )

    @extend_schema_field(RankingSettingsSerializer(many=True))
    def get_history(self, settings: RankingSettings) -> Any:
        rows = ranking_settings_history(task_id=settings.task_id)
        return RankingSettingsSerializer(rows, many=True).data


class RankingSettingsView(TaskAPIView):
    @extend_schema("ranking_settings_read", responses=RankingSettingsInForceSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return the current ranking settings and their history."""
        return self.serialized(
            ranking_settings_in_force(task_id=self.task.pk),
            RankingSettingsInForceSerializer,
        )

    @extend_schema(
        "ranking_settings_change",
        request=RankingSettingsSerializer,
        responses=RankingSettingsSerializer,
    )
    def patch(self, request: Request, task_id: int) -> Response:
        """Change ranking settings; omitted fields keep their values. The new ranking follows within seconds.

        409 for tasks whose answers put outputs in no order, so that nothing is ranked.
        """
        return self.serialized(
            self.saved(RankingSettingsSerializer),
            RankingSettingsSerializer,
        )
