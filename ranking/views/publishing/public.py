"""Public pages of published results, their files, and tables for embedding in other sites."""

import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import (
    add_never_cache_headers,
    get_conditional_response,
    patch_cache_control,
)
from django.utils.http import quote_etag
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from campaign.export.downloads import content_type
from campaign.pages.content_policy import with_content_policy
from campaign.selectors.exported_files import exported_bytes
from ranking.models import PublishedResult
from ranking.pages.published.making import result_shown
from ranking.pages.published.page import published_page
from ranking.reports.published.folder import FOLDER
from ranking.selectors.published_results import (
    bundled_bytes,
    is_member,
    published_at,
    versions_shown,
)

#: Maximum number of seconds until a retraction reaches readers with a cached page.
PAGE_SECONDS: Final = 60
FILE_SECONDS: Final = 300


def _result(request: HttpRequest, address: str, token: str = "") -> Any:
    """Return the result with this address; raise a 404 if the reader may not see it or it does not exist.

    `is_private` tells whether the response is only for this reader. For public results, the reader is not looked up.
    """
    result: Any = published_at(address)
    if result is None:
        raise Http404
    if token:
        known = result.reviewer_token or ""
        if not secrets.compare_digest(known.encode(), token.encode()):
            raise Http404
    elif result.is_embargoed and not is_member(request.user, result):
        raise Http404
    result.is_private = result.is_embargoed or bool(token)
    return result


_View = Callable[..., HttpResponseBase]
_Response = TypeVar("_Response", bound=HttpResponseBase)


def not_kept_if_missing(view: _View) -> _View:
    """Prevent caching of a 404: a result under an embargo may be public tomorrow."""

    @wraps(view)
    def answered(request: HttpRequest, *args: str, **named: str) -> HttpResponseBase:
        try:
            return view(request, *args, **named)
        except Http404:
            response = render(request, "404.html", status=404)
            add_never_cache_headers(response)
            return response

    return answered


def kept(response: _Response, result: Any, *, seconds: int) -> _Response:
    """Set how long caches may keep a response; one for a single reader must not be cached or indexed."""
    if result.is_private:
        add_never_cache_headers(response)
        response["X-Robots-Tag"] = "noindex, nofollow"
    else:
        patch_cache_control(response, public=True, max_age=seconds)
    return response


#: Name of the zip of the whole folder in addresses.
_ZIP: Final = "bundle.zip"
#: Files that browsers display; others are downloaded.
_SHOWN: Final = frozenset(
    {"result.json", "ranking.svg", "ranking.png", "ranking.md", "citation.bib"}
)


@require_safe
@not_kept_if_missing
def published_result(request: HttpRequest, digest: str, token: str = "") -> HttpResponse:
    """Show a published result: during an embargo, only to members and with the reviewer link."""
    result = _result(request, digest, token)
    page_url = request.build_absolute_uri(reverse("published-result", args=[result.address]))
    context = {
        **result_shown(result, versions_shown(result), page_url=page_url),
        "is_private": result.is_private,
        "is_reviewer": bool(token),
        **_folder(request, result, token),
    }
    return kept(render(request, "published/result.html", context), result, seconds=PAGE_SECONDS)


@require_safe
@not_kept_if_missing
def published_file(
    request: HttpRequest, digest: str, file_name: str, token: str = ""
) -> HttpResponseBase:
    """Stream the zip of a published result or a file in it; 404 until the zip has been created."""
    result = _result(request, digest, token)
    bundle, file = result.bundle, result.bundled(file_name)
    if bundle is None or (file is None and file_name != _ZIP):
        raise Http404
    etag = quote_etag(file["sha256"] if file else bundle.digest)
    # The cached response is still current.
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        shown = "inline" if file_name in _SHOWN else "attachment"
        saved_as = file_name if file else bundle.name
        response = StreamingHttpResponse(
            bundled_bytes(bundle, file_name) if file else exported_bytes(bundle),
            content_type=content_type(file_name),
            headers={
                "Content-Length": str(file["bytes"] if file else bundle.size),
                "Content-Disposition": f'{shown}; filename="{saved_as}"',
            },
        )
    response["ETag"] = etag
    return kept(response, result, seconds=FILE_SECONDS)


@require_safe
@xframe_options_exempt
@with_content_policy({"frame-ancestors": "*"})
@not_kept_if_missing
def published_embed(request: HttpRequest, digest: str) -> HttpResponse:
    """Show only the table, in a frame on any site; 404 during an embargo."""
    result = _result(request, digest)
    if result.is_private:
        raise Http404
    context = {"page": published_page(result.content), "result": result}
    return kept(render(request, "published/embed.html", context), result, seconds=PAGE_SECONDS)


def _folder(request: HttpRequest, result: PublishedResult, token: str) -> dict[str, Any]:
    """Return the downloads of a result; none before its folder exists."""
    bundle = result.bundle
    if bundle is None:
        return {}
    view, named = "published-file", {"digest": result.address}
    if token:
        view, named = "published-review-file", named | {"token": token}

    def line(name: str, **more: Any) -> dict[str, Any]:
        address = reverse(view, kwargs=named | {"file_name": name})
        # The full address is for print; reviewer links are not printed.
        url = "" if token else request.build_absolute_uri(address)
        return {"name": name, "address": address, "url": url, **more}

    about = {"has_texts": result.bundle_has_texts, "size": bundle.size, "digest": bundle.digest}
    return {
        "bundle": line(_ZIP, **about),
        "files": [
            line(name, words=words) for name, words in FOLDER.items() if result.bundled(name)
        ],
    }
