from django.urls import path

from annotation.api import preview

urlpatterns = [
    path("assignments/", preview.PreviewAssignmentsView.as_view(), name="preview-assignments"),
    path("judgments/", preview.PreviewJudgmentsView.as_view(), name="preview-judgments"),
    path(
        "judgments/<uuid:client_id>/",
        preview.PreviewJudgmentView.as_view(),
        name="preview-judgment",
    ),
    path("skips/<uuid:client_id>/", preview.PreviewSkipView.as_view(), name="preview-skip"),
    path(
        "problem-reports/<uuid:client_id>/",
        preview.PreviewProblemReportView.as_view(),
        name="preview-problem-report",
    ),
    path("progress/", preview.PreviewProgressView.as_view(), name="preview-progress"),
    path("work-time/", preview.PreviewWorkTimeView.as_view(), name="preview-work-time"),
]
