from django.urls import path

from ranking.views.campaigns import campaign_detail, campaign_list
from ranking.views.dashboard import dashboard_live, dashboard_page
from ranking.views.home import home

urlpatterns = [
    path("", home, name="home"),
    path("campaigns/", campaign_list, name="campaign-list"),
    path("campaigns/<slug:slug>/", campaign_detail, name="campaign-detail"),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/",
        dashboard_page,
        name="test-set-dashboard",
    ),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/live/",
        dashboard_live,
        name="test-set-live",
    ),
]
