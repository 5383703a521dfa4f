"""The public pages of published results, their files, and what other sites embed."""

from hashlib import sha256
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from campaign.pages.content_policy import with_content_policy
from ranking.code_version import code_version
from ranking.models import PublishedResult
from ranking.pages.published.files import (
    BUNDLE,
    FILES_IN_WORDS,
    JUDGMENTS,
    BundleLine,
    bundle_lines,
)
from ranking.pages.published.page import published_page
from ranking.pages.published.result import result_shown
from ranking.reports.published import FILES, PublishedFile
from ranking.selectors.published_results import versions_shown
from ranking.selectors.result_bundles import bundle_bytes, bundle_of, bundled_bytes
from ranking.views.publishing.reading import (
    FILE_SECONDS,
    PAGE_SECONDS,
    Reading,
    kept,
    not_kept_if_missing,
    reading_of,
)

#: Files that browsers show; the others are saved.
_SHOWN: Final = frozenset(
    {"ranking.json", "ranking.svg", "ranking.png", "ranking.md", "citation.bib"}
)


@require_safe
@not_kept_if_missing
def published_result(request: HttpRequest, digest: str) -> HttpResponse:
    """Show a published result: to everybody, or to members while it is under an embargo."""
    return _page(request, reading_of(request, digest))


@require_safe
@not_kept_if_missing
def published_review(request: HttpRequest, digest: str, token: str) -> HttpResponse:
    """Show it to whoever has the link for reviewers."""
    return _page(request, reading_of(request, digest, token))


@require_safe
@not_kept_if_missing
def published_file(request: HttpRequest, digest: str, file_name: str) -> HttpResponseBase:
    """Return a file of a published result."""
    return _file(request, reading_of(request, digest), file_name)


@require_safe
@not_kept_if_missing
def published_review_file(
    request: HttpRequest, digest: str, token: str, file_name: str
) -> HttpResponseBase:
    """Return it to whoever has the link for reviewers."""
    return _file(request, reading_of(request, digest, token), file_name)


@require_safe
@xframe_options_exempt
@with_content_policy({"frame-ancestors": "*"})
@not_kept_if_missing
def published_embed(request: HttpRequest, digest: str) -> HttpResponse:
    """Show the table alone, in a frame of any site; nothing under an embargo."""
    reading = reading_of(request, digest)
    if reading.is_private:
        raise Http404
    context = {"page": published_page(reading.result.content), "result": reading.result}
    return kept(render(request, "published/embed.html", context), reading, seconds=PAGE_SECONDS)


def _page(request: HttpRequest, reading: Reading) -> HttpResponse:
    result = reading.result
    versions = versions_shown(result, with_embargoed=False)
    page_url = request.build_absolute_uri(reverse("published-result", args=[result.address]))
    context = {
        **result_shown(result, versions, page_url=page_url),
        "is_private": reading.is_private,
        "is_reviewer": bool(reading.token),
        "files": _files(request, reading),
        "bundle": _bundle(request, reading),
    }
    return kept(render(request, "published/result.html", context), reading, seconds=PAGE_SECONDS)


def _files(request: HttpRequest, reading: Reading) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "words": words,
            "address": _address(reading, name),
            "url": _url(request, reading, name),
        }
        for name, words in FILES_IN_WORDS.items()
        if name in FILES
    ]


def _bundle(request: HttpRequest, reading: Reading) -> list[BundleLine]:
    return bundle_lines(
        reading.result,
        address=lambda name: _address(reading, name),
        url=lambda name: _url(request, reading, name),
    )


def _address(reading: Reading, file_name: str) -> str:
    named = {"digest": reading.result.address, "file_name": file_name}
    if reading.token:
        return reverse("published-review-file", kwargs=named | {"token": reading.token})
    return reverse("published-file", kwargs=named)


def _url(request: HttpRequest, reading: Reading, file_name: str) -> str:
    """Return the whole address, to be printed; a link for reviewers is not."""
    return "" if reading.token else request.build_absolute_uri(_address(reading, file_name))


def _file(request: HttpRequest, reading: Reading, file_name: str) -> HttpResponseBase:
    if file_name in {BUNDLE, JUDGMENTS}:
        return _of_bundle(reading, file_name)
    kind = FILES.get(file_name)
    if kind is None:
        raise Http404
    written = _written(request, reading.result)
    etag = _etag(written, file_name)
    # What a cache has is as it was: nothing is written, or drawn, again.
    response = get_conditional_response(request, etag=etag)
    if response is None:
        content = kind.write(written)
        response = HttpResponse(content, content_type=kind.content_type)
        shown = "inline" if file_name in _SHOWN else "attachment"
        response["Content-Disposition"] = f'{shown}; filename="{file_name}"'
    response["ETag"] = etag
    return kept(response, reading, seconds=FILE_SECONDS)


def _etag(written: PublishedFile, file_name: str) -> str:
    """Return what a file is made of: its content never changes, and our code does with its version."""
    made_of = f"{written.digest}\n{written.url}\n{file_name}\n{code_version()}"
    return quote_etag(sha256(made_of.encode()).hexdigest()[:32])


def _of_bundle(reading: Reading, file_name: str) -> HttpResponseBase:
    """Return the bundle, or the judgments in it, sent while it is read; a 404 before it is made."""
    bundle = bundle_of(reading.result)
    file = bundle and bundle.file(file_name)
    if bundle is None or (file is None and file_name != BUNDLE):
        raise Http404
    stem, ending = file_name.split(".")
    response = StreamingHttpResponse(
        bundled_bytes(bundle, file_name) if file else bundle_bytes(bundle),
        content_type="text/csv; charset=utf-8" if file else "application/zip",
        headers={
            "Content-Length": str(file["bytes"] if file else bundle.size),
            "Content-Disposition": (
                f'attachment; filename="{stem}-{reading.result.address}.{ending}"'
            ),
        },
    )
    return kept(response, reading, seconds=FILE_SECONDS)


def _written(request: HttpRequest, result: PublishedResult) -> PublishedFile:
    url = request.build_absolute_uri(reverse("published-result", args=[result.address]))
    return PublishedFile(content=result.content, digest=result.digest, url=url)
