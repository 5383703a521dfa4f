"""Counts and correlations to check before trusting a ranking (Bojar et al. 2011).

They include identical texts that were shown as different candidates of one block and ranked
differently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, Int64Array, as_column, share
from ranking.core.counting.counts import Tallies, tally
from ranking.core.diagnosis.correlation import SampledCorrelation, correlation_sampled
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.shares import expected_wins
from ranking.core.scores import values_by_name

#: Key for the blocks without a sole winner.
NOBODY = ""
#: Wins, losses and ties.
Counts = tuple[int, int, int]
#: Confidence of the intervals of correlations.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class CampaignDiagnosis:
    """Counts of a campaign's judgments, and correlations that should be 0.

    The keys of mappings are the names of systems.

    Attributes
    ----------
    systems : tuple of str
    reference : str or None
    blocks, judges, segments : int
    labels, blank_labels : int
        Labels given and labels left blank. A candidate counts once, regardless of the number of
        systems it stands for.
    comparisons, ties : int
        Pairwise comparisons after expansion of collapsed outputs, and tied ones.
    tie_rate : float or None
        ties / comparisons.
    sole_winners : dict of str to int
        Blocks in which only this system has the best label, including blocks in which only this
        system has a label. Under `NOBODY`, "", blocks without such a system: the best label is
        shared or stands for several systems with one text, or no candidate is labelled. They add up
        to `blocks`. (Table 4.)
    pairwise : dict of str to dict of str to (int, int, int)
        ``pairwise[a][b]`` has the wins, losses and ties of a against b, if compared. (Table 6.)
    times_judged : dict of str to int
        Blocks in which the system was shown, labelled or not.
    times_beside_reference : dict of str to int
        Blocks in which the system and the reference were shown; empty without a reference.
    geq_others : dict of str to float or None
        Share of its comparisons, including those with the reference, that the system wins or ties
        ("≥ others").
    tie_rates : dict of str to float or None
        Share of its comparisons that are tied.
    score_by_times_judged : SampledCorrelation
        Correlation of "≥ others" with `times_judged`, over all systems but the reference. (Table
        5.)
    score_by_reference : SampledCorrelation or None
        Correlation of "≥ others" with the share of the system's blocks that show the reference,
        over the same systems (Table 10); None without a reference.
    win_ratios : dict of str to float or None
        Mean, over the other systems except the reference, of the share of decided comparisons that
        a system wins: Expected Wins, best first (Koehn 2012, Figure 1). None, at the end, for
        systems without decided comparisons.
    """

    systems: tuple[str, ...]
    reference: str | None
    blocks: int
    judges: int
    segments: int
    labels: int
    blank_labels: int
    comparisons: int
    ties: int
    tie_rate: float | None
    sole_winners: dict[str, int]
    pairwise: dict[str, dict[str, Counts]]
    times_judged: dict[str, int]
    times_beside_reference: dict[str, int]
    geq_others: dict[str, float | None]
    tie_rates: dict[str, float | None]
    score_by_times_judged: SampledCorrelation
    score_by_reference: SampledCorrelation | None
    win_ratios: dict[str, float | None]


def diagnose_campaign(
    blocks: Blocks,
    *,
    reference: str | None = None,
    decimals: int | None = None,
    also_shown: Mapping[str, Sequence[int]] | None = None,
) -> CampaignDiagnosis:
    """Compute the counts and correlations that Bojar et al. (2011) recommend checking.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set, with the reference if it was shown.
    reference : str or None
        Name of the reference among the systems. It counts like any system, but is excluded from the
        correlations.
    decimals : int or None
        Decimals to which "≥ others" is rounded in the correlations; None for no rounding. The paper
        correlates scores rounded to a tenth of a percent (``decimals=3``), as printed in its Table
        2.
    also_shown : mapping of str to (int, int), optional
        For each system, the number of blocks without any label, which are not in `blocks`, that
        showed it, and that showed it together with the reference. They count in `times_judged` and
        `times_beside_reference`, as in the paper.

    Returns
    -------
    CampaignDiagnosis

    Raises
    ------
    ValueError
        If the reference is not among the systems.

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT.
    """
    if reference is not None and reference not in blocks.systems:
        raise ValueError(f"unknown reference {reference!r}")
    systems = blocks.systems
    tallies = tally(blocks)
    wins = tallies.wins.sum(axis=1)
    losses = tallies.wins.sum(axis=0)
    ties = tallies.ties.sum(axis=1)
    comparisons = wins + losses + ties
    geq_others = share(wins + ties, comparisons)
    rounded = geq_others
    if decimals is not None:
        rounded = np.round(geq_others, decimals)
    tie_rate = None
    if tallies.comparisons:
        tie_rate = tallies.tied / tallies.comparisons
    judged = _times_judged(blocks, also_shown)
    is_correlated = np.array([name != reference for name in systems], dtype=np.bool_)
    times_beside_reference: dict[str, int] = {}
    score_by_reference = None
    others = blocks
    if reference is not None:
        beside = _times_beside(blocks, reference, also_shown)
        times_beside_reference = _count_by_name(systems, beside)
        score_by_reference = correlation_sampled(
            share(beside, judged)[is_correlated],
            rounded[is_correlated],
            confidence=CONFIDENCE,
        )
        others = blocks.without([reference])
    labels, blank_labels = count_labels(blocks)
    return CampaignDiagnosis(
        systems=systems,
        reference=reference,
        blocks=len(blocks),
        judges=len(np.unique(blocks.judge)),
        segments=len(np.unique(blocks.segment)),
        labels=labels,
        blank_labels=blank_labels,
        comparisons=tallies.comparisons,
        ties=tallies.tied,
        tie_rate=tie_rate,
        sole_winners=sole_winners(blocks),
        pairwise=_pairwise(tallies),
        times_judged=_count_by_name(systems, judged),
        times_beside_reference=times_beside_reference,
        geq_others=values_by_name(systems, geq_others),
        tie_rates=values_by_name(systems, share(ties, comparisons)),
        score_by_times_judged=correlation_sampled(
            judged[is_correlated],
            rounded[is_correlated],
            confidence=CONFIDENCE,
        ),
        score_by_reference=score_by_reference,
        win_ratios=win_ratios(others),
    )


def _times_judged(
    blocks: Blocks,
    also_shown: Mapping[str, Sequence[int]] | None,
) -> Int64Array:
    """Return the number of blocks in which each system was shown."""
    times: Int64Array = np.count_nonzero(blocks.candidates >= 0, axis=0)
    if also_shown is None:
        return times
    more = [also_shown.get(name, (0, 0))[0] for name in blocks.systems]
    return times + np.array(more, dtype=np.int64)


def _times_beside(
    blocks: Blocks,
    reference: str,
    also_shown: Mapping[str, Sequence[int]] | None,
) -> Int64Array:
    """Return the number of blocks in which each system was shown together with the reference."""
    is_shown = blocks.candidates >= 0
    shows_reference = is_shown[:, blocks.systems.index(reference)]
    times: Int64Array = np.count_nonzero(is_shown[shows_reference], axis=0)
    if also_shown is None:
        return times
    more = [also_shown.get(name, (0, 0))[1] for name in blocks.systems]
    return times + np.array(more, dtype=np.int64)


def win_ratios(blocks: Blocks) -> dict[str, float | None]:
    """Return the systems' win ratios, best first (Koehn 2012, Figure 1 and §4.3).

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems, without the reference.

    Returns
    -------
    dict of str to float or None
        Expected Wins by system, ties sorted by name; systems without an estimate come last.
    """
    ratio_by_system = expected_wins(tally(blocks).wins).by_system(blocks.systems)
    without_ratio = []
    with_ratio = []
    for system, ratio in ratio_by_system.items():
        if ratio is None:
            without_ratio.append(system)
        else:
            with_ratio.append((-ratio, system))
    order = [system for _ratio, system in sorted(with_ratio)]
    order.extend(sorted(without_ratio))
    return {system: ratio_by_system[system] for system in order}


def sole_winners(blocks: Blocks) -> dict[str, int]:
    """Count the blocks that each system alone won (Bojar et al. 2011, Table 4).

    If only one system of a block is labelled, it has won: of the two possible readings of the
    paper, only this one reproduces all rows of its Table 4.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.

    Returns
    -------
    dict of str to int
        Blocks won by each system and, under `NOBODY`, blocks without a sole winner; they add up to
        B.
    """
    is_labelled = blocks.labels > 0
    worst = np.iinfo(np.int8).max
    label = np.where(is_labelled, blocks.labels, worst)
    best_label = label.min(axis=1, initial=worst)
    is_best = is_labelled & (label == as_column(best_label))
    has_sole_winner = np.count_nonzero(is_best, axis=1) == 1
    won = np.count_nonzero(is_best[has_sole_winner], axis=0)
    winners = _count_by_name(blocks.systems, won)
    winners[NOBODY] = len(blocks) - int(won.sum())
    return winners


def count_labels(blocks: Blocks) -> tuple[int, int]:
    """Return the numbers of labelled candidates and of candidates left blank."""
    labelled = 0
    candidates = 0
    for position in range(blocks.positions):
        is_here = blocks.candidates == position
        is_labelled = is_here & (blocks.labels > 0)
        candidates += int(np.count_nonzero(is_here.any(axis=1)))
        labelled += int(np.count_nonzero(is_labelled.any(axis=1)))
    return labelled, candidates - labelled


def _pairwise(tallies: Tallies) -> dict[str, dict[str, Counts]]:
    wins = tallies.wins.tolist()
    ties = tallies.ties.tolist()
    pairwise: dict[str, dict[str, Counts]] = {}
    for i, system in enumerate(tallies.systems):
        results = {}
        for j, opponent in enumerate(tallies.systems):
            result = (wins[i][j], wins[j][i], ties[i][j])
            if any(result):
                results[opponent] = result
        pairwise[system] = results
    return pairwise


def _count_by_name(
    names: tuple[str, ...],
    counts: npt.NDArray[np.integer],
) -> dict[str, int]:
    return dict(zip(names, counts.tolist(), strict=True))


@dataclass(frozen=True)
class RankedDifferently:
    """Two systems with one text and two labels.

    Attributes
    ----------
    segment : int
    judge : str
    systems : tuple of two str
    labels : tuple of two int
    """

    segment: int
    judge: str
    systems: tuple[str, str]
    labels: tuple[int, int]


@dataclass(frozen=True)
class IdenticalTexts:
    """Comparisons of identical texts.

    Attributes
    ----------
    compared : int
        Pairs of systems with the same text that were shown as two labelled candidates of a block.
    differently : tuple of RankedDifferently
        Pairs that got different labels, sorted by segment, judge, systems and labels.
    """

    compared: int
    differently: tuple[RankedDifferently, ...]


def identical_texts(
    blocks: Blocks,
    texts: Mapping[str, Sequence[str | None]],
) -> IdenticalTexts:
    """Find identical texts that one judge ranked differently (Bojar et al. 2011, Table 9).

    Texts are identical if all their characters are equal. Collapsed outputs are shown once and
    cannot be ranked differently, so a campaign that collapses outputs has no such texts.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    texts : mapping of str to sequence of str or None
        Texts of each system's outputs, with the text of segment number s at index s − 1; None if
        unknown. Systems without texts are ignored.

    Returns
    -------
    IdenticalTexts

    References
    ----------
    O. Bojar et al. (2011), A Grain of Salt for the WMT Manual Evaluation, §2.5.2.
    """
    compared = 0
    ranked_differently: list[RankedDifferently] = []
    for a, b in combinations(range(len(blocks.systems)), 2):
        systems = (blocks.systems[a], blocks.systems[b])
        if systems[0] not in texts or systems[1] not in texts:
            continue
        same = _same(texts[systems[0]], texts[systems[1]])
        has_texts = (blocks.segment >= 1) & (blocks.segment <= len(same))
        rows = np.flatnonzero(blocks.compares(a, b) & has_texts)
        rows = rows[same[blocks.segment[rows] - 1]]
        compared += len(rows)
        for row in rows.tolist():
            labels = (int(blocks.labels[row, a]), int(blocks.labels[row, b]))
            if labels[0] == labels[1]:
                continue
            ranked_differently.append(
                RankedDifferently(
                    segment=int(blocks.segment[row]),
                    judge=blocks.judges[int(blocks.judge[row])],
                    systems=systems,
                    labels=labels,
                ),
            )
    ranked_differently.sort(key=astuple)
    return IdenticalTexts(compared=compared, differently=tuple(ranked_differently))


def _same(one: Sequence[str | None], other: Sequence[str | None]) -> BoolArray:
    same = []
    for text, other_text in zip(one, other, strict=False):
        same.append(text is not None and text == other_text)
    return np.array(same, dtype=np.bool_)
