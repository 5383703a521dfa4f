"""JSON values as cells of tables."""

from collections.abc import Mapping
from typing import Any


def joined(value: Any) -> str:
    """Return a value as text: the items of a list after commas, those of a list in it after colons; None is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, list | tuple):
        return ",".join(_inner(item) for item in value)
    return str(value)


def _inner(item: Any) -> str:
    if isinstance(item, Mapping):
        return ":".join(joined(part) for part in item.values())
    if isinstance(item, list | tuple):
        return ":".join(map(joined, item))
    return joined(item)
