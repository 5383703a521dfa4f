"""Attention checks of outputs that are scored one at a time: a damaged text beside others of the same HIT.

Where a block shows one output there is nothing to compare it with in the block. WMT plants damaged copies among the items of
a judge and looks whether they get lower scores (Graham et al. 2013; Kocmi et al. 2024). Here nobody meets a sentence twice,
so a damaged text is set beside outputs of other sentences which the same judge scored next to it, of other systems each. That
is a block of up to five outputs, ranked by their scores. Of who scores without reading, each of them is as likely to be the
lowest, so the measures of attention checks and their exact test hold as they are.

References
----------
Y. Graham, T. Baldwin, A. Moffat, J. Zobel (2013), Continuous Measurement Scales in Human Evaluation of Machine Translation.
T. Kocmi et al. (2024), Error Span Annotation: A Balanced Approach for Human Evaluation of Machine Translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ranking.core.judged.blocks import MAX_LABEL, BlockRow, blocks_from_rows
from ranking.core.judges.tallies import JudgeTallies, tally_damaged

# No system of a test set has this name.
_DAMAGED = ""


@dataclass(frozen=True, slots=True)
class ScoredOutput:
    """An output that a judge scored.

    Attributes
    ----------
    systems : sequence of str
        Those that wrote it.
    score : float
        More is better.
    """

    systems: Sequence[str]
    score: float


@dataclass(frozen=True, slots=True)
class ScoredCheck:
    """A damaged text that a judge scored.

    Attributes
    ----------
    judge : str
    segment : int
    score : float
        More is better.
    others : sequence of ScoredOutput
        What the judge scored in the same HIT, the nearest first.
    """

    judge: str
    segment: int
    score: float
    others: Sequence[ScoredOutput]


def tally_scored_checks(checks: Iterable[ScoredCheck]) -> JudgeTallies:
    """Tally checks for the measures of their judges; those with nothing beside them tell nothing."""
    rows = [_row(check) for check in checks]
    systems = {name for row in rows for names in row.candidates for name in names}
    if not systems:
        return JudgeTallies()
    return tally_damaged(blocks_from_rows(rows, systems), _DAMAGED)


def _row(check: ScoredCheck) -> BlockRow:
    beside = _beside(check.others)
    scores = [check.score, *(each.score for each in beside)]
    rank_of = {score: rank for rank, score in enumerate(sorted(set(scores), reverse=True), start=1)}
    return BlockRow(
        judge=check.judge,
        segment=check.segment,
        candidates=[[_DAMAGED], *(each.systems for each in beside)],
        labels=[rank_of[score] for score in scores],
    )


def _beside(others: Sequence[ScoredOutput]) -> list[ScoredOutput]:
    """Return the nearest outputs of which no two are of one system, as many as a block holds."""
    seen: set[str] = set()
    found: list[ScoredOutput] = []
    for each in others:
        if len(found) < MAX_LABEL - 1 and seen.isdisjoint(each.systems):
            found.append(each)
            seen.update(each.systems)
    return found
