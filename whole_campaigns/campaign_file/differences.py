"""Differences between two contents of a campaign file, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from os.path import commonprefix
from typing import Any, Final

from whole_campaigns.campaign_file.parts import Body, name_of, named_by

_SHOWN: Final = 60
_CONTEXT: Final = 15
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


#: A mapping of the file: its path, and its simple values by key.
Item = tuple[str, Body]


def differences(before: Body, after: Body) -> list[Change]:
    """Return all changes between two contents, settings of the campaign first.

    Of items with the same path, such as links with one note, those that are equal are paired first.
    """
    old = list(_items(before))
    new: list[Item] = []
    for item in _items(after):
        if item in old:
            old.remove(item)
        else:
            new.append(item)
    changes: list[Change] = []
    for path, values in new:
        match = next((item for item in old if item[0] == path), None)
        if match is None:
            changes.append(Change(ChangeKind.ADDED, path, after=_line(values)))
        else:
            old.remove(match)
            changes += _changes(path, match[1], values)
    for path, values in old:
        changes.append(Change(ChangeKind.WITHDRAWN, path, _line(values), "–"))
    return changes


def _items(value: Body, path: str = "") -> Iterator[Item]:
    """Yield a mapping, and those in it."""
    simple: Body = {}
    nested: list[Item] = []
    for key, each in value.items():
        below = _joined(path, key)
        if isinstance(each, dict) and each:
            nested.append((below, each))
        elif _has_names(each):
            nested += [(_joined(below, name_of(item)), item) for item in each]
        else:
            simple[key] = each
    yield path, simple
    for below, each in nested:
        yield from _items(each, below)


def _has_names(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(name_of(item) for item in value)
    )


def _joined(path: str, name: str) -> str:
    if path:
        return f"{path} › {name}"
    return name


def _changes(path: str, before: Body, after: Body) -> Iterator[Change]:
    for key, value in after.items():
        key_path = _joined(path, key)
        if key not in before:
            if value not in _EMPTY:
                yield Change(ChangeKind.ADDED, key_path, after=_words(value))
        elif before[key] != value:
            is_ended = key_path.rpartition(" › ")[2] in _ENDING and value is True
            if is_ended:
                kind = ChangeKind.WITHDRAWN
            else:
                kind = ChangeKind.CHANGED
            yield Change(kind, key_path, *_both(before[key], value))
    for key, value in before.items():
        if key not in after and value not in _EMPTY:
            yield Change(ChangeKind.WITHDRAWN, _joined(path, key), _words(value), "–")


def _line(values: Body) -> str:
    """Return the simple values of an item in one line, without empty ones and its name."""
    name = named_by(values)
    words: list[str] = []
    for key, value in values.items():
        is_empty = value is False or value in _EMPTY
        if key != name and not is_empty:
            words.append(f"{key}: {_words(value)}")
    return ", ".join(words)


def _words(value: Any) -> str:
    text = _text(value)
    if len(text) <= _SHOWN:
        return text
    return f"{text[:_SHOWN]}…"


def _both(before: Any, after: Any) -> tuple[str, str]:
    """Return two values in words; for long texts, the part where they begin to differ."""
    first = _text(before)
    second = _text(after)
    same = len(commonprefix([first, second]))  # noqa: RUF071  characters, not paths
    if max(len(first), len(second)) <= _SHOWN or same <= _SHOWN - _CONTEXT:
        return _words(first), _words(second)
    start = same - _CONTEXT
    return f"…{_words(first[start:])}", f"…{_words(second[start:])}"


def _text(value: Any) -> str:
    """Return a value in words, in one line."""
    if value in _EMPTY:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return ", ".join(f"{key}: {each}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return " ".join(str(value).split())
