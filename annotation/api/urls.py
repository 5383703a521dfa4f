from django.urls import path

from annotation.api import preview
from annotation.api.judging import (
    AssignmentsView,
    DocumentView,
    JudgmentView,
    MediaView,
    OwnJudgmentsView,
    OwnProblemReportsView,
    ProblemReportView,
    ProgressView,
    SkipView,
)
from annotation.api.own_data import OwnDataView, OwnErasureView
from annotation.api.work_time import WorkTimeView

urlpatterns = [
    path("assignments/", AssignmentsView.as_view(), name="judging-assignments"),
    path("judgments/", OwnJudgmentsView.as_view(), name="judging-judgments"),
    path(
        "judgments/<uuid:client_id>/",
        JudgmentView.as_view(),
        name="judging-judgment",
    ),
    path("documents/<uuid:block>/", DocumentView.as_view(), name="judging-document"),
    path(
        "media/<slug:signature>/<str:file_name>",
        MediaView.as_view(),
        name="judging-media",
    ),
    path("skips/<uuid:client_id>/", SkipView.as_view(), name="judging-skip"),
    path(
        "problem-reports/",
        OwnProblemReportsView.as_view(),
        name="judging-problem-reports",
    ),
    path(
        "problem-reports/<uuid:client_id>/",
        ProblemReportView.as_view(),
        name="judging-problem-report",
    ),
    path("progress/", ProgressView.as_view(), name="judging-progress"),
    path("data/", OwnDataView.as_view(), name="judging-data"),
    path("erasure/", OwnErasureView.as_view(), name="judging-erasure"),
    path("work-time/", WorkTimeView.as_view(), name="judging-work-time"),
]

preview_urlpatterns = [
    path(
        "assignments/",
        preview.PreviewAssignmentsView.as_view(),
        name="preview-assignments",
    ),
    path(
        "judgments/",
        preview.PreviewJudgmentsView.as_view(),
        name="preview-judgments",
    ),
    path(
        "judgments/<uuid:client_id>/",
        preview.PreviewJudgmentView.as_view(),
        name="preview-judgment",
    ),
    path(
        "skips/<uuid:client_id>/",
        preview.PreviewSkipView.as_view(),
        name="preview-skip",
    ),
    path(
        "problem-reports/<uuid:client_id>/",
        preview.PreviewProblemReportView.as_view(),
        name="preview-problem-report",
    ),
    path("progress/", preview.PreviewProgressView.as_view(), name="preview-progress"),
    path("work-time/", preview.PreviewWorkTimeView.as_view(), name="preview-work-time"),
]
