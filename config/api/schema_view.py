"""`/api/schema/`, built once a process for each language: building it takes most of a second."""

import threading
from functools import cache
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.encoding import force_bytes
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer

from config.api.described import DESCRIBING

_KEPT_SECONDS = 3600
_building = threading.Lock()
_built: dict[tuple[str, type[BaseRenderer]], bytes] = {}


class SchemaView(SpectacularAPIView):
    """The OpenAPI description, in the language of the reader or that of `?lang=`."""

    authentication_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponseBase:
        """Return the description, 304 to who has it, or 503 while another thread builds it."""
        asked = request.GET.get("lang") or get_language()
        language = asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
        renderer = request.accepted_renderer
        body = _body(language, type(renderer))
        if body is None:
            busy = _("The description is being made. Ask again in some seconds.")
            return JsonResponse({"detail": busy}, status=503, headers={"Retry-After": "3"})
        return _answer(request, body, renderer)


def _body(language: str, renderer: type[BaseRenderer]) -> bytes | None:
    """Return the description; None while another thread builds one, so that only one thread is ever busy."""
    key = (language, renderer)
    if key not in _built:
        if not _building.acquire(blocking=False):
            return None
        try:
            with override(language):
                _built[key] = force_bytes(
                    renderer().render(_document(language), renderer_context={})
                )
        finally:
            _building.release()
    return _built[key]


@cache
def _document(_language: str) -> dict[str, Any]:
    """Build the description in the language that is active, which is the one named."""
    with DESCRIBING:
        document: dict[str, Any] = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    return document


def _answer(request: HttpRequest, body: bytes, renderer: BaseRenderer) -> HttpResponseBase:
    etag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = {
        "Content-Disposition": f'inline; filename="Quintet.{renderer.format}"',
        "Cache-Control": f"max-age={_KEPT_SECONDS}",
        "ETag": etag,
        "Vary": "Accept",
    }
    response = HttpResponse(body, content_type=renderer.media_type, headers=headers)
    return get_conditional_response(request, etag=etag, response=response) or response
