"""Languages as spelled in files of judgments."""

from dataclasses import dataclass
from functools import lru_cache

from campaign.texts.languages import (
    LanguageTagError,
    language_by_name,
    language_tag_checked,
)


@lru_cache(maxsize=1000)
def language_tag(name: str) -> str:
    """Return the tag of a language given by tag, two- or three-letter code or name; otherwise `name` itself."""
    try:
        return language_tag_checked(name)
    except LanguageTagError:
        return language_by_name(name) or name.strip()


@dataclass(frozen=True, slots=True, order=True)
class LanguagePair:
    source: str
    target: str

    @property
    def tags(self) -> "LanguagePair":
        """The pair as BCP 47 tags, if they are known."""
        return LanguagePair(language_tag(self.source), language_tag(self.target))

    def __str__(self) -> str:
        return f"{self.source} → {self.target}"
