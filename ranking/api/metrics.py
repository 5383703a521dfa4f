"""Metrics of a test set over REST: list, import, compute and delete."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound, ValidationError
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
from ranking.pages.metrics import MAX_BYTES, stored_files
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
        """Refuse files that are too large."""
        if sum(file.size for file in files) > MAX_BYTES:
            raise ValidationError([_("The files exceed 100 MB.")])
        return files


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
        asked = dict(sent.validated_data)
        try:
            imported = metric_scores_import(
                test_set=task.test_set,
                files=stored_files(asked.pop("files")),
                user=reader(request),
                **asked,
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
        asked = sent.validated_data
        job = metrics_ask(
            test_set=task.test_set,
            names=sorted(asked["metrics"]),
            lowercase=asked["lowercase"],
            tokens=asked["tokens"],
            user=reader(request),
        )
        return Response(MetricsQueuedSerializer({"job": job.pk}).data, status=202)


class MetricView(APIView):
    @extend_schema(operation_id="metric_read", responses=MetricSerializer)
    def get(self, request: Request, task_id: int, metric_id: int) -> Response:
        """Return a metric."""
        return Response(MetricSerializer(_found(readable_task(request, task_id), metric_id)).data)

    @extend_schema(operation_id="metric_delete", responses={204: None})
    def delete(self, request: Request, task_id: int, metric_id: int) -> Response:
        """Delete a metric with its scores. Results of analyses stay."""
        metric_delete(metric=_found(organised_task(request, task_id), metric_id))
        return Response(status=204)


def _found(task: Any, metric_id: int) -> Metric:
    metric = metrics_of(test_set_id=task.test_set_id).filter(pk=metric_id).first()
    if metric is None:
        raise NotFound(_("No such metric in this test set."))
    return metric
