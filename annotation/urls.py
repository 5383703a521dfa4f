from django.urls import path

from annotation.views.closing import test_set_close_page, test_set_reopen_page
from annotation.views.declining import declining_page
from annotation.views.download import judgments_download
from annotation.views.hits import hits_page
from annotation.views.judge import judge_page
from annotation.views.onboarding import instructions_page, own_link_page, test_sets_page
from annotation.views.panels.completion import completion
from annotation.views.panels.entry import panel_entry
from annotation.views.panels.events import panel_events
from annotation.views.panels.organiser import panel_open, panel_page, panel_topic, panels_page
from annotation.views.panels.participations import participations_download
from annotation.views.tour import tour
from annotation.views.training import training, training_block
from annotation.views.work_time import work_time_download, work_time_page
from annotation.views.worker import judge_worker

urlpatterns = [
    path("judge/worker.js", judge_worker, name="judge-worker"),
    path("judge/<slug:slug>/", judge_page, name="judge"),
    path("judge/<slug:slug>/instructions/", instructions_page, name="judge-instructions"),
    path("judge/<slug:slug>/test-sets/", test_sets_page, name="judge-test-sets"),
    path("judge/<slug:slug>/link/", own_link_page, name="judge-own-link"),
    path("judge/<slug:slug>/time/", work_time_page, name="judge-work-time"),
    path("judge/<slug:slug>/time.csv", work_time_download, name="judge-work-time-file"),
    path("judge/<slug:slug>/decline/", declining_page, name="judge-decline"),
    path("judge/<slug:slug>/completion/", completion, name="completion"),
    path("panel/<slug:token>/", panel_entry, name="panel-entry"),
    path("panel/<slug:token>/events/", panel_events, name="panel-events"),
    path("campaigns/<slug:slug>/panels/", panels_page, name="panels"),
    path("campaigns/<slug:slug>/panels/<int:panel_id>/", panel_page, name="panel"),
    path("campaigns/<slug:slug>/panels/<int:panel_id>/open/", panel_open, name="panel-open"),
    path("campaigns/<slug:slug>/panels/<int:panel_id>/topic/", panel_topic, name="panel-topic"),
    path(
        "campaigns/<slug:slug>/panels/<int:panel_id>/participations.csv",
        participations_download,
        name="participations-download",
    ),
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
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/close/",
        test_set_close_page,
        name="test-set-close",
    ),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/reopen/",
        test_set_reopen_page,
        name="test-set-reopen",
    ),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/hits/",
        hits_page,
        name="hits",
    ),
]
