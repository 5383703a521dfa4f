"""Limits of a process that reads a file of strangers, and the errors about files that exceed them."""

import resource
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from campaign.formats.errors import FormatError

_MB: Final = 1_000_000
#: Readers take a tenth of a second to a second for each MB, an inspection a few of them.
_SECONDS: Final = 30
_SECONDS_A_MB: Final = 20
_MOST_SECONDS: Final = 3600
_MEMORY_BYTES: Final = 512 * _MB
_MEMORY_A_BYTE: Final = 5
_REMEDY: Final = "check that it is the right file, or split it into several files"


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits for the file `name`: seconds of computing time, and bytes of memory beyond those of the code."""

    name: str
    cpu_seconds: int
    memory_bytes: int

    @classmethod
    def of(cls, name: str, size: int) -> "ReadingLimits":
        """Return the limits for files of `size` bytes in all."""
        cpu_seconds = _SECONDS + _SECONDS_A_MB * size // _MB
        cpu_seconds = min(cpu_seconds, _MOST_SECONDS)
        return cls(name, cpu_seconds, _MEMORY_BYTES + _MEMORY_A_BYTE * size)

    def time_limit(self) -> None:
        """Limit the time of this process; twice as long by the clock, on a machine that is busy otherwise."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(
            resource.RLIMIT_CPU,
            (self.cpu_seconds, self.cpu_seconds + 1),
        )
        signal.alarm(2 * self.cpu_seconds)

    def memory_limit(self) -> None:
        """Limit the memory of this process beyond what it has now."""
        with suppress(OSError):  # Linux only
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + self.memory_bytes
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

    def slow(self) -> FormatError:
        """Return the error about a file that takes too long."""
        return FormatError(
            self.name,
            f"reading it takes more than {self.cpu_seconds} seconds",
            _REMEDY,
        )

    def large(self) -> FormatError:
        """Return the error about a file that needs too much memory."""
        return FormatError(
            self.name,
            f"reading it takes more than {self.memory_bytes // _MB:,} MB of memory",
            _REMEDY,
        )

    def ended(self, number: int) -> FormatError:
        """Return the error about a file whose process was ended by a signal."""
        if number in {signal.SIGXCPU, signal.SIGALRM}:
            return self.slow()
        return FormatError(
            self.name,
            f"reading it was ended by {signal.Signals(number).name}, "
            f"probably because it takes more than {self.memory_bytes // _MB:,} MB of memory",
            f"try again; if that does not help, {_REMEDY}",
        )
