"""Read dataclasses back from plain JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


def read_record(kind: type[Record], values: Mapping[str, Any]) -> Record:
    """Return a dataclass from `ranking.reports.tables.plain`; fields without a value have their default.

    Fields may be dataclasses, named tuples, tuples and sequences of these, and plain JSON.
    """
    types = get_type_hints(kind)
    return kind(**{name: _read(types[name], value) for name, value in values.items()})


def _read(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if NoneType in get_args(kind):
        (kind,) = (member for member in get_args(kind) if member is not NoneType)
    if is_dataclass(kind):
        return read_record(kind, value)  # type: ignore[arg-type]  # mypy takes it for an instance
    origin = get_origin(kind)
    if origin is tuple:
        return tuple(_read(get_args(kind)[0], item) for item in value)
    if origin is Sequence:
        return [_read(get_args(kind)[0], item) for item in value]
    if hasattr(kind, "_fields"):
        return kind(*value)
    return value
