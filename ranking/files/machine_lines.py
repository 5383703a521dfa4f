"""Read the machine judges that files of answers describe, and judgments of machine judges as exports write them.

Lines of JSON state that a judge is a machine, in any format: `"judge": "judgebot", "machine": true, "version": "2026-11"`.
Exports of judgments of machine judges name it in `machine`.
"""

import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import IO, Any, Final, NamedTuple, cast

from campaign.formats import FormatError, InputFile
from campaign.formats.cells import Refuse, refuse_at
from campaign.formats.json_text import DECODER, JSONObject, decode_object
from campaign.formats.records import MAX_JUDGE_NAME, FileMachine
from campaign.formats.streams import (
    ByteStream,
    StoredFile,
    first_line_of,
    head_text,
    peek,
    whole_lines,
)
from campaign.texts.normalisation import composed
from ranking.files.labels import (
    Take,
    any_text,
    boolean_of,
    candidate_of,
    each_of,
    json_objects,
    name_of,
    object_of,
    segment_number,
    text_of,
    values_taken,
    whole,
)

#: Format of exported judgments of machine judges, for tasks of every protocol.
MACHINE_JUDGMENTS: Final = "machine-judgments-jsonl"
#: Parses a file in a format, as `AnswerFiles.parse`.
Parse = Callable[[StoredFile, str | None], Iterable[Any]]
_SNIFFED_BYTES: Final = 1024 * 1024
_LONGEST_NAME: Final = 60
_KEY: Final = b'"machine"'
# The one control character that JSON allows in texts, and files do not.
_DELETE: Final = b"\x7f"
_SPACE: Final = " \t\r\n"
_LARGEST_LABEL: Final = 5


def machine_records(
    parse: Parse,
    file: StoredFile,
    file_format: str | None,
) -> Iterator[Any]:
    """Yield what `parse` yields for a file without its machine keys, and a `FileMachine` before each record that needs it.

    Files of exported judgments of machine judges are read instead. Raises FormatError.
    """
    with file.open() as stream:
        text = head_text(peek(InputFile(file.name, stream), _SNIFFED_BYTES)[0])
    first_line = first_line_of(text)
    is_detected = file_format is None and _is_export(first_line)
    if is_detected or file_format == MACHINE_JUDGMENTS:
        yield from _read_export(file)
    elif first_line.startswith("{"):
        lines = _Lines(file)
        parts = iter(parse(StoredFile(file.name, lines.open), file_format))
        yield next(parts)
        for part in parts:
            yield from lines.machines_read()
            yield part
        yield from lines.machines_read()
    else:
        yield from parse(file, file_format)


def _is_export(first_line: str) -> bool:
    """Return whether a line is a judgment of a machine judge that it names in `machine`."""
    if _KEY.decode() not in first_line:
        return False
    try:
        values = json.loads(first_line)
    except ValueError:
        return False
    return isinstance(values, dict) and isinstance(values.get("machine"), str)


class _Lines:
    """The lines of a file of JSON, without their machine keys."""

    def __init__(self, file: StoredFile) -> None:
        self._file = file
        self._machines: list[FileMachine] = []
        self._described = _Described()

    def open(self) -> IO[bytes]:
        """Open the file."""
        stream = self._file.open()
        lines = _Rewritten(stream, self._lines(stream))
        return cast("IO[bytes]", io.BufferedReader(lines))

    def machines_read(self) -> list[FileMachine]:
        """Return the machine judges of the lines read since the last call."""
        machines = self._machines
        self._machines = []
        return machines

    def _lines(self, stream: ByteStream) -> Iterator[bytes]:
        number = 0
        for block in whole_lines(InputFile(self._file.name, stream)):
            lines = block.splitlines(keepends=True)
            if _KEY in block:
                for line_number, line in enumerate(lines, number + 1):
                    yield self._line(line_number, line)
            else:
                yield block
            number += len(lines)

    def _line(self, number: int, line: bytes) -> bytes:
        """Return a line without its machine keys; a broken one as it is, about which the reader says what is wrong."""
        if _KEY not in line or _DELETE in line:
            return line
        try:
            text = line.decode("utf-8")
            if number == 1:
                text = text.lstrip("\ufeff")
            values = decode_object(
                text,
                file=self._file.name,
                shape="one object per line",
                line=number,
            )
        except (FormatError, UnicodeDecodeError):
            return line
        if "machine" not in values:
            return line
        refuse = refuse_at(self._file.name, number)
        if _is_machine(values, refuse):
            machine = _machine("judge", number, values, refuse)
            if len(machine.called) > MAX_JUDGE_NAME:
                refuse(
                    "version",
                    f"name and version together are longer than {MAX_JUDGE_NAME} characters",
                    "shorten them",
                )
            if self._described.is_new(machine):
                self._machines.append(machine)
            without = {"machine", "judge", *_TERMS}
            more = f'"judge": {json.dumps(machine.called)}'
        else:
            without = {"machine"}
            more = ""
        return _without_keys(text, without, more).encode()


def _without_keys(text: str, without: Collection[str], more: str) -> str:
    """Return the line of a JSON object without some keys, and with more of them at its end.

    Spaces replace what is left out, so that errors name the columns of the line as written.
    """
    left_out = []
    comma = None
    is_empty = True
    end = text.index("{") + 1
    for member in _members(text, end):
        end = member.end
        if member.key in without:
            left_out.append((member.begin, end))
        else:
            is_empty = False
            comma = (end - 1, end) if member.has_comma else None
    if more and not is_empty and comma is None:
        more = f", {more}"
    if not more and comma is not None:
        # Nothing follows the last key that is left.
        left_out.append(comma)
    pieces = []
    written = 0
    for first, last in sorted(left_out):
        pieces += [text[written:first], " " * (last - first)]
        written = last
    end = text.index("}", end)
    return "".join([*pieces, text[written:end], more, text[end:]])


class _Member(NamedTuple):
    """A key with its value in the text of a JSON object, from `begin` to `end`, with the comma that follows."""

    key: str
    begin: int
    end: int
    has_comma: bool


def _members(text: str, position: int) -> Iterator[_Member]:
    """Yield the members of an object of valid JSON; `position` is behind its bracket."""
    begin = _space_end(text, position)
    while text[begin] != "}":
        key, end = DECODER.raw_decode(text, begin)
        colon = text.index(":", end)
        _value, end = DECODER.raw_decode(text, _space_end(text, colon + 1))
        after = _space_end(text, end)
        has_comma = text[after] == ","
        if has_comma:
            end = after + 1
        yield _Member(key, begin, end, has_comma)
        begin = _space_end(text, end)


def _space_end(text: str, position: int) -> int:
    while text[position] in _SPACE:
        position += 1
    return position


class _Described:
    """The machine judges that earlier lines describe."""

    def __init__(self) -> None:
        self._machines: set[FileMachine] = set()

    def is_new(self, machine: FileMachine) -> bool:
        """Return whether no earlier line describes a machine judge in these terms; remember it."""
        terms = replace(machine, line=0)
        if terms in self._machines:
            return False
        self._machines.add(terms)
        return True


class _Rewritten(io.RawIOBase):
    """A stream of other lines; closing it closes the stream that they come from."""

    def __init__(self, stream: IO[bytes], lines: Iterator[bytes]) -> None:
        self._stream = stream
        self._lines = lines
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = next(self._lines, b"")
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        self._stream.close()
        super().close()


def _is_machine(values: JSONObject, refuse: Refuse) -> bool:
    value = values["machine"]
    if not isinstance(value, bool):
        refuse(
            "machine",
            f"{value!r} is not true or false",
            "write true, the name of the machine judge as judge, and its version",
        )
    return value


def _machine(
    name_key: str,
    line: int,
    values: JSONObject,
    refuse: Refuse,
) -> FileMachine:
    """Return the machine judge of a line, whose name has this key."""
    for key in (name_key, "version"):
        if values.get(key) is None:
            refuse(key, "the key is missing", "add name and version of a machine judge")
    terms = {}
    for key, take in _TERMS.items():
        if values.get(key) is not None:
            terms[key] = take(key, values[key], refuse)
    return FileMachine(
        line=line,
        name=_short_name(name_key, values[name_key], refuse),
        **terms,
    )


def _short_name(key: str, value: object, refuse: Refuse) -> str:
    name = composed(name_of(key, value, refuse).strip())
    if len(name) > _LONGEST_NAME:
        refuse(
            key,
            f"the text is longer than {_LONGEST_NAME} characters",
            "shorten it",
        )
    return name


#: Keys of what a machine judge is, as in REST.
_TERMS: Final[Mapping[str, Take]] = {
    "version": _short_name,
    "prompt": any_text,
    "settings": any_text,
    "asked_twice": boolean_of,
}


def _read_export(file: StoredFile) -> Iterator[Any]:
    """Yield the format, then the machine judges and the judgments of an export. Raises FormatError."""
    yield MACHINE_JUDGMENTS
    described = _Described()
    with file.open() as stream:
        for line, values, refuse in json_objects(InputFile(file.name, stream)):
            fields = values_taken(values, _KEYS, _OPTIONAL, refuse)
            machine = _machine("machine", line, values, refuse)
            if described.is_new(machine):
                yield machine
            _refuse_lengths(fields, refuse)
            yield line, machine.called, fields


def _refuse_lengths(fields: JSONObject, refuse: Refuse) -> None:
    labels = fields.get("labels")
    count = len(fields["candidates"])
    if labels and len(labels) != count:
        refuse(
            "labels",
            f"the block has {len(labels)} labels for {count} candidates",
            "write one label per candidate, null if there is none",
        )


def _label(key: str, value: object, refuse: Refuse) -> int | None:
    if value is None:
        return None
    return int(whole(1, _LARGEST_LABEL)(key, value, refuse))


def _time(key: str, value: object, refuse: Refuse) -> float:
    text = text_of(key, value, refuse)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        refuse(
            key,
            f"{text!r} is not a time with its zone",
            "write a time such as 2026-11-30T12:00:00Z",
        )
    return moment.timestamp()


_KEYS: Final[dict[str, Take | None]] = {
    "machine": text_of,
    "segment": segment_number,
    "candidates": each_of(candidate_of),
    **_TERMS,
    "number": None,
    "id": None,
    "document": any_text,
    "labels": each_of(_label),
    "answer": object_of,
    "part": None,
    "is_reversed": None,
    "skip_reason": any_text,
    "duration_ms": whole(0),
    "comment": any_text,
    "submitted_at": _time,
}
_OPTIONAL: Final = tuple(
    key for key in _KEYS if key not in ("machine", "version", "segment", "candidates")
)
