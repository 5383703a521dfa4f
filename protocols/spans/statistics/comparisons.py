"""Comparisons implied by scores: judged blocks of outputs shown side by side, for every ranking method."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal

import numpy as np

from protocols.spans.records import ScoredJudgment
from protocols.spans.statistics.columns import OutputScore, scores_of
from protocols.spans.weights import Weights
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

#: Scores to compare: those on one screen, or all by one judge for outputs of one segment.
Compared = Literal["screen", "judge"]

_NOTHING_COMPARED: Final = {
    "screen": "no two scored outputs were shown side by side",
    "judge": "no judge scored two outputs of one segment",
}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A text with its score; one in a file without texts equals no other."""

    text: object
    score: float


#: The candidate of each system.
_Candidates = Mapping[str, _Candidate]


def blocks_of_scores(
    judgments: Sequence[ScoredJudgment],
    *,
    weights: Weights | None = None,
    compared: Compared = "screen",
) -> Blocks:
    """Return the comparisons that scores imply: the higher score is better, equal ones tie.

    Only the order of the scores within a block is used, so that judges' different uses of the scale
    do not matter. Identical outputs with the same score are one candidate, as in the five-way
    ranking.

    Parameters
    ----------
    judgments : sequence of ScoredJudgment
        Judgments of one test set.
    weights : Weights, optional
        Weights of errors, for scores derived from them.
    compared : "screen" or "judge"
        "screen": outputs shown side by side, with a block for each screen (contrastive ESA).
        "judge": all outputs of a segment scored by a judge at any time (ESA), with a block for each
        pair of scores, because a block has five ranks and a judge may have scored more outputs. If
        a judge scored a system several times, the last score counts. Systems that wrote the same
        text are not compared: they are one candidate if the judge gave them the same score.

    Returns
    -------
    Blocks
        Segments are numbered from 1 in the order of (document, segment); documents are set if two
        or more are named.

    Raises
    ------
    ValueError
        If no two scores can be compared.
    """
    scores = scores_of(judgments, weights)
    rows = list(
        _blocks_by_screen(scores) if compared == "screen" else _blocks_by_judge(scores),
    )
    if not rows:
        raise ValueError(_NOTHING_COMPARED[compared])
    systems: set[str] = set()
    for judgment in judgments:
        for output in judgment.outputs:
            systems.update(output.systems)
    blocks = blocks_from_rows(rows, systems)
    names = sorted({(judgment.document, judgment.segment) for judgment in judgments})
    of_segments = [document for document, _segment in names]
    documents, document = np.unique(of_segments, return_inverse=True)
    if len(documents) < 2 or "" in documents:
        return blocks
    return replace(blocks, document=document.astype(np.int32)[blocks.segment - 1])


def _blocks_by_screen(scores: Sequence[OutputScore]) -> Iterator[BlockRow]:
    screens: dict[tuple[int, int, str], dict[str, _Candidate]] = defaultdict(dict)
    for score in scores:
        screen = (score.screen, score.segment, score.judgment.judge)
        screens[screen].update(_candidates(score))
    for (_screen, segment, judge), of_screen in screens.items():
        together = _together(of_screen)
        if len(together) > 1:
            yield _block(judge, segment, together)


def _blocks_by_judge(scores: Sequence[OutputScore]) -> Iterator[BlockRow]:
    of_judge: dict[tuple[str, int], dict[str, _Candidate]] = defaultdict(dict)
    for score in scores:
        of_judge[score.judgment.judge, score.segment].update(_candidates(score))
    for (judge, segment), candidates in sorted(of_judge.items()):
        together = _together(dict(sorted(candidates.items())))
        for one, other in combinations(together, 2):
            if one.text != other.text:
                yield _block(
                    judge,
                    segment,
                    {one: together[one], other: together[other]},
                )


def _candidates(score: OutputScore) -> _Candidates:
    """Return the candidate of each system that wrote an output."""
    text: object = score.output.text
    if text is None:
        text = (score.screen, score.output.systems)
    return dict.fromkeys(score.output.systems, _Candidate(text, score.score))


def _together(candidates: _Candidates) -> dict[_Candidate, list[str]]:
    """Return the systems of each candidate; those with the same text and score cannot be compared."""
    systems: dict[_Candidate, list[str]] = defaultdict(list)
    for system, candidate in candidates.items():
        systems[candidate].append(system)
    return systems


def _block(
    judge: str,
    segment: int,
    systems: Mapping[_Candidate, list[str]],
) -> BlockRow:
    order = sorted({candidate.score for candidate in systems}, reverse=True)
    labels = []
    for candidate in systems:
        labels.append(order.index(candidate.score) + 1)
    return BlockRow(
        judge=judge,
        segment=segment + 1,
        candidates=list(systems.values()),
        labels=labels,
    )
