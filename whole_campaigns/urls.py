from django.urls import path

from whole_campaigns.campaign_file.views import (
    campaign_file_download,
    campaign_file_page,
    campaign_new_file_page,
)
from whole_campaigns.views import (
    campaign_clone_page,
    rehearsal_end_page,
    rehearsal_page,
    task_add_page,
    task_delete_page,
    test_set_settings,
)

urlpatterns = [
    path("new-campaign/file/", campaign_new_file_page, name="campaign-new-file"),
    path("campaigns/<slug:slug>/clone/", campaign_clone_page, name="campaign-clone"),
    path("campaigns/<slug:slug>/file/", campaign_file_page, name="campaign-file"),
    path(
        "campaigns/<slug:slug>/file/campaign.yaml",
        campaign_file_download,
        name="campaign-file-download",
    ),
    path("campaigns/<slug:slug>/add-task/", task_add_page, name="task-add"),
    path("campaigns/<slug:slug>/tasks/<int:task_id>/delete/", task_delete_page, name="task-delete"),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/settings/",
        test_set_settings,
        name="test-set-settings",
    ),
    path("campaigns/<slug:slug>/rehearsal/", rehearsal_page, name="rehearsal"),
    path("campaigns/<slug:slug>/rehearsal/end/", rehearsal_end_page, name="rehearsal-end"),
]
