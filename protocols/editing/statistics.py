"""Acceptability of edited outputs, by system: arrays in, frozen results out; no Django.

An output that could not be edited is incomprehensible. A percentage of few edits is misleading
(Bojar et al. 2011, §4.1: 3 of 5 next to 5 of 30), so systems with too few edits have neither a
share nor a rank.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, Int64Array
from ranking.core.judges.shares import Share, two_way_share
from ranking.core.ranges import Correction, RankRanges, adjusted, clusters
from ranking.core.scores import Scores, shared_ranks


class Outcome(StrEnum):
    """Outcome of an edit."""

    EDITED = "edited"
    UNCHANGED = "unchanged"
    """No corrections were needed."""
    UNABLE = "unable"
    """The output could not be understood, and so not edited."""


OUTCOMES = tuple(Outcome)


@dataclass(frozen=True, eq=False)
class Edits:
    """E edits of outputs of K systems.

    Attributes
    ----------
    systems : tuple of str, length K
    wrote : bool, shape (E, K)
        Which systems wrote the output.
    segment : int64, shape (E,)
        Number of the segment, from 1.
    editor : int64, shape (E,)
        Number of the person who edited it.
    outcome : int64, shape (E,)
        Place in `OUTCOMES`.
    accepted, acceptances : int64, shape (E,)
        Acceptors who said yes, and all acceptors; 0 if the editor was unable to edit.
    distance : int64, shape (E,)
        Characters changed; -1 if the output is unknown or the editor was unable to edit.
    length : int64, shape (E,)
        Characters of the output; -1 if it is unknown.
    active_ms : int64, shape (E,)
        The editor's active time; -1 if it is unknown.
    """

    systems: tuple[str, ...]
    wrote: BoolArray
    segment: Int64Array
    editor: Int64Array
    outcome: Int64Array
    accepted: Int64Array
    acceptances: Int64Array
    distance: Int64Array
    length: Int64Array
    active_ms: Int64Array


def character_distance(output: str, edit: str) -> int:
    """Return the smallest number of insertions, deletions and replacements that turn one text into
    the other.

    Parameters
    ----------
    output, edit : str
        Compared without normalisation: different Unicode encodings of a text differ.

    Returns
    -------
    int

    References
    ----------
    V. I. Levenshtein (1966), Binary Codes Capable of Correcting Deletions, Insertions, and Reversals,
    Soviet Physics Doklady 10.
    """
    columns = _code_points(edit)
    steps = np.arange(len(columns) + 1)
    row = steps
    for number, character in enumerate(_code_points(output).tolist(), 1):
        best = np.empty_like(row)
        best[0] = number
        best[1:] = np.minimum(row[1:] + 1, row[:-1] + (columns != character))
        # An insertion costs one step from the left, so each cell is at most its left neighbour plus
        # one.
        row = np.minimum.accumulate(best - steps) + steps
    return int(row[-1])


def _code_points(text: str) -> npt.NDArray[np.int64]:
    return np.array([ord(character) for character in text], dtype=np.int64)


@dataclass(frozen=True)
class AcceptorAgreement:
    """Agreement of the acceptors of one edit: Fleiss' κ of yes and no.

    Attributes
    ----------
    edits : int
        Edits with two or more acceptances.
    p_agree, p_chance, kappa : float or None
        None without such edits; κ is also None if all answers are the same.
    """

    edits: int
    p_agree: float | None
    p_chance: float | None
    kappa: float | None


def acceptor_agreement(edits: Edits) -> AcceptorAgreement:
    """Measure how far acceptors of the same edit agree; all edits weigh equally."""
    several = edits.acceptances > 1
    yes, of = edits.accepted[several], edits.acceptances[several]
    if not len(of):
        return AcceptorAgreement(0, None, None, None)
    no = of - yes
    agreeing = float(np.mean((yes * (yes - 1) + no * (no - 1)) / (of * (of - 1))))
    accepted = float(np.mean(yes / of))
    chance = accepted**2 + (1 - accepted) ** 2
    kappa = (agreeing - chance) / (1 - chance) if 0 < accepted < 1 else None
    return AcceptorAgreement(len(of), agreeing, chance, kappa)


#: Systems with fewer edits have no percentage and no rank.
FEWEST_EDITS = 20
#: A single edit is not tested: it could not be significant, whatever the other system's edits are.
FEWEST_TESTED = 2


class Counting(StrEnum):
    """Rule for several acceptances of one edit."""

    MAJORITY = "majority"
    """An edit is acceptable if more than half of its acceptors say so; half is not enough."""

    MEAN = "mean"
    """Each acceptance counts by itself; an output that was impossible to edit counts as if the commonest number
    of acceptors had rejected it."""


@dataclass(frozen=True)
class EditedSystem:
    """Acceptability of the edits of one system.

    Attributes
    ----------
    system : str
    edits : int
        Edits with any outcome.
    edited, unchanged, unable : int
        By outcome.
    open : int
        Edits not accepted or rejected yet; included in `edits` but not in `decided`.
    decided : int
        n: the number of edits that acceptability is computed from.
    acceptable : int
        Decided edits that most of their acceptors accept.
    split : int
        Decided edits that exactly half of their acceptors accept: not acceptable by majority.
    by_outcome : dict of str to (int, int)
        Acceptable and decided edits of each outcome.
    share : Share or None
        Acceptability with its interval; None below the fewest edits.
    share_unchanged : float or None
        Share of all edits that needed no corrections; None below the fewest edits.
    characters : float or None
        Characters changed per 100 characters of the outputs, where both texts are known.
    median_seconds : float or None
        Median of the editors' active time.
    rank, rank_low, rank_high, cluster : int or None
        Among the systems with a share; systems with equal shares share the best of their ranks. If
        each acceptance counts, only `rank` is set, because the tests are of majorities.
    """

    system: str
    edits: int
    edited: int
    unchanged: int
    unable: int
    open: int
    decided: int
    acceptable: int
    split: int
    by_outcome: dict[str, tuple[int, int]]
    share: Share | None
    share_unchanged: float | None
    characters: float | None
    median_seconds: float | None
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    cluster: int | None = None


@dataclass(frozen=True)
class EditedPair:
    """Fisher's exact test of the acceptable edits of two systems.

    Attributes
    ----------
    first, second : str
    counts : (int, int, int, int)
        Acceptable and decided edits of the first, and of the second.
    p_value : float or None
        Two-sided; treats edits as independent. None if either system has fewer than two decided
        edits.
    adjusted_p : float or None
        Corrected by Holm's method for pairs of systems with a share; None for other pairs.
    """

    first: str
    second: str
    counts: tuple[int, int, int, int]
    p_value: float | None
    adjusted_p: float | None = None


@dataclass(frozen=True)
class NumberOfEdits:
    """Edits per system (Table 11 of Bojar et al. 2011): fewest, mean ± standard deviation (n − 1), most."""

    least: int
    mean: float
    deviation: float | None
    most: int


@dataclass(frozen=True)
class Acceptability:
    """Acceptability of systems, computed from edits.

    Attributes
    ----------
    systems : tuple of EditedSystem
        Ranked systems, best first, then the others by name.
    pairs : tuple of EditedPair
    number : NumberOfEdits
    acceptors : AcceptorAgreement
    fewest : int
    counting : Counting
    confidence : float
    """

    systems: tuple[EditedSystem, ...]
    pairs: tuple[EditedPair, ...]
    number: NumberOfEdits
    acceptors: AcceptorAgreement
    fewest: int
    counting: Counting
    confidence: float


def acceptability(
    edits: Edits,
    *,
    fewest: int = FEWEST_EDITS,
    counting: Counting = Counting.MAJORITY,
    confidence: float = 0.95,
) -> Acceptability:
    """Compare systems by the share of their outputs that could be made acceptable.

    Intervals are Clopper–Pearson with the effective number of edits, because edits of one segment
    are correlated, as are those by one editor (`ranking.core.judges.shares`). They do not include
    differences between acceptors. Rank ranges count the systems that are significantly better or
    worse by Fisher's exact test of majorities, with Holm's correction over the pairs of systems
    with a share.

    Parameters
    ----------
    edits : Edits
    fewest : int
        At least 1. Systems with fewer decided edits get only counts, without a percentage or a
        rank.
    counting : Counting
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Acceptability

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. F. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, §4.1.
    R. A. Fisher (1935), The Logic of Inductive Inference, JRSS 98.
    """
    rows = [
        _counted(edits, place, fewest, counting, confidence)
        for place in range(len(edits.systems))
        if edits.wrote[:, place].any()
    ]
    pairs = _pairs(rows)
    return Acceptability(
        systems=_ranked(rows, pairs, counting, level=round(1 - confidence, 12)),
        pairs=pairs,
        number=_number(rows),
        acceptors=acceptor_agreement(edits),
        fewest=fewest,
        counting=counting,
        confidence=confidence,
    )


def _counted(
    edits: Edits, place: int, fewest: int, counting: Counting, confidence: float
) -> EditedSystem:
    """Return the row of a system, not ranked yet."""
    own = edits.wrote[:, place]
    unable = edits.outcome == OUTCOMES.index(Outcome.UNABLE)
    decided = own & (unable | (edits.acceptances > 0))
    acceptable = decided & (2 * edits.accepted > edits.acceptances)
    enough = int(decided.sum()) >= fewest
    of_outcome = [edits.outcome == number for number in range(len(OUTCOMES))]
    edited, unchanged, failed = (int((own & each).sum()) for each in of_outcome)
    times = edits.active_ms[own & (edits.active_ms >= 0)]
    known = own & (edits.distance >= 0) & (edits.length > 0)
    length = int(edits.length[known].sum())
    return EditedSystem(
        system=edits.systems[place],
        edits=int(own.sum()),
        edited=edited,
        unchanged=unchanged,
        unable=failed,
        open=int((own & ~decided).sum()),
        decided=int(decided.sum()),
        acceptable=int(acceptable.sum()),
        split=int((decided & ~unable & (2 * edits.accepted == edits.acceptances)).sum()),
        by_outcome={
            outcome.value: (int((acceptable & of).sum()), int((decided & of).sum()))
            for outcome, of in zip(OUTCOMES, of_outcome, strict=True)
        },
        share=_share(edits, decided, acceptable, counting, confidence) if enough else None,
        share_unchanged=unchanged / int(own.sum()) if own.sum() >= fewest else None,
        characters=100 * int(edits.distance[known].sum()) / length if length else None,
        median_seconds=float(np.median(times)) / 1000 if len(times) else None,
    )


def _share(
    edits: Edits,
    decided: BoolArray,
    acceptable: BoolArray,
    counting: Counting,
    confidence: float,
) -> Share:
    """Return the share of edits, or of acceptances, in clusters of segments and of editors."""
    if counting is Counting.MAJORITY:
        successes, trials = acceptable.astype(np.int64), decided.astype(np.int64)
    else:
        given = edits.acceptances[edits.acceptances > 0]
        common = int(np.bincount(given).argmax()) if len(given) else 1
        successes = np.where(decided, edits.accepted, 0)
        trials = np.where(decided, np.where(edits.acceptances > 0, edits.acceptances, common), 0)
    return two_way_share(
        successes, trials, segment=edits.segment, judge=edits.editor, confidence=confidence
    )


def _pairs(rows: list[EditedSystem]) -> tuple[EditedPair, ...]:
    compared = [pair for pair in combinations(rows, 2) if min(each.decided for each in pair)]
    pairs = [
        EditedPair(
            first=one.system,
            second=other.system,
            counts=_counts(one, other),
            p_value=fisher_p(*_counts(one, other))
            if min(one.decided, other.decided) >= FEWEST_TESTED
            else None,
        )
        for one, other in compared
    ]
    # Testing systems that get no rank would only make the others harder to tell apart.
    tested = {
        place: pairs[place].p_value
        for place, (one, other) in enumerate(compared)
        if one.share and other.share and pairs[place].p_value is not None
    }
    corrected = adjusted(np.array([*tested.values()], dtype=np.float64), Correction.HOLM)
    for place, p in zip(tested, corrected.tolist(), strict=True):
        pairs[place] = replace(pairs[place], adjusted_p=p)
    return tuple(pairs)


def _counts(one: EditedSystem, other: EditedSystem) -> tuple[int, int, int, int]:
    return one.acceptable, one.decided, other.acceptable, other.decided


def fisher_p(acceptable: int, of: int, other_acceptable: int, other_of: int) -> float:
    """Return the two-sided p-value of Fisher's exact test of two shares."""
    from scipy.stats import fisher_exact  # a fifth of Django's start-up time

    table = np.array(
        [[acceptable, of - acceptable], [other_acceptable, other_of - other_acceptable]]
    )
    return float(fisher_exact(table).pvalue)


def _ranked(
    rows: list[EditedSystem], pairs: tuple[EditedPair, ...], counting: Counting, *, level: float
) -> tuple[EditedSystem, ...]:
    """Order systems by their shares, with rank ranges if the shares are tested."""
    shares = {
        row.system: row.share.value
        for row in rows
        if row.share is not None and row.share.value is not None
    }
    order = sorted(shares, key=lambda name: (-shares[name], name))
    above, below = Counter[str](), Counter[str]()
    for pair in pairs:
        if pair.adjusted_p is not None and pair.adjusted_p <= level:
            first = pair.counts[0] * pair.counts[3] > pair.counts[2] * pair.counts[1]
            better, worse = (pair.first, pair.second) if first else (pair.second, pair.first)
            above[worse] += 1
            below[better] += 1
    low = np.array([1 + above[name] for name in order], dtype=np.int64)
    high = np.array([len(order) - below[name] for name in order], dtype=np.int64)
    values = np.array([shares[name] for name in order])
    ranks, _last = shared_ranks(Scores(values, np.ones(len(order), dtype=np.bool_)))
    places: dict[str, Any] = {"rank": ranks.tolist()}
    if counting is Counting.MAJORITY:
        cluster = clusters(RankRanges(low=low, high=high)).tolist()
        places |= {"rank_low": low.tolist(), "rank_high": high.tolist(), "cluster": cluster}
    of_system = {row.system: row for row in rows}
    ranked = [
        replace(of_system[name], **{key: each[place] for key, each in places.items()})
        for place, name in enumerate(order)
    ]
    return (*ranked, *sorted((r for r in rows if r.system not in shares), key=lambda r: r.system))


def _number(rows: list[EditedSystem]) -> NumberOfEdits:
    numbers = np.array([row.edits for row in rows] or [0])
    return NumberOfEdits(
        least=int(numbers.min()),
        mean=float(numbers.mean()),
        deviation=float(numbers.std(ddof=1)) if len(numbers) > 1 else None,
        most=int(numbers.max()),
    )
