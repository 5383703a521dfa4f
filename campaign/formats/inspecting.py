"""Inspect recognised files before anything is stored.

Texts are read twice, once file by file and once aligned. Memory holds only numbers (a length and a
digest for each output) and a few segments.
"""

import math
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from statistics import median
from typing import Final, NamedTuple

from campaign.formats.errors import FormatError
from campaign.formats.json_text import JSONObject
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import (
    FileRole,
    RecognisedFile,
    RecognisedSet,
    SetReading,
    opened_set,
)
from campaign.formats.records import SegmentTexts
from campaign.formats.streams import InputFile, byte_chunks, text_lines
from campaign.formats.test_sets import TestSetFormat
from campaign.texts.media import described_text, marked_text

# Threshold for outliers, in scaled median absolute deviations from the median. Deviations are of
# logarithms, and at least a tenth: half of all outputs may be alike.
OUTLYING: Final = 6.0
_SMALLEST_DEVIATION: Final = 0.1
_NORMAL: Final = (
    1.4826  # makes the median absolute deviation that of a normal distribution
)
_SAMPLE: Final = 5
_OUTLIERS: Final = 5
_SHOWN_CHARACTERS: Final = 500
_BOM: Final = b"\xef\xbb\xbf"
# Enough to guess the language.
_BEGINNING_LINES: Final = 200
_BEGINNING_CHARACTERS: Final = 20_000


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Properties of a single file.

    `encoding` is "UTF-8", "UTF-8 with a byte-order mark", or None if the file is not UTF-8, as
    `error` explains. `line_ends` is "LF", "CRLF", "CR", "mixed", or None if there are none.
    `beginning` are the first lines of a plain text file, and empty for others.
    """

    file: RecognisedFile
    encoding: str | None
    line_ends: str | None
    compressed: bool
    bytes: int
    lines: int
    error: FormatError | None
    beginning: str


@dataclass(frozen=True, slots=True)
class Outlier:
    """An output of unusual length for its system; `ratio` is its length divided by that of its source."""

    number: int
    ratio: float
    source: str
    output: str


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """The outputs of a system.

    `repeated` counts outputs that the system also gave for an earlier source, and `repeated_example` is the
    most frequent one. `copied` counts outputs equal to their source. `usual_ratio` is the median ratio of the
    lengths of output and source in characters. `outliers` are the first of `outlier_count`.
    """

    name: str
    outputs: int
    repeated: int
    repeated_example: str | None
    copied: int
    usual_ratio: float | None
    outlier_count: int
    outliers: tuple[Outlier, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """Findings of an inspection; `error` is the error that an import would raise, or None.

    `identical_systems` are groups of systems and references ("reference 1") with the same texts.
    `left_out` lists what an import leaves out, each with the reason; `warnings` are sentences. `settings` is
    the JSON that a campaign file of another tool has besides texts.
    """

    files: tuple[FileFacts, ...]
    languages: tuple[str, str] | None
    segments: int
    documents: int
    references: int
    systems: tuple[SystemFacts, ...]
    identical_systems: tuple[tuple[str, ...], ...]
    left_out: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    sample: tuple[SegmentTexts, ...]
    error: FormatError | None
    settings: JSONObject | None = None


def inspect(
    recognised: RecognisedSet,
    reading: SetReading = SetReading(),  # noqa: B008  it is frozen
) -> Inspection:
    """Return all findings about the files. Their content never raises an error.

    Facts about systems cover the segments before the first error.
    """
    used = [file for file in recognised.files if file.role is not FileRole.IGNORED]
    facts = tuple(_file_facts(file) for file in used)
    omissions = Omissions()
    aligned = _Aligned(omissions)
    error: FormatError | None = None
    try:
        with opened_set(recognised, reading, omissions=omissions) as segments:
            for segment in segments:
                aligned.add(segment)
    except FormatError as refusal:
        error = refusal
    identical_systems: tuple[tuple[str, ...], ...] = ()
    if error is None:
        identical_systems = aligned.identical()
    return Inspection(
        files=facts,
        languages=recognised.languages,
        segments=aligned.segments,
        documents=aligned.documents,
        references=aligned.references,
        systems=aligned.system_facts(recognised),
        identical_systems=identical_systems,
        left_out=tuple(dict.fromkeys(omissions.left_out)),
        warnings=tuple(omissions.warnings),
        sample=aligned.sample(),
        error=error,
        settings=omissions.settings,
    )


def _file_facts(file: RecognisedFile) -> FileFacts:
    counts = _ByteCounts()
    error: FormatError | None = None
    with file.file.open() as stream:
        compressed = stream.read(2) == b"\x1f\x8b"
    try:
        with file.file.open() as stream:
            for chunk in byte_chunks(InputFile(file.name, stream)):
                counts.add(chunk)
        with file.file.open() as stream:
            if file.file_format is not TestSetFormat.PEARMUT:
                for _line in text_lines(InputFile(file.name, stream)):
                    pass
        counts.end()
        beginning = _beginning(file)
    except FormatError as refusal:
        error = refusal
        beginning = ""
    encoding: str | None = "UTF-8"
    if error is not None and "UTF-8" in error.problem:
        encoding = None
    elif counts.beginning == _BOM:
        encoding = "UTF-8 with a byte-order mark"
    return FileFacts(
        file=file,
        encoding=encoding,
        line_ends=counts.line_ends,
        compressed=compressed,
        bytes=counts.size,
        lines=counts.lines,
        error=error,
        beginning=beginning,
    )


@dataclass(slots=True)
class _ByteCounts:
    """Numbers of bytes and lines by their ends, in chunks of a file."""

    size: int = 0
    lines: int = 0
    beginning: bytes = b""
    _last: bytes = b""
    _by_end: Counter[str] = field(default_factory=Counter)

    def add(self, chunk: bytes) -> None:
        self.beginning = self.beginning or chunk[: len(_BOM)]
        self.size += len(chunk)
        pairs = chunk.count(b"\r\n")
        if self._last == b"\r" and chunk.startswith(b"\n"):
            pairs += 1
        self._by_end["CRLF"] += pairs
        self._by_end["LF"] += chunk.count(b"\n") - pairs
        self._by_end["CR"] += chunk.count(b"\r") - pairs
        self._last = chunk[-1:]
        self.lines = self._by_end.total()

    def end(self) -> None:
        """Count the last line if it has no end."""
        if self._last not in {b"", b"\n", b"\r"}:
            self.lines += 1

    @property
    def line_ends(self) -> str | None:
        """The end of all lines, or "mixed"; None if no line has one."""
        ends = [end for end, count in self._by_end.items() if count]
        if len(ends) > 1:
            return "mixed"
        if ends:
            return ends[0]
        return None


def _beginning(file: RecognisedFile) -> str:
    if file.file_format is not TestSetFormat.PLAIN:
        return ""
    with file.file.open() as stream:
        lines = islice(text_lines(InputFile(file.name, stream)), _BEGINNING_LINES)
        return "\n".join(lines)[:_BEGINNING_CHARACTERS]


def shortened(text: str) -> str:
    """Return the text, shortened if it is too long to be shown."""
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return f"{text[:_SHOWN_CHARACTERS]}…"


class _Aligned:
    """Collects statistics about the segments of a test set."""

    def __init__(self, omissions: Omissions) -> None:
        self._omissions = omissions
        self.segments = 0
        self.documents = 0
        self.references = 0
        self._sample: list[SegmentTexts] = []
        self._step = 1
        self._systems: dict[str, _System] = {}
        self._references: dict[str, blake2b] = {}
        self._document: str | None = None

    def add(self, segment: SegmentTexts) -> None:
        self.segments += 1
        self.documents += segment.document != self._document
        self._document = segment.document
        self.references = max(self.references, len(segment.references))
        self._keep(segment)
        for number, reference in enumerate(segment.references, 1):
            digest = self._references.setdefault(
                f"reference {number}",
                blake2b(digest_size=16),
            )
            digest.update(_digest(reference))
        for name, output in segment.outputs.items():
            self._system(name).add(segment, output)

    def _keep(self, segment: SegmentTexts) -> None:
        """Keep five to ten segments spread over the test set, whose size is not known in advance."""
        if (self.segments - 1) % self._step:
            return
        self._sample.append(segment)
        if len(self._sample) == 2 * _SAMPLE:
            self._sample = self._sample[::2]
            self._step *= 2

    def sample(self) -> tuple[SegmentTexts, ...]:
        """Return five of the kept segments, evenly spread, with names of files in place of their marks."""
        count = len(self._sample)
        size = min(count, _SAMPLE)
        sample = []
        for line in range(size):
            sample.append(self._described(self._sample[line * count // size]))
        return tuple(sample)

    def _described(self, segment: SegmentTexts) -> SegmentTexts:
        called = self._omissions.media
        outputs = {}
        for name, output in segment.outputs.items():
            outputs[name] = described_text(output, called)
        references = [described_text(text, called) for text in segment.references]
        return replace(
            segment,
            source=described_text(segment.source, called),
            references=tuple(references),
            outputs=outputs,
        )

    def _system(self, name: str) -> "_System":
        if name not in self._systems:
            self._systems[name] = _System(name, self._omissions.media)
        return self._systems[name]

    def system_facts(self, recognised: RecognisedSet) -> tuple[SystemFacts, ...]:
        """Return the facts about all systems; those without any segment come last."""
        for file in recognised.of(FileRole.SYSTEM):
            if file.system:
                self._system(file.system)
        return tuple(system.facts() for system in self._systems.values())

    def identical(self) -> tuple[tuple[str, ...], ...]:
        """Return groups of systems and references that have the same text for every source."""
        groups: dict[bytes, list[str]] = {}
        for name, digest in self._references.items():
            groups.setdefault(digest.digest(), []).append(name)
        for name, system in self._systems.items():
            groups.setdefault(system.digest, []).append(name)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)


class _Length(NamedTuple):
    """The logarithm of the lengths' ratio of an output, with texts that are short enough to be shown."""

    number: int
    log_ratio: float
    source: str
    output: str


def _log_ratio(length: _Length) -> float:
    return length.log_ratio


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


class _System:
    def __init__(self, name: str, called: Mapping[str, str]) -> None:
        self._name = name
        self._called = called
        self._outputs = 0
        self._all = blake2b(digest_size=16)
        self._ratios = array("d")
        self._source_by_output: dict[bytes, bytes] = {}
        self._repeated: Counter[bytes] = Counter()
        self._examples: dict[bytes, str] = {}
        self._copied = 0
        self._furthest: list[_Length] = []

    @property
    def digest(self) -> bytes:
        return self._all.digest()

    def add(self, segment: SegmentTexts, output: str) -> None:
        key = _digest(output)
        self._all.update(key)
        source = _digest(segment.source)
        if self._source_by_output.setdefault(key, source) != source:
            self._repeated[key] += 1
            if len(self._examples) < 1_000:
                self._examples.setdefault(
                    key,
                    shortened(described_text(output, self._called)),
                )
        self._copied += output == segment.source
        self._outputs += 1
        # Pictures and recordings have no length.
        words = marked_text(output).words
        source_words = marked_text(segment.source).words
        if not words or not source_words:
            return
        ratio = math.log(len(words) / len(source_words))
        self._ratios.append(ratio)
        # Outliers are among the longest and the shortest so far.
        shown_source = shortened(source_words)
        length = _Length(segment.number, ratio, shown_source, shortened(words))
        self._furthest.append(length)
        if len(self._furthest) > 20 * _OUTLIERS:
            ordered = sorted(self._furthest, key=_log_ratio)
            self._furthest = [*ordered[:_OUTLIERS], *ordered[-_OUTLIERS:]]

    def facts(self) -> SystemFacts:
        middle = 0.0
        usual_ratio = None
        deviations: list[float] = []
        limit = OUTLYING * _SMALLEST_DEVIATION
        if self._ratios:
            middle = median(self._ratios)
            usual_ratio = math.exp(middle)
            deviations = [abs(ratio - middle) for ratio in self._ratios]
            limit = max(limit, OUTLYING * (_NORMAL * median(deviations)))

        def distance(length: _Length) -> float:
            return abs(length.log_ratio - middle)

        outliers = []
        for length in sorted(self._furthest, key=distance, reverse=True)[:_OUTLIERS]:
            if distance(length) > limit:
                ratio = math.exp(length.log_ratio)
                outliers.append(
                    Outlier(length.number, ratio, length.source, length.output),
                )
        return SystemFacts(
            name=self._name,
            outputs=self._outputs,
            repeated=self._repeated.total(),
            repeated_example=self._most_repeated(),
            copied=self._copied,
            usual_ratio=usual_ratio,
            outlier_count=sum(deviation > limit for deviation in deviations),
            outliers=tuple(outliers),
        )

    def _most_repeated(self) -> str | None:
        """Return the most frequent of the repeated outputs that were kept."""
        for key, _count in self._repeated.most_common():
            if key in self._examples:
                return self._examples[key]
        return None
