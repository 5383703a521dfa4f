"""Files that are sent: one list of formats and media types, and the response that sends a file."""

from collections.abc import Iterable, Mapping
from typing import Final

from django.http import HttpResponse, StreamingHttpResponse

#: Endings of formats that do not end as they are called; `five-way-csv` does.
_ENDINGS: Final[Mapping[str, str]] = {
    "evalset": "zip",
    "latex": "tex",
    "markdown": "md",
    "pearmut-campaign": "json",
    "pearmut-log": "jsonl",
    "text": "txt",
    "typst": "typ",
}
#: By ending.
MEDIA_TYPES: Final[Mapping[str, str]] = {
    "bib": "text/x-bibtex",
    "cff": "application/yaml",
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tex": "text/x-tex",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "typ": "text/plain",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "zip": "application/zip",
}


def ending(file_format: str) -> str:
    """Return the ending of files of a format."""
    return _ENDINGS.get(file_format) or file_format.rpartition("-")[2]


def media_type(name: str) -> str:
    """Return the media type of a file by its name."""
    return MEDIA_TYPES[name.rpartition(".")[2]]


def content_type(name: str) -> str:
    """Return the media type of a file by its name, with the charset of text."""
    found = media_type(name)
    return f"{found}; charset=utf-8" if found.startswith("text/") else found


def download(
    name: str, content: str | bytes, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """Return a file of this name as a download."""
    return HttpResponse(content, content_type=content_type(name), headers=_headers(name, headers))


def streamed_download(
    name: str,
    content: Iterable[str | bytes],
    headers: Mapping[str, str] | None = None,
    *,
    status: int = 200,
) -> StreamingHttpResponse:
    """Return a file of this name as a download that is sent while it is read."""
    return StreamingHttpResponse(
        content,
        content_type=content_type(name),
        headers=_headers(name, headers),
        status=status,
    )


def _headers(name: str, headers: Mapping[str, str] | None) -> dict[str, str]:
    return {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
        **(headers or {}),
    }
