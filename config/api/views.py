"""Serve the entry point of the API, and its description for people and programs."""

from functools import cache
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.encoding import force_bytes
from django.utils.translation import get_language, override
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse as absolute

from campaign.api.base import ResearchAPIView
from campaign.api.described import DESCRIBING
from campaign.api.plain_serializer import PlainSerializer

_KEPT_SECONDS = 3600


class RootSerializer(PlainSerializer):
    """Addresses from which everything else is found."""

    campaigns = serializers.URLField(
        help_text="Your campaigns, with links to their resources.",
    )
    description = serializers.URLField(help_text="OpenAPI schema of the API.")
    page = serializers.URLField(help_text="API documentation.")


class RootView(ResearchAPIView):
    """Entry point of the API."""

    @extend_schema(operation_id="api_root", responses=RootSerializer)
    def get(self, request: Request) -> Response:
        """Return the addresses from which everything else is found."""
        names = {
            "campaigns": "api-campaigns",
            "description": "api-schema",
            "page": "api-page",
        }
        addresses = {
            name: absolute(view, request=request) for name, view in names.items()
        }
        return Response(RootSerializer(addresses).data)


@require_safe
def api_page(request: HttpRequest) -> HttpResponse:
    """Show all operations with Swagger UI; signed-in users may try read-only ones."""
    address = f"{reverse('api-schema')}?format=json"
    return render(
        request,
        "api/page.html",
        {"description": address, "tokens": reverse("credentials")},
    )


class SchemaView(SpectacularAPIView):
    """The OpenAPI description, in the language of the reader or that of `?lang=`."""

    authentication_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponseBase:
        """Return the description, or 304 if the client has it."""
        tag = request.GET.get("lang") or get_language()
        if tag in dict(settings.LANGUAGES):
            language = tag
        else:
            language = settings.LANGUAGE_CODE
        renderer: BaseRenderer = request.accepted_renderer
        # One thread generates it, which takes most of a second, while others wait.
        with DESCRIBING:
            body = _body(language, type(renderer))  # type: ignore[arg-type]  # a class is hashable
        etag = f'"{sha256(body).hexdigest()[:32]}"'
        headers = {
            "Content-Disposition": f'inline; filename="Quintet.{renderer.format}"',
            "Cache-Control": f"max-age={_KEPT_SECONDS}",
            "ETag": etag,
            "Vary": "Accept",
        }
        response = HttpResponse(body, content_type=renderer.media_type, headers=headers)
        return (
            get_conditional_response(request, etag=etag, response=response) or response
        )


@cache
def _body(language: str, renderer: type[BaseRenderer]) -> bytes:
    with override(language):
        document = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
        return force_bytes(renderer().render(document, renderer_context={}))
