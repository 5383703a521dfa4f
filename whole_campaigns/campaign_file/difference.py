"""Differences between two states of a campaign, as lines of its file."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from whole_campaigns.campaign_file.said import name_of, named_by

_SHOWN: Final = 60
_CONTEXT: Final = 15
#: True: it takes part no more.
_ENDING: Final = ("withdrawn", "closed", "switched_off")


class ChangeKind(StrEnum):
    """Kind of change to a part; the value is its mark."""

    ADDED = "+"
    CHANGED = "~"
    WITHDRAWN = "−"


@dataclass(frozen=True, slots=True)
class Change:
    """A part of a campaign that is another after the file is applied: `before` and `after` in words."""

    kind: ChangeKind
    path: str
    before: str = ""
    after: str = ""

    @property
    def words(self) -> str:
        """The line that people read."""
        said = f"{self.kind} {self.path}"
        if self.before or self.kind is not ChangeKind.ADDED:
            return f"{said}: {self.before} → {self.after}"
        return f"{said}: {self.after}" if self.after else said


def differences(before: Any, after: Any, path: str = "") -> list[Change]:
    """Return all changes between two values of a file, in the order of the second."""
    return list(_differences(before, after, path))


def _differences(before: Any, after: Any, path: str) -> Iterator[Change]:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        places = {key: f"{path} › {key}" if path else key for key in (*after, *before)}
        for key in after:
            yield from _of_key(before, after, key, places[key])
        for key in before:
            if key not in after and _has_names(before[key]):
                yield from _of_items(before[key], [], places[key])
            elif key not in after:
                yield Change(ChangeKind.WITHDRAWN, places[key], _words(before[key]), "–")
    elif _has_names(before) and _has_names(after):
        yield from _of_items(before, after, path)
    else:
        first, second = _both(before, after)
        kind = ChangeKind.CHANGED
        if path.rpartition(" › ")[2] in _ENDING and after is True:
            kind = ChangeKind.WITHDRAWN
        yield Change(kind, path, first, second)


def _of_key(before: Any, after: Any, key: str, path: str) -> Iterator[Change]:
    if key in before:
        yield from _differences(before[key], after[key], path)
    else:
        yield from _added(after[key], path)


def _of_items(before: Any, after: Any, path: str) -> Iterator[Change]:
    """Compare items of the same name, which rules and links may share; equal ones are ignored."""
    left: dict[str, list[Any]] = {}
    for item in before:
        left.setdefault(name_of(item), []).append(item)
    others = []
    for item in after:
        same = left.get(name_of(item), [])
        if item in same:
            same.remove(item)
        else:
            others.append(item)
    for item in others:
        name = name_of(item)
        if left.get(name):
            yield from _differences(left[name].pop(0), item, f"{path} › {name}")
        else:
            yield from _added(item, f"{path} › {name}")
    for name, items in left.items():
        for item in items:
            yield Change(ChangeKind.WITHDRAWN, f"{path} › {name}", _plain(item), "–")


def _added(value: Any, path: str) -> Iterator[Change]:
    """Yield an added part in a line, and its nested lists in others."""
    if isinstance(value, dict):
        yield Change(ChangeKind.ADDED, path, "", _plain(value))
        for key, each in value.items():
            if isinstance(each, dict) or _has_names(each):
                yield from _added(each, f"{path} › {key}")
    elif _has_names(value):
        for item in value:
            yield from _added(item, f"{path} › {name_of(item)}")
    elif value not in (None, [], "", {}):
        yield Change(ChangeKind.ADDED, path, "", _words(value))


def _has_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(name_of(item) for item in value)


def _plain(item: dict[str, Any]) -> str:
    """Return the values of an item that are on one line, without empty ones and its name."""
    said = [
        f"{key}: {_words(value)}"
        for key, value in item.items()
        if value not in (None, [], "", {}, False)
        and key != named_by(item)
        and not isinstance(value, dict)
        and not _has_names(value)
    ]
    return ", ".join(said)


def _words(value: Any, start: int = 0) -> str:
    if value is None or value in ([], ""):
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        value = [f"{key}: {each}" for key, each in value.items()]
    text = ", ".join(_words(each) for each in value) if isinstance(value, list) else str(value)
    text = " ".join(text.split()) if not start else text
    shown = text[start : start + _SHOWN]
    return f"{'…' if start else ''}{shown}{'…' if start + _SHOWN < len(text) else ''}"


def _both(before: Any, after: Any) -> tuple[str, str]:
    """Return two values in words; of long texts the part in which they begin to differ."""
    first, second = _text(before), _text(after)
    if max(len(first), len(second)) <= _SHOWN:
        return _words(before), _words(after)
    same = next(
        (
            place
            for place, pair in enumerate(zip(first, second, strict=False))
            if pair[0] != pair[1]
        ),
        min(len(first), len(second)),
    )
    start = max(0, same - _CONTEXT) if same > _SHOWN - _CONTEXT else 0
    return _words(first, start) or "–", _words(second, start) or "–"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    return _words(value) if not isinstance(value, list) else ", ".join(map(str, value))
