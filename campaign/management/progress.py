"""How far a command has come, on standard error."""

from dataclasses import dataclass
from types import TracebackType
from typing import IO, Self

from django.core.management.base import OutputWrapper
from django.utils.translation import gettext as _

from campaign.formats import ByteStream


@dataclass(slots=True)
class CountingStream:
    """A stream that knows how many bytes were read from it."""

    stream: IO[bytes]
    bytes_read: int = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self.stream.read(size)
        self.bytes_read += len(data)
        return data


class Progress:
    """Counts what was imported, with the share of the files' bytes read so far.

    In a terminal one line that changes; in a log a line every `every` items.
    """

    def __init__(
        self, out: OutputWrapper, *, unit: str, total_bytes: int, every: int, quiet: bool = False
    ) -> None:
        self._out = out
        self._unit = unit
        self._total_bytes = total_bytes
        self._every = every
        self._quiet = quiet
        self._next = every
        self._count = 0
        self._streams: list[CountingStream] = []
        self._in_place = out.isatty()  # str, below: standard error would make it red

    def watch(self, stream: IO[bytes]) -> ByteStream:
        """Count what is read from `stream` towards the total."""
        watched = CountingStream(stream)
        self._streams.append(watched)
        return watched

    def __call__(self, count: int) -> None:
        self._count = count
        if self._quiet:
            return
        if self._in_place:
            self._out.write(f"\r{self._line()}", str, ending="")
            self._out.flush()
        elif count >= self._next:
            self._next = count - count % self._every + self._every
            self._out.write(self._line(), str)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._in_place and self._count and not self._quiet:
            self._out.write("")

    def _line(self) -> str:
        read = sum(stream.bytes_read for stream in self._streams)
        share = min(100 * read // self._total_bytes, 100) if self._total_bytes else 100
        return _("%(count)s %(unit)s, %(share)d %% of the input read") % {
            "count": f"{self._count:,}",
            "unit": self._unit,
            "share": share,
        }
