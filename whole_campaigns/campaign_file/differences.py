"""Differences between two contents of a campaign file, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from os.path import commonprefix
from typing import Any, Final

from whole_campaigns.campaign_file.parts import Body, name_of, named_by

_MAX_LENGTH: Final = 60
_CONTEXT: Final = 15
_NONE: Final = "–"
#: Keys that withdraw an item if true.
_ENDING: Final = ("withdrawn", "closed", "switched_off")
_EMPTY: Final[tuple[Any, ...]] = (None, [], "", {})


class ChangeKind(StrEnum):
    """Kind of change; the value is its mark."""

    ADDED = "+"
    CHANGED = "~"
    WITHDRAWN = "−"


@dataclass(frozen=True, slots=True)
class Change:
    """A changed part of a campaign, with `before` and `after` in words."""

    kind: ChangeKind
    path: str
    before: str = ""
    after: str = ""

    @property
    def words(self) -> str:
        """The change as one line."""
        line = f"{self.kind} {self.path}"
        if self.before or self.kind is not ChangeKind.ADDED:
            return f"{line}: {self.before} → {self.after}"
        if self.after:
            return f"{line}: {self.after}"
        return line


@dataclass(frozen=True, slots=True)
class _Item:
    """A mapping of the file: its path, and its simple values by key."""

    path: str
    values: Body


def differences(before: Body, after: Body) -> list[Change]:
    """Return all changes between two contents, settings of the campaign first.

    Of items with the same path, such as links with one note, those that are equal are paired first.
    """
    old = list(_items(before))
    new: list[_Item] = []
    for item in _items(after):
        if item in old:
            old.remove(item)
        else:
            new.append(item)
    changes: list[Change] = []
    for item in new:
        match = _first_at(item.path, old)
        if match is None:
            line = _line(item.values)
            changes.append(Change(ChangeKind.ADDED, item.path, after=line))
        else:
            old.remove(match)
            changes += _changes(item.path, match.values, item.values)
    for item in old:
        line = _line(item.values)
        changes.append(Change(ChangeKind.WITHDRAWN, item.path, line, _NONE))
    return changes


def _first_at(path: str, items: list[_Item]) -> _Item | None:
    for item in items:
        if item.path == path:
            return item
    return None


def _items(mapping: Body, path: str = "") -> Iterator[_Item]:
    """Yield a mapping, and those in it."""
    simple: Body = {}
    nested: list[_Item] = []
    for key, value in mapping.items():
        key_path = _join_path(path, key)
        if isinstance(value, dict) and value:
            nested.append(_Item(key_path, value))
        elif _has_names(value):
            for item in value:
                nested.append(_Item(_join_path(key_path, name_of(item)), item))
        else:
            simple[key] = value
    yield _Item(path, simple)
    for item in nested:
        yield from _items(item.values, item.path)


def _has_names(value: Any) -> bool:
    """Return whether a value is a list of items with names."""
    return isinstance(value, list) and bool(value) and all(map(name_of, value))


def _join_path(path: str, name: str) -> str:
    if path:
        return f"{path} › {name}"
    return name


def _changes(path: str, before: Body, after: Body) -> Iterator[Change]:
    for key, value in after.items():
        key_path = _join_path(path, key)
        if key not in before:
            if value not in _EMPTY:
                yield Change(
                    ChangeKind.ADDED,
                    key_path,
                    after=_shorten_text(_text(value)),
                )
        elif before[key] != value:
            kind = ChangeKind.CHANGED
            if value is True and key_path.endswith(_ENDING):
                kind = ChangeKind.WITHDRAWN
            yield Change(kind, key_path, *_both(before[key], value))
    for key, value in before.items():
        if key not in after and value not in _EMPTY:
            text = _shorten_text(_text(value))
            yield Change(ChangeKind.WITHDRAWN, _join_path(path, key), text, _NONE)


def _line(values: Body) -> str:
    """Return the simple values of an item in one line, without empty ones and its name."""
    name = named_by(values)
    texts: list[str] = []
    for key, value in values.items():
        is_empty = value is False or value in _EMPTY
        if key != name and not is_empty:
            texts.append(f"{key}: {_shorten_text(_text(value))}")
    return ", ".join(texts)


def _shorten_text(text: str) -> str:
    if len(text) <= _MAX_LENGTH:
        return text
    return f"{text[:_MAX_LENGTH]}…"


def _both(before: Any, after: Any) -> tuple[str, str]:
    """Return two values as short texts; of long ones, the part where they begin to differ."""
    first = _text(before)
    second = _text(after)
    same = len(commonprefix([first, second]))  # noqa: RUF071  characters, not paths
    is_short = max(len(first), len(second)) <= _MAX_LENGTH
    if is_short or same <= _MAX_LENGTH - _CONTEXT:
        return _shorten_text(first), _shorten_text(second)
    start = same - _CONTEXT
    return f"…{_shorten_text(first[start:])}", f"…{_shorten_text(second[start:])}"


def _text(value: Any) -> str:
    """Return a value as text in one line."""
    if value in _EMPTY:
        return _NONE
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return ", ".join(map("{}: {}".format, value.keys(), value.values()))
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return " ".join(str(value).split())
