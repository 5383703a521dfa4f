"""Read dataclasses back from plain JSON."""

from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import partial
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from campaign.formats.json_text import JSONObject

Record = TypeVar("Record")


def read_record(kind: type[Record], values: JSONObject) -> Record:
    """Return a dataclass from `ranking.reports.tables.plain`; fields without a value have their default.

    Fields may be dataclasses, named tuples, tuples and sequences of these, and plain JSON.
    """
    types = get_type_hints(kind)
    fields = {}
    for name, value in values.items():
        fields[name] = _read(types[name], value)
    return kind(**fields)


def _read(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if NoneType in get_args(kind):
        (kind,) = set(get_args(kind)).difference([NoneType])
    if is_dataclass(kind):
        return read_record(kind, value)  # type: ignore[arg-type]  # mypy takes it for an instance
    origin = get_origin(kind)
    if origin is tuple:
        return tuple(map(partial(_read, get_args(kind)[0]), value))
    if origin is Sequence:
        return list(map(partial(_read, get_args(kind)[0]), value))
    if hasattr(kind, "_fields"):
        return kind(*value)
    return value
