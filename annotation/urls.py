from django.urls import path

from annotation.views.download import judgments_download
from annotation.views.hits import hits_page
from annotation.views.judge import judge_page
from annotation.views.tour import tour
from annotation.views.training import training, training_block

urlpatterns = [
    path("judge/<slug:slug>/", judge_page, name="judge"),
    path("judge/<slug:slug>/tour/", tour, name="tour"),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/judgments.csv",
        judgments_download,
        name="judgments-download",
    ),
    path("campaigns/<slug:slug>/test-sets/<int:test_set_id>/training/", training, name="training"),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/training/<int:block_id>/",
        training_block,
        name="training-block",
    ),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/hits/",
        hits_page,
        name="hits",
    ),
]
