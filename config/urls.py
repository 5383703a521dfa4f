"""URLs of all apps."""

from django.urls import URLPattern, URLResolver, include, path

from config.api.urls import PREFIX
from config.api.views import SchemaView, api_page
from config.metrics import healthz, metrics, readyz
from ranking.views.dashboards import (
    dashboard_live,
)

urlpatterns: list[URLPattern | URLResolver] = [
    # First, because they are requested most often: each address is compared with all patterns above
    # it.
    path(PREFIX, include("config.api.urls")),
    # Each open dashboard sends a request every second.
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/live/",
        dashboard_live,
        name="test-set-live",
    ),
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
    path("", include("campaign.urls")),
    path("", include("annotation.urls")),
    path("", include("ranking.urls")),
    path("", include("desk.urls")),
    path("", include("whole_campaigns.urls")),
    path("", include("protocols.quiz.urls")),
    path("", include("protocols.rating.urls")),
    path("", include("protocols.spans.urls")),
    path("api/schema/", SchemaView.as_view(), name="api-schema"),
    path("api/", api_page, name="api-page"),
]

handler400 = "config.api.errors.bad_request"
handler404 = "config.api.errors.not_found"
handler429 = "campaign.views.sign_in.too_many_requests"
handler500 = "config.api.errors.server_error"
