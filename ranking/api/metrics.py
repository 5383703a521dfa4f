"""REST API for the metrics of a test set: list, import, compute and delete."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser

from campaign.api.operations import Address, operation
from campaign.api.plain_serializer import PlainSerializer
from campaign.formats import FormatError
from ranking.api.exports import JobQueuedSerializer
from ranking.core.metrics.texts import TEXT_METRICS, TOKENS
from ranking.importing.metric_scores import metric_scores_import
from ranking.models import Metric
from ranking.pages.metrics import stored_files
from ranking.selectors.metrics import metrics_of
from ranking.services.metrics import metric_delete, metrics_ask


class MetricSerializer(serializers.ModelSerializer[Metric]):
    """A metric of a test set. The analyses `metrics` and `metric_orders` compare its scores with human judgments."""

    is_of_texts = serializers.BooleanField(help_text="Computed from texts, not imported.")

    class Meta:
        model = Metric
        fields = [
            *("id", "name", "signature", "higher_is_better", "uses_reference", "is_human"),
            *("file_name", "is_of_texts", "systems", "missing", "created_at"),
        ]
        read_only_fields = fields


class MetricScoresSerializer(PlainSerializer):
    files = serializers.ListField(
        child=serializers.FileField(),
        min_length=1,
        max_length=500,
        help_text="JSON Lines, tables, `.score` files or WMT's automatic scores; or the archive of an EvalSet folder. At most 100 MB.",
    )
    name = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="For files that do not name the metric.",
    )
    lower_is_better = serializers.BooleanField(default=False)
    is_human = serializers.BooleanField(default=False, help_text="People gave the scores.")

    def validate_files(self, files: list[Any]) -> list[Any]:
        """Return the files as input for readers; refuse files that are too large."""
        return stored_files(files)


class MetricsImportedSerializer(PlainSerializer):
    metrics = MetricSerializer(many=True, help_text="Imported metrics.")
    remarks = serializers.ListField(
        child=serializers.CharField(),
        help_text="Sentences about skipped scores: metrics imported before, and references and numbered segments that the test set does not include; and about metrics that look like error rates.",
    )


class MetricsComputeSerializer(PlainSerializer):
    metrics = serializers.MultipleChoiceField(choices=list(TEXT_METRICS))
    lowercase = serializers.BooleanField(default=False)
    tokens = serializers.ChoiceField(
        choices=TOKENS,
        default="",
        allow_blank=True,
        help_text="Tokenisation for BLEU, WER and PER. Default: that of the target language.",
    )


class _MetricsAddress(Address):
    ordering = "id"

    def metrics(self) -> QuerySet[Metric]:
        return metrics_of(test_set_id=self.task.test_set_id)


class MetricsView(_MetricsAddress):
    parser_classes = [MultiPartParser]

    @operation("tasks_metrics_list", MetricSerializer(many=True))
    def get(self) -> QuerySet[Metric]:
        """List the metrics of a test set."""
        return self.metrics().order_by("id")

    @operation(
        "metric_scores_import",
        {201: MetricsImportedSerializer},
        takes=MetricScoresSerializer,
        refusals={FormatError: "files"},
    )
    def post(self) -> Any:
        """Import scores from files, all of them or none. A 400 response names the file and line of the first error."""
        made, remarks = metric_scores_import(
            test_set=self.task.test_set, user=self.user, **self.sent
        )
        for metric in made:
            metric.refresh_from_db()
        return {"metrics": made, "remarks": remarks}


class MetricsComputeView(Address):
    @operation("metrics_compute", {202: JobQueuedSerializer}, takes=MetricsComputeSerializer)
    def post(self) -> dict[str, int]:
        """Compute metrics from texts in a background job. Systems with unchanged texts are not computed again."""
        return {"job": metrics_ask(test_set=self.task.test_set, user=self.user, **self.sent).pk}


class MetricView(_MetricsAddress):
    @operation("metric_read", MetricSerializer)
    def get(self, metric_id: int) -> Metric:
        """Return a metric."""
        return get_object_or_404(self.metrics(), pk=metric_id)

    @operation("metric_delete")
    def delete(self, metric_id: int) -> None:
        """Delete a metric with its scores. Results of analyses are kept."""
        metric_delete(metric=get_object_or_404(self.metrics(), pk=metric_id))
