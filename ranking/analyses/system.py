"""Look at one system: won and lost by opponent and by part, and the sentences that show it most clearly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.diagnosis.one_system import (
    clear_segments,
    length_trend,
    outcomes_of,
    share_won,
)
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.shares import expected_wins
from ranking.core.rankings.rank import compared_groups
from ranking.core.scores import ordinal_ranks
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.system import LENGTHS, PartWon, SystemFound, system_report

SYSTEM = Option(
    name="system",
    label=gettext_lazy("System"),
    default="",
    help=gettext_lazy("By name. If none is named: the first by Expected Wins."),
)
#: Of the sentences where it lost, and where it won, most clearly.
MOST_SEGMENTS = 10


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> SystemFound:
    blocks, name = given.blocks, options[SYSTEM.name]
    order = _order(given)
    if name and name not in blocks.systems:
        raise ValueError(
            _("No judgment that counts here is of a system called %(name)s.") % {"name": name}
        )
    name = name or order[0]
    outcomes = outcomes_of(blocks, blocks.systems.index(name))
    if not len(outcomes.blocks):
        raise ValueError(
            _("No judgment that counts here is of a system called %(name)s.") % {"name": name}
        )
    confidence = options["confidence"]
    told = begin(_("Counting"))
    words = None if given.texts is None else given.texts.words()
    document = outcomes.blocks.document
    parts: dict[str, Sequence[_Part]] = {
        "lengths": [] if words is None else by_length(words[outcomes.blocks.segment]),
        "documents": [] if document is None else by_number(document, given.documents),
        "domains": [] if document is None else _by_domain(document, given.documents),
        "groups": _by_group(outcomes.blocks, given.groups or {}),
    }
    groups = compared_groups(given.tallies)
    # Nothing compares it with systems of other groups.
    elsewhere = {
        blocks.systems[index]
        for group in groups
        if blocks.systems.index(name) not in group
        for index in group.tolist()
    }
    opponents = [each for each in order if each != name and each not in elsewhere]
    to_do = sum(map(len, parts.values())) + len(opponents)
    done = 0

    def counted(part: str, **how: Any) -> PartWon:
        nonlocal done
        found = PartWon(part, share_won(outcomes, confidence=confidence, **how))
        done += 1
        told(done, to_do)
        return found

    return SystemFound(
        system=name,
        blocks=len(outcomes.blocks),
        judges=len(np.unique(outcomes.blocks.judge)),
        segments=len(np.unique(outcomes.blocks.segment)),
        whole=share_won(outcomes, confidence=confidence),
        opponents=[counted(each, opponent=blocks.systems.index(each)) for each in opponents],
        parts={
            kind: [counted(part, rows=rows) for part, rows in each] for kind, each in parts.items()
        },
        trend=None if words is None else length_trend(outcomes, words),
        clear=clear_segments(outcomes, most=MOST_SEGMENTS),
        confidence=confidence,
    )


#: A name, and the rows: a mask, or their indices.
_Part = tuple[str, npt.NDArray[np.generic]]


def _order(given: Input) -> list[str]:
    """Return the systems by Expected Wins, then those without a score by name."""
    ranks = ordinal_ranks(expected_wins(given.tallies.wins))
    systems = given.tallies.systems
    places = sorted(range(len(systems)), key=lambda i: (ranks[i] == 0, int(ranks[i]), systems[i]))
    return [systems[index] for index in places]


def by_length(words: npt.NDArray[np.int64]) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    """Return the rows of each range of lengths that there is, by its name; `words` are those of each row."""
    found = [
        (
            f"{shortest}–{longest}" if longest else f"{shortest}+",
            (words >= shortest) & (words <= (longest or np.inf)),
        )
        for shortest, longest in LENGTHS
    ]
    return [(part, rows) for part, rows in found if rows.any()]


def by_number(
    number: npt.NDArray[np.integer], names: Sequence[str]
) -> list[tuple[str, npt.NDArray[np.int64]]]:
    """Return the indices of the rows of each number that there is, by its name, in their order.

    All are views of one array: masks would take as many bytes as there are rows times numbers.
    """
    order = np.argsort(number, kind="stable").astype(np.int64, copy=False)
    present = np.unique(number)
    begins = np.searchsorted(number[order], present[1:])
    rows = np.split(order, begins)
    return [(names[each], rows[place]) for place, each in enumerate(present.tolist())]


def _by_domain(document: npt.NDArray[np.int32], names: Sequence[str]) -> Sequence[_Part]:
    """Return the blocks of each domain, which is what stands before “/” in the names of documents."""
    of_document = [name.partition("/")[0] if "/" in name else "" for name in names]
    domains, number = np.unique(of_document, return_inverse=True)
    found = by_number(number[document], domains.tolist())
    return found if len(found) > 1 else []


def _by_group(blocks: Blocks, groups: Mapping[str, Sequence[str]]) -> Sequence[_Part]:
    """Return the blocks by the judges of each group, and by those of none, as ""."""
    found: list[_Part] = []
    grouped = np.zeros(len(blocks), dtype=np.bool_)
    for name, members in groups.items():
        among = set(members)
        rows = np.array([judge in among for judge in blocks.judges], dtype=np.bool_)[blocks.judge]
        grouped |= rows
        if rows.any():
            found.append((name, rows))
    if found and not grouped.all():
        found.append(("", ~grouped))
    return found


def _tell(given: Input, options: Mapping[str, Any], found: SystemFound) -> Report:
    del options
    return system_report(given, found)


ONE_SYSTEM = AnalysisKind(
    name="system",
    title=gettext_lazy("One system"),
    question=gettext_lazy(
        "Where does a system win and lose: against whom, in which sentences and documents, and with which judges?"
    ),
    options=(SYSTEM, CONFIDENCE),
    find=_find,
    tell=_tell,
)
