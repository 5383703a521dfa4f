"""Work, shards and results as bytes, for other machines: data and names, never code.

JSON, with arrays beside it in the form of numpy's `.npz` files. Nothing is pickled: a name can only
stand for a function marked by `on_any_engine`, or for a dataclass or enumeration, of the packages in
`PACKAGES`, so whatever the bytes say, nothing else is called. Numbers come back bit for bit.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ranking.core.sharding.shards import is_marked, marked_named, name_of

#: Packages whose functions, dataclasses and enumerations may be named.
PACKAGES = ("ranking.core", "ranking.design_study", "ranking.files")

_Arrays = list[npt.NDArray[Any]]
#: What JSON writes and reads again as it was.
_PLAIN = (type(None), bool, int, float, str)


class EncodingError(ValueError):
    """Something cannot be written for other machines, or was not written by this module."""


def encode(value: Any) -> bytes:
    """Return a value as bytes.

    Parameters
    ----------
    value
        Numbers, strings, lists, tuples, mappings, ranges, arrays, enumerations, dataclasses, marked
        functions and partials of these, one inside the other.

    Raises
    ------
    EncodingError
        If there is anything else in it.
    """
    arrays: _Arrays = []
    tree = _written(value, arrays)
    named: Any = {f"array{number}": array for number, array in enumerate(arrays)}
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
    np.savez(file, allow_pickle=False, tree=text, **named)
    return file.getvalue()


def decode(data: bytes) -> Any:
    """Return the value that `encode` wrote.

    Raises
    ------
    EncodingError
        If it names something that no other machine may ask for, or is damaged.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            tree = json.loads(file["tree"].tobytes())
            arrays = [file[f"array{number}"] for number in range(len(file.files) - 1)]
        return _read(tree, arrays)
    except EncodingError:
        raise
    except (OSError, EOFError, BadZipFile, ValueError, LookupError, TypeError) as error:
        raise EncodingError(f"this is no encoded work: {error}") from error


def _written(value: Any, arrays: _Arrays) -> Any:
    # Before plain values: an enumeration of strings is a string, too.
    if isinstance(value, Enum):
        return {"enum": _name(type(value)), "name": value.name}
    if isinstance(value, _PLAIN) and type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray | np.generic):
        arrays.append(np.asarray(value))
        return {"array": len(arrays) - 1, "scalar": isinstance(value, np.generic)}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return {"dataclass": _name(type(value)), "fields": _all(parts, arrays)}
    if callable(value):
        return _written_function(value, arrays)
    return _written_collection(value, arrays)


def _written_collection(value: Any, arrays: _Arrays) -> Any:
    if isinstance(value, range):
        return {"range": [value.start, value.stop, value.step]}
    if isinstance(value, Mapping):
        pairs = [[_written(key, arrays), _written(of, arrays)] for key, of in value.items()]
        return {"mapping": pairs}
    for kind in (list, tuple):
        if type(value) is kind:
            return {kind.__name__: [_written(each, arrays) for each in value]}
    raise EncodingError(f"{type(value).__name__}: other machines cannot be given {value!r:.80}")


def _written_function(value: Callable[..., Any], arrays: _Arrays) -> Any:
    if isinstance(value, partial):
        return {
            "partial": _written_function(value.func, arrays),
            "positional": [_written(each, arrays) for each in value.args],
            "keyword": _all(value.keywords, arrays),
        }
    name = _name(value)
    if not is_marked(value):
        raise EncodingError(f"{name} is not marked to be computed on any engine")
    return {"function": name}


def _all(parts: Mapping[str, Any], arrays: _Arrays) -> dict[str, Any]:
    return {name: _written(value, arrays) for name, value in parts.items()}


def _name(thing: Any) -> str:
    name = name_of(thing) if hasattr(thing, "__qualname__") else type(thing).__name__
    return _checked(name)


def _checked(name: str) -> str:
    module = name.partition(":")[0]
    if not any(module == package or module.startswith(f"{package}.") for package in PACKAGES):
        raise EncodingError(f"{name} is in none of {', '.join(PACKAGES)}")
    return name


def _read(tree: Any, arrays: _Arrays) -> Any:
    if not isinstance(tree, dict):
        return tree
    kind = next(iter(tree))
    if kind not in _READERS:
        raise EncodingError(f"there is no {kind!r}")
    return _READERS[kind](tree, arrays)


def _read_array(tree: dict[str, Any], arrays: _Arrays) -> Any:
    array = arrays[tree["array"]]
    return array[()] if tree["scalar"] else array


def _read_enum(tree: dict[str, Any], _arrays: _Arrays) -> Any:
    return _class(tree["enum"], lambda kind: issubclass(kind, Enum))[tree["name"]]


def _read_dataclass(tree: dict[str, Any], arrays: _Arrays) -> Any:
    kind = _class(tree["dataclass"], is_dataclass)
    return kind(**_read_all(tree["fields"], arrays))


def _read_partial(tree: dict[str, Any], arrays: _Arrays) -> Any:
    positional = (_read(each, arrays) for each in tree["positional"])
    return partial(
        _read(tree["partial"], arrays), *positional, **_read_all(tree["keyword"], arrays)
    )


def _read_function(tree: dict[str, Any], _arrays: _Arrays) -> Callable[..., Any]:
    name = _checked(tree["function"])
    _import(name)
    function = marked_named(name)
    if function is None:
        raise EncodingError(f"{name} is not marked to be computed on any engine")
    return function


def _read_all(parts: Mapping[str, Any], arrays: _Arrays) -> dict[str, Any]:
    return {name: _read(value, arrays) for name, value in parts.items()}


_READERS: dict[str, Callable[[dict[str, Any], _Arrays], Any]] = {
    "array": _read_array,
    "enum": _read_enum,
    "dataclass": _read_dataclass,
    "function": _read_function,
    "partial": _read_partial,
    "range": lambda tree, _arrays: range(*tree["range"]),
    "mapping": lambda tree, arrays: {
        _read(key, arrays): _read(of, arrays) for key, of in tree["mapping"]
    },
    "list": lambda tree, arrays: [_read(each, arrays) for each in tree["list"]],
    "tuple": lambda tree, arrays: tuple(_read(each, arrays) for each in tree["tuple"]),
}


def _class(name: str, is_right: Callable[[type], bool]) -> Any:
    """Return the class of this name if it is of the wanted kind and defined there, not imported."""
    found: Any = _import(_checked(name))
    for part in name.partition(":")[2].split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or name_of(found) != name or not is_right(found):
        raise EncodingError(f"{name} is nothing that other machines may be given")
    return found


def _import(name: str) -> Any:
    try:
        return import_module(name.partition(":")[0])
    except ImportError as error:
        raise EncodingError(f"{name}: this machine has no such module") from error
