"""Forecast of a design."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.designs import DesignAPIView, DesignParametersSerializer
from annotation.selectors.designs import design_or_default
from campaign.api.base import IsMember
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField
from ranking.selectors.design_forecast import Budget, design_forecast

_MOST = 1_000_000_000


class DesignForecastRequestSerializer(DesignParametersSerializer):
    judgments = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=_MOST,
        help_text="Budget in judgments.",
    )
    hours = NumberField(
        required=False,
        min_value=0,
        max_value=_MOST,
        help_text="Budget in hours of active time.",
    )
    money = NumberField(
        required=False,
        min_value=0,
        max_value=_MOST,
        help_text="Budget in money; requires `rate`.",
    )
    rate = NumberField(
        required=False,
        min_value=0,
        max_value=_MOST,
        help_text="Hourly rate.",
    )

    class Meta(DesignParametersSerializer.Meta):
        fields = [
            *DesignParametersSerializer.Meta.fields,
            "judgments",
            "hours",
            "money",
            "rate",
        ]

    def validate(self, attrs: Any) -> Any:
        """Refuse two budgets, and one in money without a rate."""
        budgets = [name for name in ("judgments", "hours", "money") if name in attrs]
        if len(budgets) > 1:
            raise ValidationError(
                {budgets[1]: ["Set only one of judgments, hours and money."]},
            )
        if "money" in attrs and not attrs.get("rate"):
            raise ValidationError(
                {"rate": [_("Enter the hourly rate, or set the budget in hours.")]},
            )
        return attrs


class EstimateSerializer(PlainSerializer):
    value = serializers.FloatField(help_text="Expected value.")
    low = serializers.FloatField(help_text="Lower end of the 95% interval.")
    high = serializers.FloatField()


class BudgetForecastSerializer(PlainSerializer):
    judgments = serializers.IntegerField()
    hours = EstimateSerializer()
    cost = EstimateSerializer(allow_null=True, help_text="Null without a `rate`.")
    pairs = EstimateSerializer(
        allow_null=True,
        help_text="Pairs of systems separated by a one-sided sign test. Null for tasks of scores, such as ratings, and for single outputs.",
    )
    clusters = EstimateSerializer(
        allow_null=True,
        help_text="Clusters by rank ranges from that test; null without `pairs`.",
    )


class PaceSerializer(PlainSerializer):
    seconds = serializers.FloatField(help_text="Seconds per word.")
    low = serializers.FloatField()
    high = serializers.FloatField()
    is_measured = serializers.BooleanField(help_text="False if the pace is assumed.")
    judges = serializers.IntegerField()
    blocks = serializers.IntegerField()


class DesignForecastSerializer(PlainSerializer):
    systems = serializers.IntegerField()
    all_systems = serializers.IntegerField(
        help_text="Systems that a design without a selection would draw.",
    )
    all_pairs = serializers.IntegerField(source="pairs")
    words_a_block = serializers.FloatField(source="block_averages.words")
    seconds_a_block = EstimateSerializer()
    seconds_a_hit = EstimateSerializer()
    pace = PaceSerializer()
    judged = serializers.IntegerField()
    comparisons = serializers.IntegerField(
        help_text="Comparisons in the latest ranking, from which the forecast is projected; 0 if it rests on assumptions.",
    )
    first_share = serializers.FloatField(
        help_text="Share of judgments that are not repeats.",
    )
    chosen = BudgetForecastSerializer()
    curve = BudgetForecastSerializer(many=True)


class DesignForecastView(DesignAPIView):
    permission_classes = [IsAuthenticated, IsMember]

    @extend_schema(
        "design_forecast",
        request=DesignForecastRequestSerializer,
        responses=DesignForecastSerializer,
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Forecast hours, money, and for comparisons separated pairs and clusters, of a design. Nothing is stored."""
        data = self.validated(DesignForecastRequestSerializer)
        task = self.task
        design = self.proposed(data) or design_or_default(task=task)
        budget = Budget(
            judgments=data.get("judgments"),
            hours=data.get("hours"),
            money=data.get("money"),
            rate=data.get("rate"),
        )
        forecast = design_forecast(task=task, design=design, budget=budget)
        if forecast is None:
            raise ValidationError(
                [
                    _(
                        "No forecast: it needs texts and outputs, at least two of them where outputs are compared.",
                    ),
                ],
            )
        return self.serialized(forecast, DesignForecastSerializer)
