"""Judgments over the systems as a static copy calls them: what is computed of them knows no other names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks
from ranking.core.judged.coded_blocks import Candidate, CodedJudgments, blocks_of_codes
from ranking.reports.inputs import Input, Texts
from ranking.reports.recorded_remarks import Remarks
from ranking.services.publishing.labelled_runs import candidates_by_name


@dataclass(frozen=True)
class _RenamedTexts:
    texts: Texts
    names: Mapping[str, str]

    def words(self) -> npt.NDArray[np.int64]:
        return self.texts.words()

    def of(self, system: str) -> Sequence[str | None]:
        return self.texts.of(self.names[system])


def is_as_stored(judgments: Mapping[str, Any], labels: Mapping[str, str]) -> bool | None:
    """Return whether an answer of these recorded judgments has no other names in a copy.

    None if one of its systems has another name by now: what it was called, nobody may be told.
    """
    reference = judgments["reference"]
    systems = [*judgments["systems"], *([] if reference is None else [reference])]
    if any(name not in labels for name in systems):
        return None
    # Its words say by pseudonym who was left out.
    return not judgments["without"] and all(labels[name] == name for name in systems)


def renamed_input(given: Input, labels: Mapping[str, str]) -> Input:
    """Return judgments over the systems as they are called here; judges who are left out are not said.

    Where a system has a letter, judgments have keys of their own: resamples that are drawn by those of names would tell
    whoever has the seed whether a guessed name is right.

    Parameters
    ----------
    given : Input
    labels : mapping
        What each system is called, by its name.
    """
    blocks, counted = _renamed(given.read.blocks, labels), _renamed(given.blocks, labels)
    if any(name != label for name, label in labels.items()):
        # The keys of a judgment are those of all that was read, also where less is counted.
        key = _keys(blocks)
        blocks, counted = replace(blocks, key=key), replace(counted, key=key)
    read = replace(given.read, blocks=blocks, excluded_judges=())
    names = {label: name for name, label in labels.items()}
    return replace(
        given,
        read=read,
        blocks=counted,
        reference=None if given.reference is None else labels[given.reference],
        texts=None if given.texts is None else _RenamedTexts(given.texts, names),
        shown=None
        if given.shown is None
        else {labels[name]: counts for name, counts in given.shown.items() if name in labels},
        remarks=None if given.remarks is None else _renamed_remarks(given.remarks, labels),
    )


def _renamed(blocks: Blocks, labels: Mapping[str, str]) -> Blocks:
    """Return blocks in the order of what systems are called here: the other one tells names."""
    called = [labels[name] for name in blocks.systems]
    order = np.array(sorted(range(len(called)), key=called.__getitem__), dtype=np.intp)
    return replace(
        blocks,
        systems=tuple(called[index] for index in order),
        labels=np.ascontiguousarray(blocks.labels[:, order]),
        candidates=np.ascontiguousarray(blocks.candidates[:, order]),
    )


def _keys(blocks: Blocks) -> npt.NDArray[np.uint64]:
    """Return the content keys of judgments whose candidates were shown in the order of their names."""
    shape = len(blocks), blocks.positions
    candidate, label = np.full(shape, -1, dtype=np.int32), np.zeros(shape, dtype=np.int8)
    numbers: dict[Candidate, int] = {}
    for place in range(blocks.positions):
        here = blocks.candidates == place
        rows = np.flatnonzero(here.any(axis=1))
        sets, of_row = np.unique(here[rows], axis=0, return_inverse=True)
        shown = [tuple(compress(blocks.systems, each)) for each in sets.tolist()]
        codes = [numbers.setdefault(systems, len(numbers)) for systems in shown]
        candidate[rows, place] = np.array(codes, dtype=np.int32)[of_row.reshape(-1)]
        label[rows, place] = blocks.labels.max(axis=1, where=here, initial=0)[rows]
    coded = CodedJudgments(
        judge=blocks.judge.copy(),
        judges=blocks.judges,
        segment=blocks.segment.copy(),
        candidate=candidate,
        candidates=list(numbers),
        label=label,
    )
    return blocks_of_codes(candidates_by_name(coded), blocks.systems).key


def _renamed_remarks(remarks: Remarks, labels: Mapping[str, str]) -> Remarks:
    def called(systems: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(labels[name] for name in systems if name in labels))

    return Remarks(
        skips=tuple(replace(each, systems=called(each.systems)) for each in remarks.skips),
        comments=tuple(replace(each, systems=called(each.systems)) for each in remarks.comments),
    )
