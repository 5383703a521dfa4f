from django.urls import path

from annotation.api import views
from annotation.api.history import OwnJudgmentsView
from annotation.api.own_data import OwnDataView, OwnErasureView
from annotation.api.reports import OwnProblemReportsView, ProblemReportView
from annotation.api.work_time import WorkTimeView

urlpatterns = [
    path("assignments/", views.AssignmentsView.as_view(), name="judging-assignments"),
    path("judgments/", OwnJudgmentsView.as_view(), name="judging-judgments"),
    path("judgments/<uuid:client_id>/", views.JudgmentView.as_view(), name="judging-judgment"),
    path("skips/<uuid:client_id>/", views.SkipView.as_view(), name="judging-skip"),
    path("problem-reports/", OwnProblemReportsView.as_view(), name="judging-problem-reports"),
    path(
        "problem-reports/<uuid:client_id>/",
        ProblemReportView.as_view(),
        name="judging-problem-report",
    ),
    path("progress/", views.ProgressView.as_view(), name="judging-progress"),
    path("data/", OwnDataView.as_view(), name="judging-data"),
    path("erasure/", OwnErasureView.as_view(), name="judging-erasure"),
    path("work-time/", WorkTimeView.as_view(), name="judging-work-time"),
]
