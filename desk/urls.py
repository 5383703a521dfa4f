from django.urls import URLPattern, URLResolver, path

from desk.views import campaigns

urlpatterns: list[URLPattern | URLResolver] = [
    path("", campaigns.home, name="home"),
    path("campaigns/", campaigns.campaign_list, name="campaign-list"),
    path("campaigns/<slug:slug>/", campaigns.campaign_detail, name="campaign-detail"),
    path("campaigns/<slug:slug>/test-sets/", campaigns.tasks_page, name="test-sets"),
]
