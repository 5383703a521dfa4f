"""Find phrases to avoid in the texts of the code and in the documentation."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from babel.messages import Catalog

from translations.catalogues import entries

FILE = Path(__file__).with_name("wording.toml")

_CODE = re.compile(r"^```.*?^```|^ {4}.*?$|`[^`]*`", re.DOTALL | re.MULTILINE)
_MARKUP = re.compile(r"^\s*(?:[#>*\-]+\s+|\d+\. )|\*\*")
# Not written by this project.
_QUOTED = {"CODE_OF_CONDUCT.md"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase to avoid and its replacement; `in_texts` if documents may contain it."""

    pattern: re.Pattern[str]
    instead: str
    in_texts: bool


@cache
def phrases_read() -> tuple[Phrase, ...]:
    """Return the phrases of `wording.toml`."""
    phrases = []
    for row in tomllib.loads(FILE.read_text(encoding="utf-8"))["phrase"]:
        pattern = re.compile(row["pattern"], re.IGNORECASE)
        in_texts = row.get("in_texts", False)
        phrases.append(Phrase(pattern, row["instead"], in_texts))
    return tuple(phrases)


def wording_problems(text: str, *, in_document: bool = False) -> Iterator[str]:
    """Yield each phrase to avoid in one text, with its replacement."""
    for phrase in phrases_read():
        if in_document and phrase.in_texts:
            continue
        if match := phrase.pattern.search(text):
            yield f"“{match[0]}”: write {phrase.instead}"


def wording_of_texts(catalogue: Catalog) -> Iterator[str]:
    """Yield the problems of texts in the code, with their places."""
    for key, message in entries(catalogue):
        file, line = message.locations[0]
        for text in filter(None, (key.singular, key.plural)):
            for problem in wording_problems(text.replace("%%", "%")):
                yield f"{file}:{line}: {problem}: {text}"


def wording_of_documents(root: Path) -> Iterator[str]:
    """Yield the problems of the documentation, with their places; code is ignored."""
    for path in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")]):
        if path.name in _QUOTED:
            continue
        before = ""
        text = _CODE.sub(_blank, path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), start=1):
            plain = _MARKUP.sub("", line)
            # A line that continues a sentence does not start a text.
            goes_on = before.strip() and plain == line
            if goes_on:
                plain = f"… {plain}"
            for problem in wording_problems(plain, in_document=True):
                yield f"{path.relative_to(root)}:{number}: {problem}"
            before = line


def _blank(code: re.Match[str]) -> str:
    """Return as many empty lines as the code has, to keep line numbers."""
    return "\n" * code[0].count("\n") or "code"
