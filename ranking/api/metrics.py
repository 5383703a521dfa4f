"""Metrics of a test set over REST: list, import, compute and delete."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_task, readable_task, reader
from campaign.api.pages import CursorPages
from campaign.formats import FormatError
from ranking.core.metrics.texts import TEXT_METRICS, TOKENS
from ranking.importing.metric_scores import metric_scores_import
from ranking.models import Metric
from ranking.pages.metrics import stored_files
from ranking.selectors.metrics import metrics_of
from ranking.services.metrics import metric_delete, metrics_ask


class MetricSerializer(serializers.ModelSerializer[Metric]):
    """A metric of a test set. The analyses `metrics` and `metric_orders` compare its scores with people."""

    is_of_texts = serializers.BooleanField(help_text="Computed from texts, not imported.")

    class Meta:
        model = Metric
        fields = [
            *("id", "name", "signature", "higher_is_better", "uses_reference", "is_human"),
            *("file_name", "is_of_texts", "systems", "missing", "created_at"),
        ]
        read_only_fields = fields


class MetricScoresSerializer(serializers.Serializer[Any]):
    files = serializers.ListField(
        child=serializers.FileField(),
        min_length=1,
        max_length=500,
        help_text="JSON Lines, tables, `.score` files or WMT's automatic scores; or the archive of an EvalSet folder. "
        "At most 100 MB.",
    )
    name = serializers.CharField(
        max_length=100,
        required=False,
        default="",
        help_text="For files that do not name the metric.",
    )
    lower_is_better = serializers.BooleanField(default=False)
    is_human = serializers.BooleanField(default=False, help_text="People gave the scores.")

    def validate_files(self, files: list[Any]) -> list[Any]:
        """Return the files as readers take them; refuse files that are too large."""
        return stored_files(files)


class MetricsImportedSerializer(serializers.Serializer[Any]):
    metrics = MetricSerializer(many=True, help_text="Imported metrics.")
    already_there = serializers.IntegerField(
        help_text="Number of metrics skipped because they exist with the same scores."
    )
    not_read = serializers.ListField(
        child=serializers.CharField(),
        help_text="References in the files that the test set does not include.",
    )
    segments_not_read = serializers.IntegerField(
        help_text="Numbered segments in the files that a test set of judged segments alone does not include."
    )


class MetricsComputeSerializer(serializers.Serializer[Any]):
    metrics = serializers.MultipleChoiceField(choices=[(name, name) for name in TEXT_METRICS])
    lowercase = serializers.BooleanField(default=False)
    tokens = serializers.ChoiceField(
        choices=[(name, name) for name in TOKENS],
        required=False,
        default="",
        allow_blank=True,
        help_text="Tokenization for BLEU, WER and PER. Default: that of the target language.",
    )


class MetricsQueuedSerializer(serializers.Serializer[Any]):
    """The job; `jobs/{id}/` has its progress."""

    job = serializers.IntegerField(read_only=True)


class MetricsView(generics.ListAPIView[Metric]):
    """The metrics of a test set."""

    serializer_class = MetricSerializer
    pagination_class = CursorPages
    ordering = "id"
    parser_classes = [MultiPartParser]

    def get_queryset(self) -> QuerySet[Metric]:
        task = readable_task(self.request, self.kwargs["task_id"])
        return metrics_of(test_set_id=task.test_set_id).order_by("id")

    @extend_schema(
        operation_id="metric_scores_import",
        request={"multipart/form-data": MetricScoresSerializer},
        responses={201: MetricsImportedSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Import scores from files, all of them or none. A 400 response names the file and line of the first error."""
        task = organised_task(request, task_id)
        sent = MetricScoresSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            imported = metric_scores_import(
                test_set=task.test_set, user=reader(request), **sent.validated_data
            )
        except FormatError as error:
            raise ValidationError({"files": [str(error)]}) from error
        for metric in imported.metrics:
            metric.refresh_from_db()
        return Response(MetricsImportedSerializer(imported).data, status=201)


class MetricsComputeView(APIView):
    @extend_schema(
        operation_id="metrics_compute",
        request=MetricsComputeSerializer,
        responses={202: MetricsQueuedSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Compute metrics from texts in a background job. Systems with unchanged texts are not computed again."""
        task = organised_task(request, task_id)
        sent = MetricsComputeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        job = metrics_ask(test_set=task.test_set, user=reader(request), **sent.validated_data)
        return Response(MetricsQueuedSerializer({"job": job.pk}).data, status=202)


@extend_schema_view(
    get=extend_schema(operation_id="metric_read"),
    delete=extend_schema(operation_id="metric_delete"),
)
class MetricView(generics.RetrieveDestroyAPIView[Metric]):
    """Read a metric, or delete it with its scores. Results of analyses stay."""

    serializer_class = MetricSerializer
    lookup_url_kwarg = "metric_id"

    def get_queryset(self) -> QuerySet[Metric]:
        allowed = organised_task if self.request.method == "DELETE" else readable_task
        task = allowed(self.request, self.kwargs["task_id"])
        return metrics_of(test_set_id=task.test_set_id)

    def perform_destroy(self, instance: Metric) -> None:
        metric_delete(metric=instance)
