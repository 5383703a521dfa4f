from django.urls import URLPattern, URLResolver, include, path

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

_campaigns = [
    path("<slug:slug>/clone/", campaign_clone_page, name="campaign-clone"),
    path("<slug:slug>/file/", campaign_file_page, name="campaign-file"),
    path(
        "<slug:slug>/file/campaign.yaml",
        campaign_file_download,
        name="campaign-file-download",
    ),
    path("<slug:slug>/add-task/", task_add_page, name="task-add"),
    path(
        "<slug:slug>/tasks/<int:task_id>/delete/",
        task_delete_page,
        name="task-delete",
    ),
    path(
        "<slug:slug>/tasks/<int:task_id>/settings/",
        test_set_settings,
        name="test-set-settings",
    ),
    path("<slug:slug>/rehearsal/", rehearsal_page, name="rehearsal"),
    path("<slug:slug>/rehearsal/end/", rehearsal_end_page, name="rehearsal-end"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("new-campaign/file/", campaign_new_file_page, name="campaign-new-file"),
    path("campaigns/", include(_campaigns)),
]
