"""What an import leaves out, and the documents that some systems do not cover."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from campaign.formats.errors import FormatError, Place, SurplusError
from campaign.formats.records import SegmentTexts, counted, system_name_problem
from campaign.formats.segments import filled_text

_NAMED = 10


@dataclass(slots=True)
class Omissions:
    """Collect what readers leave out while they read.

    `left_out` are pairs of what (a file, or a place in it) and why. `uncovered` are the systems without
    outputs by document; `first` is the error for the first of them. `warnings` are sentences about what
    was read and may not be what it seems. Memory grows with the documents.
    """

    left_out: list[tuple[str, str]] = field(default_factory=list)
    uncovered: dict[str, dict[str, None]] = field(default_factory=dict)
    first: FormatError | None = None
    warnings: list[str] = field(default_factory=list)

    def lacks(self, document: str, system: str, error: FormatError) -> None:
        """Note that a system has no output for a part of the document."""
        self.first = self.first or error
        self.uncovered.setdefault(document, {}).setdefault(system)

    def output(self, system: str, document: str, text: str, place: Place, *, of: str = "") -> str:
        """Return an output without white space at its ends; note an empty one as lacking. `of` says what of."""
        try:
            return filled_text(text, f"the output of {system}{of}", place)
        except FormatError as error:
            self.lacks(document, system, error)
            return ""

    def refuse_uncovered(self, documents: int) -> None:
        """Raise FormatError if one of so many documents is not covered by all systems."""
        if self.first is None:
            return
        problem, remedy = self.first.problem, self.first.remedy
        if documents > 1:
            problem += (
                f"; not covered by all systems: {counted(len(self.uncovered), 'document')} of "
                f"{documents:,} ({named(list(self.uncovered))})"
            )
        if documents > len(self.uncovered):
            remedy += ", or import only the documents that all systems cover (--common-documents)"
        raise FormatError(
            self.first.file, problem, remedy, self.first.line, self.first.column, self.first.field
        )


@dataclass(slots=True)
class SystemsSeen:
    """The systems of the documents so far, where each document names its own.

    `names` has for each the place where it first came, and `first` is that of the first document.
    """

    omissions: Omissions
    names: dict[str, str] = field(default_factory=dict)
    first: str = ""
    _documents: dict[str, None] = field(default_factory=dict)

    def add(self, document: str, systems: Collection[str], place: Place, called: str = "") -> None:
        """Note the systems that this document, or one before it, lacks; `called` is what errors call its place."""
        here, called = called or "the line", called or f"line {place.line}"
        remedy = "give the outputs of the same systems everywhere, or take the system out"
        for system in systems:
            if problem := system not in self.names and system_name_problem(system):
                raise place.error(problem, "rename the system everywhere")
            if system not in self.names:
                problem = f"{here} has an output of {system}, which {self.first} has not"
                for earlier in self._documents:
                    self.omissions.lacks(earlier, system, place.error(problem, remedy))
                self.names[system] = called
        for system, there in self.names.items():
            if system not in systems:
                problem = f"{here} has no output of {system}, which {there} has"
                self.omissions.lacks(document, system, place.error(problem, remedy))
        self.first = self.first or called
        self._documents.setdefault(document)


def complete(segments: Iterator[SegmentTexts], omissions: Omissions) -> Iterator[SegmentTexts]:
    """Yield segments that all systems cover; at the end, refuse the documents that they do not.

    What a system lacks is refused before what its file has beyond the source: one id is often both.
    """
    documents = 0
    document: str | None = None
    try:
        for segment in segments:
            documents += segment.document != document
            document = segment.document
            if omissions.first is None:
                yield segment
    except SurplusError:
        omissions.refuse_uncovered(documents)
        raise
    omissions.refuse_uncovered(documents)


def named(names: Collection[str]) -> str:
    """Return the first of many names, and how many more there are."""
    shown = ", ".join(list(names)[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED:,} more"
