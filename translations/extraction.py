"""Extract the texts to translate: gettext calls in Python files, translation tags in templates."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from babel.messages.extract import extract
from django.utils.translation.template import templatize

# Folders with words that people read.
SOURCES = (
    *("annotation", "campaign", "cells", "config", "demo", "launcher", "protocols", "ranking"),
    "templates",
)

# The arguments of each function: s(ingular), p(lural), c(ontext), in their order.
FUNCTIONS = {
    "_": "s",
    "gettext": "s",
    "gettext_lazy": "s",
    "gettext_noop": "s",
    "ngettext": "sp",
    "ngettext_lazy": "sp",
    "pgettext": "cs",
    "pgettext_lazy": "cs",
    "npgettext": "csp",
    "npgettext_lazy": "csp",
}

# The same for Babel, which counts the arguments from one.
_KEYWORDS = {
    function: tuple(
        (place, "c") if kind == "c" else place for place, kind in enumerate(kinds, start=1)
    )
    for function, kinds in FUNCTIONS.items()
}

_LITERAL = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_CALL = re.compile(rf"(?<!\w)(_|n?p?gettext)\(\s*({_LITERAL}(?:\s*,\s*{_LITERAL})*)", re.DOTALL)


@dataclass(frozen=True)
class Key:
    """The key of a catalogue's entry, as gettext looks it up."""

    singular: str
    plural: str = ""
    context: str = ""

    def __str__(self) -> str:
        words = f"{self.singular} | {self.plural}" if self.plural else self.singular
        return f"{words} [{self.context}]" if self.context else words


@dataclass
class Occurrence:
    """The places of a text, and its author's comments for translators."""

    places: list[tuple[str, int]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


def messages_of(root: Path, folders: Iterable[str] = SOURCES) -> dict[Key, Occurrence]:
    """Return all texts to translate in these folders of the project, with their places."""
    found: dict[Key, Occurrence] = {}
    for path in sorted(_files(root, folders)):
        name = path.relative_to(root).as_posix()
        read = _in_python if path.suffix == ".py" else _in_template
        for line, key, comments in read(path):
            entry = found.setdefault(key, Occurrence())
            entry.places.append((name, line))
            entry.comments.extend(text for text in comments if text not in entry.comments)
    return found


def _files(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        yield from (root / folder).rglob("*.py")
        # Pages, and the messages sent by e-mail.
        yield from (root / folder).rglob("*.html")
        yield from (root / folder).rglob("*.txt")


def _in_python(path: Path) -> Iterator[tuple[int, Key, list[str]]]:
    with path.open("rb") as file:
        for line, texts, comments, context in extract(
            "python",
            file,
            keywords=_KEYWORDS,
            comment_tags=["Translators:"],
            strip_comment_tags=True,
        ):
            singular, plural = (texts, "") if isinstance(texts, str) else texts
            yield line, Key(singular, plural, context or ""), comments


def _in_template(path: Path) -> Iterator[tuple[int, Key, list[str]]]:
    """Return the calls in a template: Django turns its tags into calls and the rest into filler."""
    calls = templatize(path.read_text(encoding="utf-8"), origin=str(path))
    for match in _CALL.finditer(calls):
        texts = ast.literal_eval(f"({match[2]},)")
        parts = dict(zip(FUNCTIONS[match[1]], texts, strict=True))
        key = Key(parts["s"], parts.get("p", ""), parts.get("c", ""))
        yield calls.count("\n", 0, match.start()) + 1, key, []
