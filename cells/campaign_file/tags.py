"""Fields of expertise as pages store them."""

from collections.abc import Iterable


def tags_checked(tags: Iterable[str]) -> list[str]:
    """Return tags in small letters, each once, in order, without empty ones."""
    return sorted({tag.strip().lower() for tag in tags if tag.strip()})
