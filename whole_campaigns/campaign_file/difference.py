"""Compare two states of a campaign file."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from os.path import commonprefix
from typing import Any, Final

from whole_campaigns.campaign_file.said import name_of, named_by

_SHOWN: Final = 60
_CONTEXT: Final = 15
#: Keys that withdraw an item if true.
_ENDING: Final = ("withdrawn", "closed", "switched_off")


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
        said = f"{self.kind} {self.path}"
        if self.before or self.kind is not ChangeKind.ADDED:
            return f"{said}: {self.before} → {self.after}"
        return f"{said}: {self.after}" if self.after else said


def differences(before: Any, after: Any) -> list[Change]:
    """Return all changes between two values, in the order of the second."""
    return list(_differences(before, after, ""))


def _differences(before: Any, after: Any, path: str) -> Iterator[Change]:
    if before == after:
        return
    if _has_names(before) and _has_names(after):
        before, after = _by_name(before, after)
    if not (isinstance(before, dict) and isinstance(after, dict)):
        first, second = _both(before, after)
        is_over = path.rpartition(" › ")[2] in _ENDING and after is True
        yield Change(ChangeKind.WITHDRAWN if is_over else ChangeKind.CHANGED, path, first, second)
        return
    for key, value in after.items():
        if key in before:
            yield from _differences(before[key], value, _place(path, key))
        else:
            yield from _added(value, _place(path, key))
    for key, value in before.items():
        place = _place(path, key)
        if key not in after and _has_names(value):
            for item in value:
                yield Change(ChangeKind.WITHDRAWN, _place(place, name_of(item)), _plain(item), "–")
        elif key not in after:
            said = _plain(value) if isinstance(key, tuple) else _words(value)
            yield Change(ChangeKind.WITHDRAWN, place, said, "–")


def _by_name(before: list[Any], after: list[Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return two lists as mappings by name, with a number for shared names, and without equal items."""
    left: list[Any] = list(before)
    others: list[Any] = []
    for item in after:
        (left.remove if item in left else others.append)(item)
    return _numbered(left), _numbered(others)


def _numbered(items: list[Any]) -> dict[tuple[str, int], Any]:
    names = [name_of(item) for item in items]
    return {(name, names[:at].count(name)): items[at] for at, name in enumerate(names)}


def _place(path: str, key: Any) -> str:
    name = key[0] if isinstance(key, tuple) else key
    return f"{path} › {name}" if path else name


def _added(value: Any, path: str) -> Iterator[Change]:
    """Yield one line for an added part, and more for its nested lists."""
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
    """Return the simple values of an item in one line, without empty ones and its name."""
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
    """Return two values in words; for long texts, the part where they begin to differ."""
    first, second = _text(before), _text(after)
    if max(len(first), len(second)) <= _SHOWN:
        return _words(before), _words(after)
    same = len(commonprefix([first, second]))  # noqa: RUF071  characters, not paths
    start = max(0, same - _CONTEXT) if same > _SHOWN - _CONTEXT else 0
    return _words(first, start) or "–", _words(second, start) or "–"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    return _words(value) if not isinstance(value, list) else ", ".join(map(str, value))
