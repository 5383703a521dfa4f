from django.urls import path

from annotation.views.download import judgments_download
from annotation.views.hits import hits_page
from annotation.views.judge import judge_page

urlpatterns = [
    path("judge/<slug:slug>/", judge_page, name="judge"),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/judgments.csv",
        judgments_download,
        name="judgments-download",
    ),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/hits/",
        hits_page,
        name="hits",
    ),
]
