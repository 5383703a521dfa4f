"""Bundles of published results: which there are, and their bytes."""

import io
import zipfile
from collections.abc import Iterator
from typing import IO, Final

from ranking.models import PART_BYTES, BundlePart, PublishedResult, ResultBundle

_SENT: Final = 1 << 16


def bundle_asked(result: PublishedResult) -> ResultBundle | None:
    """Return the bundle of a result, made or not yet; None if it was not asked for."""
    try:
        return result.bundle
    except ResultBundle.DoesNotExist:
        return None


def bundle_of(result: PublishedResult) -> ResultBundle | None:
    """Return the bundle of a result if it is made."""
    bundle = bundle_asked(result)
    return bundle if bundle is not None and bundle.is_made else None


def bundle_opened(bundle: ResultBundle) -> IO[bytes]:
    """Return the zip of a bundle as a file, which holds one part of it in memory at a time."""
    return io.BufferedReader(_StoredBytes(bundle.pk, bundle.size), _SENT)


def bundle_bytes(bundle: ResultBundle) -> Iterator[bytes]:
    """Yield the bytes of the zip. A query for each part."""
    with bundle_opened(bundle) as stream:
        yield from _pieces(stream)


def bundled_bytes(bundle: ResultBundle, name: str) -> Iterator[bytes]:
    """Yield the bytes of a file in the zip, unpacked as they are read."""
    with (
        bundle_opened(bundle) as stream,
        zipfile.ZipFile(stream) as archive,
        archive.open(name) as file,
    ):
        yield from _pieces(file)


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    while piece := stream.read(_SENT):
        yield piece


class _StoredBytes(io.RawIOBase):
    """The bytes of a bundle, to be read from any place."""

    def __init__(self, bundle_id: int, size: int) -> None:
        self._bundle_id = bundle_id
        self._size = size
        self._place = 0
        self._number = -1
        self._part = b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(0, begin + offset)
        return self._place

    def readinto(self, buffer: "memoryview[int]", /) -> int:  # type: ignore[override]
        if self._place >= self._size:
            return 0
        number, begin = divmod(self._place, PART_BYTES)
        if number != self._number:
            found = BundlePart.objects.filter(bundle=self._bundle_id, number=number)
            self._part = bytes(found.values_list("content", flat=True).get())
            self._number = number
        piece = self._part[begin : begin + len(buffer)]
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)
