"""A kept file as a download that goes on where it was interrupted: ranges of bytes (RFC 9110)."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from django.http import HttpResponse, HttpResponseBase

from campaign.export.downloads import streamed_download

_RANGE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


def ranged_response(
    sent: Mapping[str, str],
    *,
    size: int,
    digest: str,
    name: str,
    content: Callable[[int, int], Iterator[bytes]],
) -> HttpResponseBase:
    """Return a file of so many bytes, or the range of it that the headers `sent` ask for; 416 if it has no such bytes.

    `content` yields the bytes from a place up to another one. `digest` tells files apart: a range of another one, by
    `If-Range`, is answered with the whole.
    """
    headers = {
        "Accept-Ranges": "bytes",
        "ETag": f'"{digest}"',
        "Cache-Control": "private, no-store",
    }
    asked = _asked(sent, size, digest)
    if asked is None:
        return streamed_download(name, content(0, size), {**headers, "Content-Length": str(size)})
    start, stop = asked
    if start >= stop:
        return HttpResponse(
            status=416,
            headers={"Content-Range": f"bytes */{size}", "Cache-Control": "private, no-store"},
        )
    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    headers["Content-Length"] = str(stop - start)
    return streamed_download(name, content(start, stop), headers, status=206)


def _asked(sent: Mapping[str, str], size: int, digest: str) -> tuple[int, int] | None:
    """Return from where to where bytes are asked for; None for all, also of several ranges and of what is no range."""
    found = _RANGE.fullmatch(sent.get("Range", "").strip())
    if found is None or found.groups() == ("", ""):
        return None
    if sent.get("If-Range", f'"{digest}"') != f'"{digest}"':
        return None
    first, last = found.groups()
    if not first:
        return max(0, size - int(last)), size if int(last) else 0
    if last and int(last) < int(first):
        return None
    return int(first), min(size, int(last) + 1) if last else size
