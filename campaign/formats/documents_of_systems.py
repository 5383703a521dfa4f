"""Files whose documents are named ``document#system``, with numbers of items that count within a batch.

The ESA campaigns of WMT released such files. A batch mixes documents of all systems, so the same sentence has
another number for every system. Items of a document are consecutive in a batch: the place of an item in its
document follows from the smallest number that the judge has in it, if the judge saw the whole document.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
    bases = {item: _without_system(item) for item in items}
    if len({item.system for item in items}) < 2 or not all(bases.values()):
        return SharedNames({})
    documents = len({item.document for item in items})
    if _is_numbered_alike(items, bases):
        alike = {item: SegmentOfAll(bases[item], item.segment) for item in items}
        return SharedNames(alike, documents)
    segments = _placed(items, bases)
    return SharedNames(segments, documents, True, frozenset(items) - segments.keys())


def _without_system(item: JudgedItem) -> str:
    """Return the document without its system, which may have a prefix elsewhere; empty if it has none."""
    document, _mark, system = item.document.rpartition(_MARK)
    is_named = bool(system) and f".{item.system}".endswith(f".{system}")
    if is_named:
        return document
    return ""


def _is_numbered_alike(
    items: Sequence[JudgedItem], bases: Mapping[JudgedItem, str]
) -> bool:
    """Return whether a number is the same sentence for all systems.

    It is if systems have the same numbers in every document, or some of them; or if numbers count through the
    test set, so that those of two documents never mix.
    """
    numbers: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for item in items:
        numbers[bases[item]][item.system].add(item.segment)
    by_document = [list(by_system.values()) for by_system in numbers.values()]
    if all(set().union(*sets) == max(sets, key=len) for sets in by_document):
        return True
    is_any_shared = any(
        len(set().union(*sets)) < sum(len(one) for one in sets) for sets in by_document
    )
    return is_any_shared and _are_apart([set().union(*sets) for sets in by_document])


def _are_apart(documents: Sequence[set[str]]) -> bool:
    """Return whether the numbers of each document lie between those of two others."""
    ranges = []
    for names in documents:
        numbers = [integer(name, 0) for name in names]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            return False
        ranges.append((min(known), max(known)))
    ranges.sort()
    return len(ranges) > 1 and all(
        before[1] < after[0] for before, after in pairwise(ranges)
    )


def _placed(
    items: Sequence[JudgedItem], bases: Mapping[JudgedItem, str]
) -> dict[JudgedItem, SegmentOfAll]:
    """Return the segments, counted from 1, of items in documents that a judge saw whole."""
    runs: dict[tuple[str, str], dict[JudgedItem, int]] = defaultdict(dict)
    for item in items:
        number = integer(item.segment, 0)
        if number is not None:
            runs[item.judge, item.document][item] = number
    lengths: dict[str, int] = defaultdict(int)
    whole = [run for run in runs.values() if _is_consecutive(run.values())]
    for run in whole:
        base = bases[next(iter(run))]
        lengths[base] = max(lengths[base], len(run))
    segments: dict[JudgedItem, SegmentOfAll] = {}
    for run in whole:
        base = bases[next(iter(run))]
        first = min(run.values())
        for item, number in run.items():
            place = str(number - first + 1)
            if len(run) == lengths[base]:
                segments[item] = SegmentOfAll(
                    base, segment_id(base, place), lengths[base]
                )
    return segments


def _is_consecutive(numbers: Iterable[int]) -> bool:
    known = set(numbers)
    return max(known) - min(known) + 1 == len(known)
