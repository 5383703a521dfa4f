"""Find texts that code joins by punctuation of its own, which not every language has.

Chinese has “、”, “；” and “：” without spaces, Arabic “،” and “؛”. `campaign.texts.joining` and its tags in templates join by
the punctuation of the reader's language. `joints.toml` lists joints of something else than texts.
"""

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from translations.catalogues import SOURCES

FILE = Path(__file__).with_name("joints.toml")

# Modules that import one of these have texts for readers.
_FOR_READERS = re.compile(
    r"^from (django\.utils\.translation|campaign\.texts\.(counted|joining)) import\b|\bsystem_label\b",
    re.MULTILINE,
)
# A mark between two values, or after the first of them.
_MARK = re.compile(r"[,;:] ?")
_BEGINS = re.compile(r"[,;:] ")
_WORD = re.compile(r"[a-z]{3}")
_IN_FORMAT = re.compile(r"(?:\}|\}</\w+>)[,;:] ")

_TRANSLATED = re.compile(r"\{% blocktranslate\b.*?\{% endblocktranslate %\}", re.DOTALL)
_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
_CONTROL = re.compile(r"\{% (?:end)?(?:if|elif|else|for|empty|with|block|once)\b")
_ATTRIBUTE = re.compile(
    r"\b(?:style|data-[\w-]+|content|media|class|href|src)=\"[^\"]*\"",
)
_SENTENCES = re.compile(r"\{% sentences %\}.*?\{% endsentences %\}", re.DOTALL)
_IS_SENTENCE = re.compile(r"[.?!](?:[\"'] %|\{% endblocktranslate )|\|sentence_list\b")
_JOIN_FILTER = re.compile(r"\|join:\"[,;: ]*\"")

# In a template whose tags were replaced: a sentence, another value, and a tag that shows nothing by itself.
_SENTENCE = "\x01"
_VALUE = "\x02"
_NOTHING = "\x03"
_AFTER_VALUE = re.compile(r"[\x01-\x03](?:</?\w+[^<>]*>)*[,;:](?=[\s\x01-\x03<]|$)")
_INLINE = r"(?:\x03|</?(?:a|b|bdi|code|em|span|strong)\b[^>]*>)*"
_BETWEEN_SENTENCES = re.compile(rf"\x01{_INLINE}\s+{_INLINE}(?=\x01)")
_BETWEEN_SENTENCES_OF_LINE = re.compile(rf"\x01{_INLINE} +{_INLINE}(?=\x01)")


@dataclass(frozen=True, slots=True)
class Joint:
    """Punctuation between texts, in a line of a file."""

    file: str
    line: int
    source: str

    def __str__(self) -> str:
        source = self.source.strip()
        return f"{self.file}:{self.line}: joined by its own punctuation: {source}"


@dataclass(frozen=True, slots=True)
class Exemption:
    """Lines of a file that join something else than texts for readers: those that contain a text, or all."""

    file: str
    reason: str
    contains: str = ""

    def covers(self, joint: Joint) -> bool:
        return joint.file == self.file and self.contains in joint.source


@cache
def exemptions_read(path: Path = FILE) -> tuple[Exemption, ...]:
    """Return the exemptions of a file."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(Exemption(**row) for row in content.get("exempt", []))


def joints_of(root: Path, folders: Iterable[str] = SOURCES) -> Iterator[Joint]:
    """Yield the joints in these folders of the project, without exempt ones."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            read = _READERS.get(path.suffix)
            if read is None:
                continue
            name = path.relative_to(root).as_posix()
            source = path.read_text(encoding="utf-8")
            lines = source.splitlines()
            for line in sorted(set(read(source))):
                joint = Joint(name, line, lines[line - 1])
                if not _is_exempt(joint):
                    yield joint


def _is_exempt(joint: Joint) -> bool:
    return any(exemption.covers(joint) for exemption in exemptions_read())


def joints_in_python(source: str) -> Iterator[int]:
    """Yield the lines of a module that join texts: `", ".join(…)`, f"{label}: {value}", `format_html("{}: {}", …)`."""
    if not _FOR_READERS.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.expr) and _is_joint(node):
            yield node.lineno


def _is_joint(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr():
            return _joins_values(node)
        case ast.BinOp(op=ast.Add()):
            return _is_mark(node.left) or _is_mark(node.right)
        case ast.Call(func=ast.Attribute(attr="join", value=between)):
            return _is_mark(between)
        case ast.Call(func=ast.Name(id="format_html" | "format_html_join")):
            return any(map(_is_mark_or_format, node.args[:2]))
    return False


def _joins_values(text: ast.JoinedStr) -> bool:
    """Return whether an f-string has a mark directly after a value; those with words are English for developers."""
    is_joined = False
    before: ast.expr | None = None
    for part in text.values:
        if isinstance(part, ast.Constant):
            own_text = str(part.value)
            if _WORD.search(own_text):
                return False
            if isinstance(before, ast.FormattedValue) and _BEGINS.match(own_text):
                is_joined = True
        before = part
    return is_joined


def _is_mark(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _MARK.fullmatch(node.value) is not None
    return False


def _is_mark_or_format(node: ast.expr) -> bool:
    if _is_mark(node):
        return True
    if isinstance(node, ast.Constant):
        return _IN_FORMAT.search(str(node.value)) is not None
    return False


def joints_in_template(source: str, *, is_page: bool = True) -> Iterator[int]:
    """Yield the lines of a template with punctuation after a value or tag, and with white space between sentences.

    Sentences in lines of their own are only found on a page: in mails, the lines are separate.
    """
    plain = _ATTRIBUTE.sub(_blank, _replace_tags(source))
    sentences = _replace_tags(_SENTENCES.sub(_blank, source))
    between = _BETWEEN_SENTENCES
    if not is_page:
        between = _BETWEEN_SENTENCES_OF_LINE
    searched = ((_AFTER_VALUE, plain), (between, sentences), (_JOIN_FILTER, source))
    for pattern, text in searched:
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.end()) + 1


def _replace_tags(source: str) -> str:
    """Return a template with marks in place of tags and translated blocks."""
    source = _TRANSLATED.sub(_tag_mark, source)
    return _TAG.sub(_tag_mark, source)


def _tag_mark(tag: re.Match[str]) -> str:
    """Return the mark of a tag or translated block, with its line breaks."""
    if _CONTROL.match(tag[0]):
        mark = _NOTHING
    elif _IS_SENTENCE.search(tag[0]):
        mark = _SENTENCE
    else:
        mark = _VALUE
    return mark + _blank(tag)


def _blank(text: re.Match[str]) -> str:
    return "\n" * text[0].count("\n")


_READERS: Mapping[str, Callable[[str], Iterator[int]]] = {
    ".py": joints_in_python,
    ".html": joints_in_template,
    ".txt": partial(joints_in_template, is_page=False),
}
