"""REST API for the metrics of a test set: list, import, compute and delete."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import TaskAPIView, refused_at
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

    is_of_texts = serializers.BooleanField(
        help_text="Computed from texts, not imported.",
    )

    class Meta:
        model = Metric
        fields = [
            *(
                "id",
                "name",
                "signature",
                "higher_is_better",
                "uses_reference",
                "is_human",
            ),
            "file_name",
            "is_of_texts",
            "systems",
            "missing",
            "created_at",
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
    lower_is_better = serializers.BooleanField(
        default=False,
        help_text="For files that do not give the direction; one that says the opposite is refused.",
    )
    is_human = serializers.BooleanField(
        default=False,
        help_text="People gave the scores.",
    )

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


class _MetricsAPIView(TaskAPIView):
    ordering = "id"

    def metrics(self) -> QuerySet[Metric]:
        return metrics_of(test_set_id=self.task.test_set_id)


class MetricsView(_MetricsAPIView):
    parser_classes = [MultiPartParser]

    @extend_schema("tasks_metrics_list", responses=MetricSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the metrics of a test set."""
        return self.paginated(self.metrics().order_by("id"), MetricSerializer)

    @extend_schema(
        "metric_scores_import",
        request=MetricScoresSerializer,
        responses={201: MetricsImportedSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Import scores from files, all of them or none. A 400 response names the file and line of the first error."""
        data = self.validated(MetricScoresSerializer)
        with refused_at("files", FormatError):
            metrics, remarks = metric_scores_import(
                test_set=self.task.test_set,
                user=self.user,
                **data,
            )
        for metric in metrics:
            metric.refresh_from_db()
        return self.serialized(
            {"metrics": metrics, "remarks": remarks},
            MetricsImportedSerializer,
            status=201,
        )


class MetricsComputeView(TaskAPIView):
    @extend_schema(
        "metrics_compute",
        request=MetricsComputeSerializer,
        responses={202: JobQueuedSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Compute metrics from texts in a background job. Systems with unchanged texts are not computed again."""
        data = self.validated(MetricsComputeSerializer)
        return self.serialized(
            {
                "job": metrics_ask(
                    test_set=self.task.test_set,
                    user=self.user,
                    **data,
                ).pk,
            },
            JobQueuedSerializer,
            status=202,
        )


class MetricView(_MetricsAPIView):
    @extend_schema("metric_read", responses=MetricSerializer)
    def get(self, request: Request, task_id: int, metric_id: int) -> Response:
        """Return a metric."""
        return self.serialized(
            get_object_or_404(self.metrics(), pk=metric_id),
            MetricSerializer,
        )

    @extend_schema("metric_delete", request=None, responses={204: None})
    def delete(self, request: Request, task_id: int, metric_id: int) -> Response:
        """Delete a metric with its scores. Results of analyses are kept."""
        metric_delete(metric=get_object_or_404(self.metrics(), pk=metric_id))
        return Response(status=204)
