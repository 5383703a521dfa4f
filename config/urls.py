"""Every address, by app."""

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView

from config.health import healthz, readyz

urlpatterns: list[URLPattern | URLResolver] = [
    # First, since it is asked for the most: what stands above is compared with every address.
    path("api/v1/", include("config.api_urls")),
    path("healthz", healthz),
    path("readyz", readyz),
    path("", include("campaign.urls")),
    path("", include("annotation.urls")),
    path("", include("ranking.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="api-schema"),
]

handler400 = "config.api_errors.bad_request"
handler404 = "config.api_errors.not_found"
handler500 = "config.api_errors.server_error"
