"""Looks at recognised files before anything is stored.

Texts are read twice, once file by file and once aligned. Memory holds numbers only: a length and
a digest for each output, and five segments.
"""

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice, zip_longest
from statistics import median
from typing import Final

from campaign.formats.errors import FormatError
from campaign.formats.recognising import FileRole, RecognisedFile, RecognisedSet, opened_set
from campaign.formats.records import SegmentTexts
from campaign.formats.sgml_segments import sgml_segments
from campaign.formats.streams import InputFile, byte_chunks, text_lines
from campaign.formats.test_sets import TestSetFormat
from campaign.formats.wmt.genmt_lines import genmt_outputs

# How many scaled median absolute deviations from the median stand out. The deviation is of
# logarithms, and never counted as less than a tenth: half of all outputs may be alike.
OUTLYING: Final = 6.0
_SMALLEST_DEVIATION: Final = 0.1
_NORMAL: Final = 1.4826  # makes the median absolute deviation that of a normal distribution
_SAMPLE: Final = 5
_SHOWN: Final = 5
_SHOWN_CHARACTERS: Final = 500
_BOM: Final = b"\xef\xbb\xbf"
_SETS: Final = frozenset({"srcset", "refset", "tstset"})


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file by itself.

    `encoding` is "UTF-8", "UTF-8 with a byte-order mark" or None where it is no UTF-8, which
    `error` then explains. `line_ends` are "LF", "CRLF", "CR", "mixed" or None without any.
    `language` is what the hook for it guessed.
    """

    file: RecognisedFile
    encoding: str | None
    line_ends: str | None
    compressed: bool
    bytes: int
    lines: int
    error: FormatError | None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One of two lines that do not fit: the file's name, its line (None at the end) and the text."""

    file: str
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first place where a file stops fitting the source."""

    source: Side
    other: Side


@dataclass(frozen=True, slots=True)
class Outlier:
    """An output that is longer or shorter than this system's outputs are; `ratio` is to its source."""

    number: int
    ratio: float
    source: str
    output: str


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """The outputs of a system.

    `empty` are lines of its file. `repeated` counts outputs that the system gave to another source
    before; `repeated_example` is the most frequent. `copied` counts outputs that are the source.
    `usual_ratio` is the median length of outputs by their sources' in characters; `outliers` are
    the first few of `outlier_count`.
    """

    name: str
    outputs: int
    empty: tuple[int, ...]
    empty_count: int
    repeated: int
    repeated_example: str | None
    copied: int
    usual_ratio: float | None
    outlier_count: int
    outliers: tuple[Outlier, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found; `error` is what an import would refuse, None if it would take the files."""

    files: tuple[FileFacts, ...]
    languages: tuple[str, str] | None
    segments: int
    documents: int
    references: int
    systems: tuple[SystemFacts, ...]
    identical_systems: tuple[tuple[str, ...], ...]
    mismatches: tuple[Mismatch, ...]
    sample: tuple[SegmentTexts, ...]
    error: FormatError | None


GuessLanguage = Callable[[Iterable[str]], str | None]


def inspect(
    recognised: RecognisedSet,
    *,
    languages: tuple[str, str] | None = None,
    by_paragraph: bool = False,
    guess_language: GuessLanguage | None = None,
) -> Inspection:
    """Return what there is to know of the files; never raises for what they hold.

    `guess_language` is given the first thousand lines of each plain file, and nobody's by
    default. The systems' facts are of the segments before the first error.
    """
    used = [file for file in recognised.files if file.role is not FileRole.IGNORED]
    facts = tuple(_file_facts(file, guess_language) for file in used)
    aligned = _Aligned()
    error = next((each.error for each in facts if each.error is not None), None)
    try:
        with opened_set(recognised, languages=languages, by_paragraph=by_paragraph) as segments:
            for segment in segments:
                aligned.add(segment)
    except FormatError as found:
        error = found
    empty = {
        file.system: _empty_lines(file) for file in recognised.of(FileRole.SYSTEM) if file.system
    }
    return Inspection(
        files=facts,
        languages=recognised.languages,
        segments=aligned.segments,
        documents=aligned.documents,
        references=aligned.references,
        systems=aligned.system_facts(empty),
        identical_systems=aligned.identical() if error is None else (),
        mismatches=tuple(_mismatches(recognised)),
        sample=aligned.sample(),
        error=error,
    )


def _file_facts(file: RecognisedFile, guess_language: GuessLanguage | None) -> FileFacts:
    size = unix = dos = old = 0
    beginning, last = b"", b""
    error: FormatError | None = None
    try:
        with file.file.open() as stream:
            compressed = stream.read(2) == b"\x1f\x8b"
        with file.file.open() as stream:
            for chunk in byte_chunks(InputFile(file.name, stream)):
                beginning = beginning or chunk[: len(_BOM)]
                size += len(chunk)
                seam = int(last == b"\r" and chunk.startswith(b"\n"))
                pairs = chunk.count(b"\r\n") + seam
                dos += pairs
                unix += chunk.count(b"\n") - pairs
                old += chunk.count(b"\r") - pairs
                last = chunk[-1:]
        lines = unix + dos + old + (last not in {b"", b"\n", b"\r"})
        with file.file.open() as stream:
            if file.file_format is not TestSetFormat.PEARMUT:
                for _line in text_lines(InputFile(file.name, stream)):
                    pass
    except FormatError as found:
        error, lines = found, unix + dos + old
    encoding = "UTF-8 with a byte-order mark" if beginning == _BOM else "UTF-8"
    ends = [name for name, count in (("LF", unix), ("CRLF", dos), ("CR", old)) if count]
    return FileFacts(
        file=file,
        encoding=None if error is not None and "UTF-8" in error.problem else encoding,
        line_ends="mixed" if len(ends) > 1 else next(iter(ends), None),
        compressed=compressed,
        bytes=size,
        lines=lines,
        error=error,
        language=_language(file, guess_language) if error is None else None,
    )


def _language(file: RecognisedFile, guess_language: GuessLanguage | None) -> str | None:
    if guess_language is None or file.file_format is not TestSetFormat.PLAIN:
        return None
    with file.file.open() as stream:
        return guess_language(islice(text_lines(InputFile(file.name, stream)), 1_000))


def _places(file: RecognisedFile) -> Iterator[tuple[str, int, str]]:
    """Yield id, line and text of what a file has for each segment, as far as it can be read."""
    with file.file.open() as stream:
        opened = InputFile(file.name, stream)
        try:
            if file.file_format is TestSetFormat.SGML:
                for segment in sgml_segments(opened, _SETS):
                    yield f"{segment.document} {segment.id}", segment.line, segment.text
            elif file.file_format is TestSetFormat.GENMT:
                for output in genmt_outputs(opened):
                    yield output.id, output.number, output.text
            else:
                for number, text in enumerate(text_lines(opened), 1):
                    yield str(number), number, text
        except FormatError:
            return  # the import's error says what


def _empty_lines(file: RecognisedFile) -> list[int]:
    return [line for _id, line, text in _places(file) if not text.strip()]


def _mismatches(recognised: RecognisedSet) -> Iterator[Mismatch]:
    """Yield for each file the first place where it does not fit the source.

    In plain text that is where one of two lines is empty or missing; in SGML where the ids differ.
    """
    sources = recognised.of(FileRole.SOURCE)
    aligned = {TestSetFormat.PLAIN, TestSetFormat.SGML}
    if len(sources) != 1 or sources[0].file_format not in aligned:
        return
    source = sources[0]
    for role in (FileRole.REFERENCE, FileRole.SYSTEM, FileRole.DOCUMENTS):
        for other in recognised.of(role):
            if other.file_format not in {source.file_format, None}:
                continue
            found = _first_mismatch(source, other, may_be_empty=role is FileRole.REFERENCE)
            if found is not None:
                yield found


def _first_mismatch(
    source: RecognisedFile, other: RecognisedFile, *, may_be_empty: bool
) -> Mismatch | None:
    for here, there in zip_longest(_places(source), _places(other)):
        fits = here is not None and there is not None and here[0] == there[0]
        if fits and (may_be_empty or bool(here[2].strip()) == bool(there[2].strip())):
            continue
        return Mismatch(_side(source, here), _side(other, there))
    return None


def _side(file: RecognisedFile, place: tuple[str, int, str] | None) -> Side:
    if place is None:
        return Side(file.name, None, "")
    return Side(file.name, place[1], shortened(place[2]))


def shortened(text: str) -> str:
    """Return a text that is not too long to be shown."""
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


class _Aligned:
    """Counts over the segments of a test set, in numbers only."""

    def __init__(self) -> None:
        self.segments = 0
        self.documents = 0
        self.references = 0
        self._sample: list[SegmentTexts] = []
        self._step = 1
        self._systems: dict[str, _System] = {}
        self._document: str | None = None

    def add(self, segment: SegmentTexts) -> None:
        self.segments += 1
        self.documents += segment.document != self._document
        self._document = segment.document
        self.references = max(self.references, len(segment.references))
        self._keep(segment)
        for name, output in segment.outputs.items():
            self._systems.setdefault(name, _System(name)).add(segment, output)

    def _keep(self, segment: SegmentTexts) -> None:
        """Keep five to ten segments spread over all, without knowing how many there will be."""
        if (self.segments - 1) % self._step:
            return
        self._sample.append(segment)
        if len(self._sample) == 2 * _SAMPLE:
            self._sample = self._sample[::2]
            self._step *= 2

    def sample(self) -> tuple[SegmentTexts, ...]:
        """Return five of the kept segments, spread over all."""
        kept = len(self._sample)
        if kept < _SAMPLE:
            return tuple(self._sample)
        return tuple(self._sample[place * kept // _SAMPLE] for place in range(_SAMPLE))

    def system_facts(self, empty: dict[str, list[int]]) -> tuple[SystemFacts, ...]:
        """Return the facts of all systems, those that no segment was read of at the end."""
        for name in empty:
            self._systems.setdefault(name, _System(name))
        return tuple(system.facts(empty.get(name, [])) for name, system in self._systems.items())

    def identical(self) -> tuple[tuple[str, ...], ...]:
        """Return the systems that gave the same output to every source, in groups."""
        groups: dict[bytes, list[str]] = {}
        for name, system in self._systems.items():
            groups.setdefault(system.digest, []).append(name)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)


class _System:
    def __init__(self, name: str) -> None:
        self._name = name
        self._all = blake2b(digest_size=16)
        self._ratios = array("d")
        self._seen: dict[bytes, bytes] = {}
        self._repeated: Counter[bytes] = Counter()
        self._examples: dict[bytes, str] = {}
        self._copied = 0
        self._furthest: list[tuple[int, float, str, str]] = []

    @property
    def digest(self) -> bytes:
        return self._all.digest()

    def add(self, segment: SegmentTexts, output: str) -> None:
        key = blake2b(output.encode(), digest_size=8).digest()
        self._all.update(key)
        source = blake2b(segment.source.encode(), digest_size=8).digest()
        if self._seen.setdefault(key, source) != source:
            self._repeated[key] += 1
            if len(self._examples) < 1_000:
                self._examples.setdefault(key, shortened(output))
        self._copied += output == segment.source
        ratio = math.log(len(output) / len(segment.source))
        self._ratios.append(ratio)
        # The longest and shortest so far: what stands out is among them.
        self._furthest.append((segment.number, ratio, shortened(segment.source), shortened(output)))
        if len(self._furthest) > 20 * _SHOWN:
            self._furthest = self._extremes()

    def _extremes(self) -> list[tuple[int, float, str, str]]:
        ordered = sorted(self._furthest, key=lambda each: each[1])
        return [*ordered[:_SHOWN], *ordered[-_SHOWN:]]

    def facts(self, empty: list[int]) -> SystemFacts:
        middle = median(self._ratios) if self._ratios else 0.0
        deviation = _NORMAL * median(abs(r - middle) for r in self._ratios) if self._ratios else 0.0
        limit = OUTLYING * max(deviation, _SMALLEST_DEVIATION)
        outlying = [each for each in self._furthest if abs(each[1] - middle) > limit]
        outlying.sort(key=lambda each: -abs(each[1] - middle))
        frequent = [key for key, _count in self._repeated.most_common() if key in self._examples]
        return SystemFacts(
            name=self._name,
            outputs=len(self._ratios),
            empty=tuple(empty[:_SHOWN]),
            empty_count=len(empty),
            repeated=self._repeated.total(),
            repeated_example=self._examples[frequent[0]] if frequent else None,
            copied=self._copied,
            usual_ratio=math.exp(middle) if self._ratios else None,
            outlier_count=sum(abs(r - middle) > limit for r in self._ratios),
            outliers=tuple(
                Outlier(number, math.exp(ratio), source, output)
                for number, ratio, source, output in outlying[:_SHOWN]
            ),
        )
