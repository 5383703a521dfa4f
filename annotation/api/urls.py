from django.urls import path

from annotation.api import views

urlpatterns = [
    path("assignments/", views.AssignmentsView.as_view(), name="judging-assignments"),
    path("judgments/<uuid:client_id>/", views.JudgmentView.as_view(), name="judging-judgment"),
    path("skips/<uuid:client_id>/", views.SkipView.as_view(), name="judging-skip"),
    path("progress/", views.ProgressView.as_view(), name="judging-progress"),
]
