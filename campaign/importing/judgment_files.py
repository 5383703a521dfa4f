"""Files of judgments on their way into the database: opened again as often as needed."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from campaign.formats import ByteStream
from campaign.importing.languages import language_tag


@dataclass(frozen=True, slots=True)
class JudgmentsFile:
    """A file of judgments; `open` begins at its first byte each time."""

    name: str
    open: Callable[[], AbstractContextManager[ByteStream]]


def judgments_file_at(path: Path, *, watch: Callable[[IO[bytes]], ByteStream]) -> JudgmentsFile:
    """Return a file on disk; `watch` is given its stream and returns the one that is read."""

    @contextmanager
    def opened() -> Iterator[ByteStream]:
        with path.open("rb") as stream:
            yield watch(stream)

    return JudgmentsFile(str(path), opened)


@dataclass(frozen=True, slots=True, order=True)
class LanguagePair:
    source: str
    target: str

    @property
    def tags(self) -> "LanguagePair":
        """The pair as BCP 47 tags, where they are known."""
        return LanguagePair(language_tag(self.source), language_tag(self.target))

    def __str__(self) -> str:
        return f"{self.source} → {self.target}"
