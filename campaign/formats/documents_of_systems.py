"""Files whose documents are named ``document#system``, with numbers of items that count within a batch.

The ESA campaigns of WMT released such files. A batch mixes documents of all systems, so the same sentence has
another number for every system. Items of a document are consecutive in a batch: the place of an item in its
document follows from the smallest number that the judge has in it, if the judge saw the whole document.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from campaign.formats.segment_identity import segment_id
from campaign.formats.tables import integer

#: Separates a document and its system.
_MARK: Final = "#"


class JudgedItem(NamedTuple):
    """The names that a row of a file gives to what was judged; `system` is empty if there were several."""

    judge: str
    system: str
    document: str
    segment: str


class SegmentOfAll(NamedTuple):
    """Names of a segment that are the same for all systems.

    `document_segments` is the number of segments of the document if the segment was counted in it.
    """

    document: str
    segment: str
    document_segments: int | None = None


@dataclass(frozen=True, slots=True)
class SharedNames:
    """The names of segments without systems.

    Attributes
    ----------
    segments : mapping of JudgedItem to SegmentOfAll
        Empty if documents are not named after systems.
    documents : int
        Number of documents renamed.
    placed : bool
        Whether items were numbered by their place in the document, because their numbers count within a batch.
    apart : frozenset of JudgedItem
        Items that keep their names, because their judge saw only a part of the document.
    """

    segments: Mapping[JudgedItem, SegmentOfAll]
    documents: int = 0
    placed: bool = False
    apart: frozenset[JudgedItem] = frozenset()


def shared_names(items: Iterable[JudgedItem]) -> SharedNames:
    """Return names of segments that all systems share, if every document is named ``document#system``."""
    items = tuple(dict.fromkeys(items))
    bases = {item: _document_without_system(item) for item in items}
    systems = {item.system for item in items}
    if len(systems) < 2 or not all(bases.values()):
        return SharedNames({})
    documents = len({item.document for item in items})
    if _is_numbered_alike(items, bases):
        segments = {}
        for item, document in bases.items():
            segments[item] = SegmentOfAll(document, item.segment)
        return SharedNames(segments, documents)
    segments = _segments_of_whole_documents(items, bases)
    apart = frozenset(items) - segments.keys()
    return SharedNames(segments, documents, placed=True, apart=apart)


def _document_without_system(item: JudgedItem) -> str:
    """Return the document without its system, which may have a prefix elsewhere; empty if it has none."""
    document, _mark, system = item.document.rpartition(_MARK)
    if system and f".{item.system}".endswith(f".{system}"):
        return document
    return ""


def _is_numbered_alike(
    items: Sequence[JudgedItem],
    bases: Mapping[JudgedItem, str],
) -> bool:
    """Return whether a number is the same sentence for all systems.

    It is if systems have the same numbers in every document, or some of them; or if numbers count through the
    test set, so that those of two documents never mix.
    """
    numbers_of_system = defaultdict[tuple[str, str], set[str]](set)
    numbers_of_document = defaultdict[str, set[str]](set)
    for item in items:
        document = bases[item]
        numbers_of_system[document, item.system].add(item.segment)
        numbers_of_document[document].add(item.segment)
    most = Counter[str]()
    total = Counter[str]()
    for (document, _system), numbers in numbers_of_system.items():
        most[document] = max(most[document], len(numbers))
        total[document] += len(numbers)
    different = {
        document: len(numbers) for document, numbers in numbers_of_document.items()
    }
    if different == most:
        return True
    is_any_shared = any(total[document] > different[document] for document in total)
    return is_any_shared and _are_apart(numbers_of_document.values())


class _Range(NamedTuple):
    first: int
    last: int


def _are_apart(documents: Collection[set[str]]) -> bool:
    """Return whether the numbers of each document lie between those of two others."""
    if len(documents) < 2:
        return False
    ranges = []
    for names in documents:
        numbers = []
        for name in names:
            number = integer(name, 0)
            if number is None:
                return False
            numbers.append(number)
        ranges.append(_Range(min(numbers), max(numbers)))
    ranges.sort()
    return all(before.last < after.first for before, after in pairwise(ranges))


def _segments_of_whole_documents(
    items: Sequence[JudgedItem],
    bases: Mapping[JudgedItem, str],
) -> dict[JudgedItem, SegmentOfAll]:
    """Return the segments, counted from 1, of items in documents that a judge saw whole."""
    runs: dict[tuple[str, str], dict[JudgedItem, int]] = defaultdict(dict)
    for item in items:
        number = integer(item.segment, 0)
        if number is not None:
            runs[item.judge, item.document][item] = number
    lengths = Counter[str]()
    whole = [run for run in runs.values() if _is_consecutive(run.values())]
    for run in whole:
        base = bases[next(iter(run))]
        lengths[base] = max(lengths[base], len(run))
    segments: dict[JudgedItem, SegmentOfAll] = {}
    for run in whole:
        base = bases[next(iter(run))]
        length = lengths[base]
        if len(run) < length:
            continue
        first = min(run.values())
        for item, number in run.items():
            name = segment_id(base, str(number - first + 1))
            segments[item] = SegmentOfAll(base, name, length)
    return segments


def _is_consecutive(numbers: Iterable[int]) -> bool:
    different = set(numbers)
    return max(different) - min(different) + 1 == len(different)
