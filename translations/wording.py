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
    content = tomllib.loads(FILE.read_text(encoding="utf-8"))
    phrases = []
    for row in content["phrase"]:
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
    documents = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    for path in sorted(documents):
        if path.name in _QUOTED:
            continue
        name = path.relative_to(root)
        text = _CODE.sub(_blank, path.read_text(encoding="utf-8"))
        for number, line in enumerate(_plain_lines(text), start=1):
            for problem in wording_problems(line, in_document=True):
                yield f"{name}:{number}: {problem}"


def _plain_lines(text: str) -> Iterator[str]:
    """Yield the lines without markup; one that continues a sentence begins with an ellipsis."""
    before = ""
    for line in text.splitlines():
        plain = _MARKUP.sub("", line)
        goes_on = before.strip() and plain == line
        if goes_on:
            plain = f"… {plain}"
        yield plain
        before = line


def _blank(code: re.Match[str]) -> str:
    """Return as many empty lines as the code has, to keep line numbers."""
    return "\n" * code[0].count("\n") or "code"
