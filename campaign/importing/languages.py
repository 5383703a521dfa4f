"""Languages as files spell them ("Czech", "ces", "cs") as one BCP 47 tag ("cs")."""

from functools import lru_cache

from campaign.texts.language_tags import LanguageTagError, language_by_name, language_tag_checked


@lru_cache(maxsize=1000)
def language_tag(name: str) -> str:
    """Return the tag of a language given by tag, two- or three-letter code or name; else `name` itself."""
    try:
        return language_tag_checked(name)
    except LanguageTagError:
        return language_by_name(name) or name.strip()
