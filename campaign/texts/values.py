"""JSON values as cells of tables."""

from collections.abc import Mapping
from typing import Any


def joined(value: Any) -> str:
    """Return a value as text: the items of a list after commas, those of a list in it after colons; None is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(_inner(item) for item in value)
    return str(value)


def _inner(item: Any) -> str:
    if isinstance(item, Mapping):
        return ":".join(joined(part) for part in item.values())
    return ":".join(map(joined, item)) if isinstance(item, list | tuple) else joined(item)
