"""Read the results XML of Appraise (WMT15 and WMT16)."""

import re
from collections.abc import Iterator
from typing import NoReturn
from xml.parsers import expat

from campaign.formats import InputFile, Location
from campaign.formats.cells import filled, judge_of, label_of, segment_of, systems_of
from campaign.formats.records import JudgedBlock
from campaign.formats.streams import MAX_LINE_BYTES, byte_chunks

_DURATION = re.compile(r"([0-9]{1,4}):([0-5]?[0-9]):([0-5]?[0-9](?:\.[0-9]{1,9})?)")
_MAX_DEPTH = 32
_PARENTS = {
    "ranking-task": "HIT",
    "ranking-result": "ranking-task",
    "translation": "ranking-result",
}


def read_appraise_xml(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a judgment or skip for every ``ranking-result``, in the order of the file.

    A result without translations, which is how Appraise writes a skip, is a block without candidates.

    Raises
    ------
    FormatError
        With the line, and the attribute as the field.
    """
    results = _Results(file.name)
    for chunk in byte_chunks(file):
        yield from results.feed(chunk)
    yield from results.feed(b"", final=True)
    if not results.seen_result:
        raise Location(file.name).error(
            "the file has no ranking-result",
            "use the results of a ranking campaign as exported by Appraise",
        )


class _Results:
    """Turn the parser's events into blocks."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        # With declared entities, a small file can unpack to gigabytes; results need none.
        self._parser.EntityDeclHandler = self._refuse_entity
        self._fed = 0
        self._open: list[str] = []
        self._blocks: list[JudgedBlock] = []
        self._source_language = self._target_language = ""
        self._segment = 0
        self.seen_result = False
        self._begin("", None, 0)

    def _refuse_entity(self, name: str, *_declaration: object) -> None:
        self._refuse(
            None,
            f"the file declares the entity {name}",
            "remove its document type",
        )

    def _begin(self, judge: str, duration_ms: int | None, line: int) -> None:
        self._judge = judge
        self._duration_ms = duration_ms
        self._line = line
        self._systems: set[str] = set()
        self._candidates: list[tuple[str, ...]] = []
        self._labels: list[int | None] = []

    def feed(self, data: bytes, *, final: bool = False) -> list[JudgedBlock]:
        self._fed += len(data)
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            message = expat.ErrorString(error.code)
            remedy = "export the results again or check that the transfer was complete"
            if message == expat.errors.XML_ERROR_INCORRECT_ENCODING:
                remedy = 'write encoding="utf-8" in the first line if the file was converted to UTF-8'
            raise Location(self._file, error.lineno, error.offset + 1).error(
                f"the file is not valid XML ({message})",
                remedy,
            ) from error
        # The parser buffers an unterminated tag or comment, and rescans it with each piece.
        if self._fed - self._parser.CurrentByteIndex > MAX_LINE_BYTES:
            self._refuse(
                None,
                f"a tag or comment is longer than {MAX_LINE_BYTES:,} bytes",
                "export the results again",
            )
        blocks = self._blocks
        self._blocks = []
        return blocks

    def _refuse(self, field: str | None, problem: str, remedy: str) -> NoReturn:
        raise Location(self._file, self._parser.CurrentLineNumber, field=field).error(
            problem,
            remedy,
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open and tag.endswith("-results"):
            tag = "results"  # WMT16 put the results of all language pairs together
        if not self._open and tag != "results":
            problem = f"the root element is {tag}, not results"
            if tag == "hits":
                problem = "these are HITs before judging, without ranks"
            self._refuse(
                None,
                problem,
                "use the results of the campaign as exported by Appraise",
            )
        if len(self._open) >= _MAX_DEPTH:
            self._refuse(
                None,
                "elements are nested too deeply",
                "nest them as Appraise does",
            )
        parent = _PARENTS.get(tag)
        if parent is not None and parent != self._open[-1]:
            self._refuse(
                None,
                f"a {tag} is outside a {parent}",
                "nest it as Appraise does",
            )
        self._open.append(tag)
        if tag == "translation":
            text = self._attribute(attributes, "system")
            rank = self._attribute(attributes, "rank")
            self._candidates.append(
                systems_of(text, "system", self._systems, self._refuse),
            )
            self._labels.append(label_of(rank, "rank", self._refuse))
        elif tag == "ranking-result":
            self._result(attributes)
        elif tag == "ranking-task":
            text = self._attribute(attributes, "id")
            self._segment = segment_of(text, "id", self._refuse)
        elif tag == "HIT":
            self._source_language = filled(
                self._attribute(attributes, "source-language"),
                "source-language",
                self._refuse,
            )
            self._target_language = filled(
                self._attribute(attributes, "target-language"),
                "target-language",
                self._refuse,
            )

    def _attribute(self, attributes: dict[str, str], name: str) -> str:
        if name not in attributes:
            self._refuse(
                name,
                "the attribute is missing",
                "add it, as Appraise writes it",
            )
        return attributes[name]

    def _result(self, attributes: dict[str, str]) -> None:
        self.seen_result = True
        judge = judge_of(self._attribute(attributes, "user"), "user", self._refuse)
        duration = attributes.get("duration", "").strip()
        duration_ms = None
        if duration:
            duration_ms = self._milliseconds(duration)
        self._begin(judge, duration_ms, self._parser.CurrentLineNumber)

    def _milliseconds(self, text: str) -> int:
        match = _DURATION.fullmatch(text)
        if match is None:
            self._refuse(
                "duration",
                f"the duration {text!r} is not hours:minutes:seconds",
                "write it like 00:01:02.345, or leave the attribute out",
            )
        hours, minutes, seconds = match.groups()
        return round(
            (int(hours) * 3600 + int(minutes) * 60) * 1000 + float(seconds) * 1000,
        )

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "ranking-result":
            self._blocks.append(
                JudgedBlock(
                    line=self._line,
                    source_language=self._source_language,
                    target_language=self._target_language,
                    segment=self._segment,
                    judge=self._judge,
                    candidates=tuple(self._candidates),
                    labels=tuple(self._labels),
                    duration_ms=self._duration_ms,
                ),
            )
