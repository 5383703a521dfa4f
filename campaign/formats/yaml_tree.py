"""Read YAML as plain values with their lines, without its advanced features; and write such values."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from campaign.formats.errors import FormatError, Location

#: Enough for instructions in thirty languages.
MAX_BYTES: Final = 2 * 1024 * 1024
MAX_DEPTH: Final = 20
_MAX_VALUES: Final = 200_000
_WHOLE: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
# Enough for any seed.
_MAX_DIGITS: Final = 39
_DECIMAL: Final = re.compile(
    r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?",
)
_WORDS: Final = {"": None, "~": None, "null": None, "true": True, "false": False}
# Not storable in the database; other control characters are, and texts of campaigns may have them.
_NOT_STORABLE: Final = re.compile(r"[\x00\ud800-\udfff]")
# Breaks and marks that readers of YAML fold or drop unless they are escaped.
_FOLDED: Final = re.compile(r"[\x85\u2028\u2029\ufeff]")
# libyaml's loader if the wheel includes it: thirty times as fast.
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

#: Keys, and places in lists from 0.
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class YamlTree:
    """Content of a YAML file: dicts, lists, texts, numbers, true, false and null, with the line of each by path.

    Attributes
    ----------
    name : str
        Name of the file in errors.
    value : object
    lines : mapping
        Lines by path, from 1.
    written : mapping
        Unquoted words by path that `value` has as a number, true or false: `1.10` for 1.1.
    """

    name: str
    value: Any
    lines: Mapping[Path, int]
    written: Mapping[Path, str] = field(default_factory=dict)

    def line(self, path: Path) -> int | None:
        """Return the line where a value, or else the closest one that contains it, begins."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def read_yaml(name: str, content: bytes) -> YamlTree:
    """Read one document of YAML in UTF-8; `name` identifies the file in errors.

    Unquoted words are texts, including `no` and `2027-05-01`, except for `true`, `false`, `null`, `~` and numbers.
    Raises FormatError, with line and column, for anchors, aliases, tags, repeated keys, several documents,
    invalid YAML, and files that are too large or nested too deeply.
    """
    if len(content) > MAX_BYTES:
        raise Location(name).error(
            f"the file has more than {MAX_BYTES:,} bytes",
            "move texts to separate files",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(
            name,
            "invalid UTF-8",
            "save the file as UTF-8",
            line=line,
        ) from error
    reader = _Reader(name, text)
    try:
        return reader.document()
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        location = Location(name)
        if mark:
            location = Location(name, mark.line + 1, mark.column + 1)
        raise location.error(
            f"invalid YAML: {error.problem or error.context}",
            "indent with spaces, and quote texts that contain special characters",
        ) from error
    except yaml.YAMLError as error:
        raise Location(name).error(
            "invalid YAML: the character is not allowed",
            "remove it",
        ) from error


def scalar_of(text: str) -> Any:
    """Return the value of an unquoted word. Raises ValueError for numbers that are too large."""
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        if len(text) > _MAX_DIGITS + 1:
            raise ValueError(text)
        return int(text)
    if _DECIMAL.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(text)
        return number
    return text


class _Reader:
    """Builds values from the events of the parser, without expanding anything."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=_LOADER))
        self._lines: dict[Path, int] = {}
        self._written: dict[Path, str] = {}

    def document(self) -> YamlTree:
        next(self._events)
        event = next(self._events)
        if isinstance(event, yaml.StreamEndEvent):
            raise FormatError(
                self._name,
                "the file is empty",
                "add at least slug and name",
            )
        value = self._value(next(self._events), ())
        next(self._events)
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise self._error(
                after,
                "a second document begins here",
                "use one document per file",
            )
        return YamlTree(self._name, value, self._lines, self._written)

    def _value(self, event: Any, path: Path) -> Any:
        self._lines[path] = self._line(event)
        if getattr(event, "anchor", None) is not None:
            raise self._error(
                event,
                "anchors and aliases are not supported",
                "repeat the value instead",
            )
        if event.tag is not None:
            raise self._error(
                event,
                f"the tag {event.tag} is not supported",
                "remove it",
            )
        if len(path) > MAX_DEPTH or len(self._lines) > _MAX_VALUES:
            raise self._error(
                event,
                "the file is nested too deeply",
                "follow the schema",
            )
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(path)
        return self._scalar(event, path)

    def _mapping(self, path: Path) -> dict[str, object]:
        values: dict[str, object] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if (
                not isinstance(event, yaml.ScalarEvent)
                or event.tag is not None
                or event.anchor
            ):
                raise self._error(event, "a key must be a word", "write key: value")
            key = self._text(event)
            if key in values:
                first = self._lines[*path, key]
                raise self._error(
                    event,
                    f'the key "{key}" already appears on line {first}',
                    "use every key once",
                )
            line = self._line(event)
            values[key] = self._value(next(self._events), (*path, key))
            self._lines[*path, key] = line
        return values

    def _sequence(self, path: Path) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            values.append(self._value(event, (*path, len(values))))
        return values

    def _scalar(self, event: Any, path: Path) -> Any:
        text = self._text(event)
        if event.style is not None and event.style not in ("", "plain"):
            return text
        try:
            value = scalar_of(text)
        except ValueError as error:
            raise self._error(
                event,
                "the number is too large",
                "use a smaller one, or quote it if it is text",
            ) from error
        if value is not None and not isinstance(value, str):
            self._written[path] = text
        return value

    def _text(self, event: Any) -> str:
        """Return the text of a scalar. Raises FormatError if the database cannot hold it."""
        text: str = event.value
        if _NOT_STORABLE.search(text):
            raise self._error(
                event,
                "the text contains a control character that cannot be stored",
                "remove it",
            )
        return text

    def _line(self, event: Any) -> int:
        return int(event.start_mark.line) + 1

    def _error(self, event: Any, problem: str, remedy: str) -> FormatError:
        mark = event.start_mark
        return FormatError(
            self._name,
            problem,
            remedy,
            line=mark.line + 1,
            column=mark.column + 1,
        )


class _Writer(yaml.SafeDumper):
    """Writes multi-line texts as blocks, and quotes texts that could be read as another type or another text."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True, to repeat values: `read_yaml` accepts no aliases."""
        del data
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists as well."""
        del indentless
        super().increase_indent(flow, indentless=False)


def _text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    text = str(text)  # choices of Django are a subclass
    style = None
    if _FOLDED.search(text):
        style = '"'
    elif "\n" in text:
        style = "|"
    elif not _is_text(text):
        style = "'"
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_text(text: str) -> bool:
    try:
        return scalar_of(text) == text and isinstance(scalar_of(text), str)
    except ValueError:
        return False


_Writer.add_representer(str, _text)
_Writer.add_multi_representer(str, _text)


def yaml_bytes(value: Any) -> bytes:
    """Return the values as YAML in UTF-8, with keys in their order."""
    text: str = yaml.dump(
        value,
        Dumper=_Writer,
        sort_keys=False,
        allow_unicode=True,
        width=2**20,
        indent=2,
    )
    return text.encode()
