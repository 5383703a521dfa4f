"""Encode tallies as bytes: JSON, with arrays in numpy's `.npz` format.

Nothing is pickled: a name can only refer to a dataclass of `ranking.core`. Numbers are preserved bit
for bit.
"""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

_PACKAGE = "ranking.core."
_Arrays = list[npt.NDArray[Any]]
#: Types that JSON writes and reads back unchanged.
_PLAIN = (type(None), bool, int, float, str)


class EncodingError(ValueError):
    """A value cannot be encoded, or data was not encoded by this module."""


def encode(value: Any) -> bytes:
    """Encode a value as bytes.

    Parameters
    ----------
    value
        Numbers, strings, lists, tuples, mappings, arrays and dataclasses, possibly nested.

    Raises
    ------
    EncodingError
        If it contains anything else.
    """
    arrays: _Arrays = []
    tree = _json_tree(value, arrays)
    named: Any = {f"array{number}": array for number, array in enumerate(arrays)}
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
    np.savez(file, allow_pickle=False, tree=text, **named)
    return file.getvalue()


def decode(data: bytes) -> Any:
    """Decode a value encoded by `encode`.

    Raises
    ------
    EncodingError
        If the data refers to something else than a dataclass of the core, or is damaged.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            tree = json.loads(file["tree"].tobytes())
            arrays = [file[f"array{number}"] for number in range(len(file.files) - 1)]
        return _read(tree, arrays)
    except EncodingError:
        raise
    except (OSError, EOFError, BadZipFile, ValueError, LookupError, TypeError) as error:
        raise EncodingError(f"these are no encoded tallies: {error}") from error


def _json_tree(value: Any, arrays: _Arrays) -> Any:
    """Return a value as JSON: itself if plain, otherwise a list of its kind and its parts."""

    def written(values: Iterable[Any]) -> list[Any]:
        return [_json_tree(part, arrays) for part in values]

    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return ["array", len(arrays) - 1]
    if is_dataclass(value) and not isinstance(value, type):
        names = [part.name for part in fields(value)]
        values = [getattr(value, name) for name in names]
        return ["dataclass", _class_name(type(value)), names, written(values)]
    if isinstance(value, Mapping):
        return ["mapping", written(value), written(value.values())]
    if type(value) in (list, tuple):
        return [type(value).__name__, *written(value)]
    raise EncodingError(f"{type(value).__name__}: {value!r:.80} cannot be encoded")


def _read(tree: Any, arrays: _Arrays) -> Any:
    def read(trees: Iterable[Any]) -> list[Any]:
        return [_read(part, arrays) for part in trees]

    match tree:
        case ["array", number]:
            return arrays[number]
        case ["mapping", keys, values]:
            return dict(zip(read(keys), read(values), strict=True))
        case ["list", *values]:
            return read(values)
        case ["tuple", *values]:
            return tuple(read(values))
        case ["dataclass", name, names, values]:
            return _class(name)(**dict(zip(names, read(values), strict=True)))
        case list() | dict():
            raise EncodingError(f"there is no {tree!r:.80}")
    return tree


def _class_name(kind: type) -> str:
    return _checked_class_name(f"{kind.__module__}:{kind.__qualname__}")


def _checked_class_name(name: str) -> str:
    if not name.startswith(_PACKAGE):
        raise EncodingError(f"{name} is not in {_PACKAGE.rstrip('.')}")
    return name


def _class(name: str) -> Any:
    """Return the dataclass with this name, if it is defined there rather than imported."""
    module, _colon, class_name = _checked_class_name(name).partition(":")
    try:
        encoded_class: Any = getattr(import_module(module), class_name, None)
    except ImportError as error:
        raise EncodingError(f"{name}: there is no such module") from error
    if (
        not isinstance(encoded_class, type)
        or _class_name(encoded_class) != name
        or not is_dataclass(encoded_class)
    ):
        raise EncodingError(f"{name} is not a dataclass")
    return encoded_class
