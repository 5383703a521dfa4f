"""Files of judgments on their way into the database, opened again as often as needed; and languages as files spell them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache

from campaign.formats import ByteStream
from campaign.texts.language_tags import LanguageTagError, language_by_name, language_tag_checked


@lru_cache(maxsize=1000)
def language_tag(name: str) -> str:
    """Return the tag of a language given by tag, two- or three-letter code or name; else `name` itself."""
    try:
        return language_tag_checked(name)
    except LanguageTagError:
        return language_by_name(name) or name.strip()


@dataclass(frozen=True, slots=True)
class JudgmentsFile:
    """A file of judgments; `open` begins at its first byte each time."""

    name: str
    open: Callable[[], AbstractContextManager[ByteStream]]


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
