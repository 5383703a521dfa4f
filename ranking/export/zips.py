"""Write zips piece by piece."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any, Final

#: Fixed time of files in a zip, so that the bytes do not depend on the day.
_NO_MOMENT: Final = (1980, 1, 1, 0, 0, 0)


def zip_entry(name: str, moment: tuple[int, ...] = _NO_MOMENT) -> zipfile.ZipInfo:
    """Return the entry of a compressed file in a zip, the same on any platform."""
    entry = zipfile.ZipInfo(name, moment)  # type: ignore[arg-type]  # six numbers
    entry.compress_type = zipfile.ZIP_DEFLATED
    # Unix permissions on any platform: writable for the owner, readable for all.
    entry.create_system = 3
    entry.external_attr = 0o100644 << 16
    return entry


def line_bytes(line: str) -> bytes:
    """Return a line of a text file."""
    return f"{line}\n".encode()


class Sink(io.RawIOBase):
    """Collect written bytes until they are removed."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def pop_content(self) -> bytes:
        content = b"".join(self._parts)
        self._parts = []
        return content


class ZipBytes:
    """A zip whose bytes are read while it is written.

    Parameters
    ----------
    is_large : bool
        Whether an entry may be larger than 2 GiB. Some old programs cannot read such zips.
    """

    def __init__(self, *, is_large: bool = False) -> None:
        self._sink = Sink()
        self._archive = zipfile.ZipFile(self._sink, "w", zipfile.ZIP_DEFLATED)
        self._is_large = is_large

    def entry(self, name: str, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Write a file, and yield the bytes of the zip so far."""
        with self._archive.open(
            zip_entry(name),
            "w",
            force_zip64=self._is_large,
        ) as target:
            for part in parts:
                target.write(part)
                if compressed := self._sink.pop_content():
                    yield compressed
        yield self._sink.pop_content()

    def end(self) -> bytes:
        """Return the last bytes of the zip."""
        self._archive.close()
        return self._sink.pop_content()
