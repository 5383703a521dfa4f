"""Every address, by app."""

from django.urls import URLPattern, URLResolver, include, path

from config.health import healthz, readyz

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("", include("campaign.urls")),
    path("", include("annotation.urls")),
    path("", include("ranking.urls")),
    path("api/v1/judging/", include("annotation.api.urls")),
]
