"""Files that are sent: one list of formats and media types, and the response that sends a file."""

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeVar, cast

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from campaign.formats.tables import neutral
from campaign.models import KeptFile
from campaign.models.upload import MEDIA
from campaign.selectors.exported_files import FileStorageError, exported_bytes
from campaign.services.judge_lists import CheckedList
from campaign.texts import media

_Response = TypeVar("_Response", bound=HttpResponseBase)
#: File extensions that differ from the last part of the format's name, unlike that of `five-way-csv`.
_ENDINGS: Final[Mapping[str, str]] = {
    "evalset": "zip",
    "latex": "tex",
    "markdown": "md",
    "pearmut-campaign": "json",
    "pearmut-log": "jsonl",
    "text": "txt",
    "typst": "typ",
}
#: Media types by file extension.
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
    **media.MEDIA_TYPES,
}


def ending(file_format: str) -> str:
    """Return the file extension of a format."""
    return _ENDINGS.get(file_format) or file_format.rpartition("-")[2]


def media_type(name: str) -> str:
    """Return the media type of a file by its name."""
    return MEDIA_TYPES[name.rpartition(".")[2]]


def content_type(name: str) -> str:
    """Return the media type of a file by its name, with the charset of text."""
    media = media_type(name)
    if media.startswith("text/"):
        return f"{media}; charset=utf-8"
    return media


def download(
    name: str,
    content: str | bytes,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Return a file of this name as a download."""
    return HttpResponse(
        content,
        content_type=content_type(name),
        headers=_headers(name, headers),
    )


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


def csv_line(cells: Iterable[Any]) -> str:
    """Return a CSV line; cells that a spreadsheet would compute get an apostrophe."""
    buffer = io.StringIO()
    texts = (_cell_text(cell) for cell in cells)
    # The csv writer quotes only its own line terminator, but some readers accept either.
    csv.writer(buffer, lineterminator="\r\n").writerow(texts)
    return buffer.getvalue().removesuffix("\r\n") + "\n"


def _cell_text(cell: Any) -> Any:
    if isinstance(cell, bool):
        if cell:
            return "true"
        return "false"
    if isinstance(cell, str):
        return neutral(cell)
    return cell


_RANGE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


def for_spreadsheets(response: _Response) -> _Response:
    """Begin a CSV with a byte order mark, without which Excel takes UTF-8 for another encoding.

    For downloads from pages; programs read the files of REST and commands, which have none.
    """
    if not response.headers["Content-Type"].startswith("text/csv"):
        return response
    if isinstance(response, StreamingHttpResponse):
        content = cast("Iterable[bytes]", response.streaming_content)
        response.streaming_content = chain([BOM_UTF8], content)
    elif isinstance(response, HttpResponse):
        response.content = BOM_UTF8 + response.content
    return response


def ranged_response(
    sent: Mapping[str, str],
    *,
    size: int,
    digest: str,
    name: str,
    content: Callable[[int, int], Iterator[bytes]],
) -> HttpResponseBase:
    """Return a file of `size` bytes, or the range requested by the headers `sent`; 416 if it lies beyond the end.

    `content` yields the bytes between two positions. `digest` identifies the file: if `If-Range` names a different
    one, the whole file is sent.
    """
    headers = {
        "Accept-Ranges": "bytes",
        "ETag": f'"{digest}"',
        "Cache-Control": "private, no-store",
    }
    byte_range = _byte_range(sent, size, digest)
    if byte_range is None:
        return streamed_download(
            name,
            content(0, size),
            {**headers, "Content-Length": str(size)},
        )
    start, stop = byte_range
    if start >= stop:
        return HttpResponse(
            status=416,
            headers={
                "Content-Range": f"bytes */{size}",
                "Cache-Control": "private, no-store",
            },
        )
    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    headers["Content-Length"] = str(stop - start)
    return streamed_download(name, content(start, stop), headers, status=206)


def _byte_range(
    sent: Mapping[str, str],
    size: int,
    digest: str,
) -> tuple[int, int] | None:
    """Return the requested byte range; None for the whole file, also for several ranges or an invalid one."""
    match = _RANGE.fullmatch(sent.get("Range", "").strip())
    if match is None or match.groups() == ("", ""):
        return None
    if sent.get("If-Range", f'"{digest}"') != f'"{digest}"':
        return None
    first, last = match.groups()
    if not first:
        # The last bytes, as many as `last` says.
        length = int(last)
        if length == 0:
            return size, 0
        return max(0, size - length), size
    if not last:
        return int(first), size
    if int(last) < int(first):
        return None
    return int(first), min(size, int(last) + 1)


def file_answer(sent: Mapping[str, str], file: KeptFile) -> HttpResponseBase:
    """Return the requested bytes of a stored file; 404 if it is gone, 503 if the storage fails."""
    try:
        return ranged_response(
            sent,
            size=file.size,
            digest=file.digest,
            name=file.name,
            content=lambda start, stop: exported_bytes(file, start=start, stop=stop),
        )
    except FileStorageError as error:
        return HttpResponse(
            str(error),
            content_type="text/plain; charset=utf-8",
            status=503,
            headers={"Cache-Control": "private, no-store", "Retry-After": "60"},
        )
    except KeptFile.DoesNotExist:
        return HttpResponse(status=404, headers={"Cache-Control": "private, no-store"})


def media_answer(
    sent: Mapping[str, str],
    *,
    campaign_id: int,
    name: str,
) -> HttpResponseBase:
    """Return the requested bytes of a picture, recording or video of a campaign. Raises Http404."""
    file = get_object_or_404(KeptFile, campaign=campaign_id, kind=MEDIA, name=name)
    answer = file_answer(sent, file)
    if answer.streaming:
        answer["Content-Disposition"] = "inline"
        # Its name is a digest, so it never changes.
        answer["Cache-Control"] = "private, max-age=86400, immutable"
    return answer


COLUMNS: Final = ("email", "name", "judge", "link")


def judge_links(
    added: CheckedList,
    *,
    base_url: str,
) -> list[tuple[str, str, str, str]]:
    """Return address, name, pseudonym and link of each new judge; `base_url` is that of this Quintet."""
    return [
        (
            row.row.address,
            row.row.name,
            row.judge.pseudonym,
            base_url.rstrip("/") + reverse("invitation", args=[row.token]),
        )
        for row in added.rows
        if row.token and row.judge is not None
    ]


def judge_links_csv(links: list[tuple[str, str, str, str]]) -> str:
    """Return the links as CSV with a header."""
    return "".join(csv_line(cells) for cells in (COLUMNS, *links))
