"""Acceptability of edited outputs, by system: edits in, frozen results out; no Django.

An output that could not be edited is incomprehensible. A percentage of few edits is misleading
(Bojar et al. 2011, §4.1: 3 of 5 next to 5 of 30), so systems with too few edits have neither a
share nor a rank.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from operator import attrgetter
from statistics import mode
from typing import Any, NamedTuple

import numpy as np

from ranking.core.agreement.intervals import left_out_interval
from ranking.core.agreement.statistics import kappa_of
from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.judges.shares import Share, two_way_share
from ranking.core.ranges import Correction, adjusted, clusters, ranges_of_better
from ranking.core.scores import NotEstimable, Scores, shared_ranks


class Outcome(StrEnum):
    """Outcome of an edit."""

    EDITED = "edited"
    UNCHANGED = "unchanged"
    """No corrections were needed."""
    UNABLE = "unable"
    """The output could not be understood, and so not edited."""


class Acceptance(NamedTuple):
    """A judge's answer to whether an edit is acceptable."""

    judge: str
    acceptable: bool


@dataclass(frozen=True)
class Edit:
    """An edit of an output.

    Attributes
    ----------
    segment : int
        Number of the segment in the test set.
    systems : tuple of str
        Systems that wrote the output.
    judge : str
    outcome : Outcome
    acceptances : tuple of Acceptance
        If the editor was unable to correct the output, they are about the unedited output.
    output : str or None
        None if it is unknown.
    text : str or None
        The edited text; None for outputs that were not edited.
    keystrokes, active_ms : int or None
    """

    segment: int
    systems: tuple[str, ...]
    judge: str
    outcome: Outcome
    acceptances: tuple[Acceptance, ...]
    output: str | None = None
    text: str | None = None
    keystrokes: int | None = None
    active_ms: int | None = None

    @property
    def is_unable(self) -> bool:
        """True if the editor was unable to correct the output."""
        return self.outcome is Outcome.UNABLE

    @property
    def votes(self) -> tuple[bool, ...]:
        """Acceptances that count: none for an output that could not be corrected."""
        if self.is_unable:
            return ()
        return tuple(acceptance.acceptable for acceptance in self.acceptances)

    @property
    def is_acceptable(self) -> bool:
        """True if more than half of the acceptors say so."""
        return 2 * sum(self.votes) > len(self.votes)

    @property
    def is_split(self) -> bool:
        """True if exactly half of the acceptors say that it is acceptable."""
        return bool(self.votes) and 2 * sum(self.votes) == len(self.votes)

    @cached_property
    def distance(self) -> int | None:
        """Number of characters changed; None if unknown."""
        result = {Outcome.EDITED: self.text, Outcome.UNCHANGED: self.output}.get(
            self.outcome,
        )
        if self.output is None or result is None:
            return None
        return character_distance(self.output, result)


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


def _code_points(text: str) -> Int64Array:
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
    low, high : float or None
        Ends of the interval of κ, for other acceptors and segments.
    reason : NotEstimable or None
        Why κ is None.
    """

    edits: int
    p_agree: float | None
    p_chance: float | None
    kappa: float | None
    low: float | None = None
    high: float | None = None
    reason: NotEstimable | None = None


def acceptor_agreement(edits: Sequence[Edit]) -> AcceptorAgreement:
    """Measure how far acceptors of the same edit agree; all edits weigh equally."""
    yes, of, segment = _votes(edits)
    if not len(of):
        return AcceptorAgreement(0, None, None, None, reason=NotEstimable.NO_COMPARISON)
    agreeing, accepted = _agreeing_and_accepted(yes, of)
    p_agree, p_chance, kappa = (
        float(value) for value in _kappa(agreeing.mean(), accepted.mean())
    )
    if np.isnan(kappa):
        reason = NotEstimable.CHANCE_IS_CERTAIN
        return AcceptorAgreement(len(of), p_agree, p_chance, None, reason=reason)
    _numbers, segment_index = np.unique(segment, return_inverse=True)
    sums_without = []
    for column in (agreeing, accepted, np.ones(len(of))):
        sums = np.bincount(segment_index, column)
        sums_without.append(sums.sum() - sums)
    names = set()
    for edit in edits:
        for vote in edit.acceptances:
            names.add(vote.judge)
    kappas = []
    for name in sorted(names):
        kappas.append(_kappa_without(edits, name))
    interval = left_out_interval(
        kappa,
        p_chance,
        without_segment=_kappa(
            share(sums_without[0], sums_without[2]),
            share(sums_without[1], sums_without[2]),
        )[2],
        without_judge=np.array(kappas),
    )
    return AcceptorAgreement(
        len(of),
        p_agree,
        p_chance,
        kappa,
        interval.low,
        interval.high,
    )


def _votes(edits: Sequence[Edit]) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return yes, all votes and the segment of the edits with two or more acceptances."""
    rows = []
    for edit in edits:
        if len(edit.votes) > 1:
            rows.append((sum(edit.votes), len(edit.votes), edit.segment))
    yes, of, segment = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return yes, of, segment


def _agreeing_and_accepted(
    yes: Int64Array,
    of: Int64Array,
) -> tuple[FloatArray, FloatArray]:
    """Return the share of agreeing pairs of votes of each edit, and its share of yes."""
    no = of - yes
    return share(yes * (yes - 1) + no * (no - 1), of * (of - 1)), share(yes, of)


def _kappa(p_agree: Any, accepted: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P(A), P(E) and κ; NaN if all votes are the same."""
    p_agree = np.asarray(p_agree)
    accepted = np.asarray(accepted)
    p_chance = accepted**2 + (1 - accepted) ** 2
    return p_agree, p_chance, kappa_of(p_agree, p_chance)


def _kappa_without(edits: Sequence[Edit], name: str) -> float:
    """Return κ without the votes of an acceptor; NaN where no edit has two votes left."""
    rest = []
    for edit in edits:
        rest.append(
            replace(
                edit,
                acceptances=tuple(
                    vote for vote in edit.acceptances if vote.judge != name
                ),
            ),
        )
    yes, of, _segment = _votes(rest)
    if not len(of):
        return float("nan")
    agreeing, accepted = _agreeing_and_accepted(yes, of)
    return float(_kappa(agreeing.mean(), accepted.mean())[2])


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
    edits: Sequence[Edit],
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
    edits : sequence of Edit
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
    commonest = _commonest_number(edits)
    edits_by_system: dict[str, list[Edit]] = defaultdict(list)
    for edit in edits:
        for system in edit.systems:
            edits_by_system[system].append(edit)
    rows = []
    for system, own in sorted(edits_by_system.items()):
        decided = [edit for edit in own if edit.is_unable or edit.votes]
        share = None
        if len(decided) >= fewest:
            share = _share(decided, counting, commonest, confidence)
        rows.append(_system_row(system, own, decided, share, fewest))
    pairs = _pairs(rows)
    return Acceptability(
        systems=_rank_systems(rows, pairs, counting, level=round(1 - confidence, 12)),
        pairs=pairs,
        number=_number(rows),
        acceptors=acceptor_agreement(edits),
        fewest=fewest,
        counting=counting,
        confidence=confidence,
    )


def _commonest_number(edits: Sequence[Edit]) -> int:
    """Return the commonest number of acceptances of an edit, the lowest of several."""
    numbers = sorted(len(edit.votes) for edit in edits if edit.votes)
    if not numbers:
        return 1
    return mode(numbers)


def _system_row(
    system: str,
    own: Sequence[Edit],
    decided: Sequence[Edit],
    share: Share | None,
    fewest: int,
) -> EditedSystem:
    """Return the row of a system, not ranked yet."""
    of_outcome = Counter(edit.outcome for edit in own)
    times = [edit.active_ms for edit in own if edit.active_ms is not None]
    distance = 0
    length = 0
    for edit in own:
        if edit.output and edit.distance is not None:
            distance += edit.distance
            length += len(edit.output)
    by_outcome = {}
    for outcome in Outcome:
        of_it = [edit.is_acceptable for edit in decided if edit.outcome is outcome]
        by_outcome[outcome.value] = (sum(of_it), len(of_it))
    unchanged = of_outcome[Outcome.UNCHANGED]
    share_unchanged = None
    if len(own) >= fewest:
        share_unchanged = unchanged / len(own)
    characters = None
    if length:
        characters = 100 * distance / length
    median_seconds = None
    if times:
        median_seconds = float(np.median(times)) / 1000
    return EditedSystem(
        system=system,
        edits=len(own),
        edited=of_outcome[Outcome.EDITED],
        unchanged=unchanged,
        unable=of_outcome[Outcome.UNABLE],
        open=len(own) - len(decided),
        decided=len(decided),
        acceptable=sum(edit.is_acceptable for edit in decided),
        split=sum(edit.is_split for edit in decided),
        by_outcome=by_outcome,
        share=share,
        share_unchanged=share_unchanged,
        characters=characters,
        median_seconds=median_seconds,
    )


def _share(
    decided: Sequence[Edit],
    counting: Counting,
    commonest: int,
    confidence: float,
) -> Share:
    """Return the share of edits, or of acceptances, in clusters of segments and of editors."""
    counted = []
    for edit in decided:
        if counting is Counting.MAJORITY:
            counted.append((int(edit.is_acceptable), 1))
        else:
            counted.append((sum(edit.votes), len(edit.votes) or commonest))
    successes, trials = np.array(counted, dtype=np.int64).T
    _names, editor = np.unique([edit.judge for edit in decided], return_inverse=True)
    segment = np.array([edit.segment for edit in decided], dtype=np.int64)
    return two_way_share(
        successes,
        trials,
        segment=segment,
        judge=editor,
        confidence=confidence,
    )


def _pairs(rows: list[EditedSystem]) -> tuple[EditedPair, ...]:
    compared = []
    for pair in combinations(rows, 2):
        if min(row.decided for row in pair):
            compared.append(pair)
    pairs = []
    for one, other in compared:
        p_value = None
        if min(one.decided, other.decided) >= FEWEST_TESTED:
            p_value = fisher_p(*_counts(one, other))
        pairs.append(
            EditedPair(
                first=one.system,
                second=other.system,
                counts=_counts(one, other),
                p_value=p_value,
            ),
        )
    # Testing systems that get no rank would only make the others harder to tell apart.
    tested = {}
    for index, (one, other) in enumerate(compared):
        if one.share and other.share and pairs[index].p_value is not None:
            tested[index] = pairs[index].p_value
    corrected = adjusted(
        np.array([*tested.values()], dtype=np.float64),
        Correction.HOLM,
    )
    for index, p in zip(tested, corrected.tolist(), strict=True):
        pairs[index] = replace(pairs[index], adjusted_p=p)
    return tuple(pairs)


def _counts(one: EditedSystem, other: EditedSystem) -> tuple[int, int, int, int]:
    return one.acceptable, one.decided, other.acceptable, other.decided


def fisher_p(acceptable: int, of: int, other_acceptable: int, other_of: int) -> float:
    """Return the two-sided p-value of Fisher's exact test of two shares."""
    from scipy.stats import fisher_exact  # a fifth of Django's start-up time

    table = np.array(
        [
            [acceptable, of - acceptable],
            [other_acceptable, other_of - other_acceptable],
        ],
    )
    return float(fisher_exact(table).pvalue)


def _rank_systems(
    rows: list[EditedSystem],
    pairs: tuple[EditedPair, ...],
    counting: Counting,
    *,
    level: float,
) -> tuple[EditedSystem, ...]:
    """Order systems by their shares, with rank ranges if the shares are tested."""
    shares = {}
    for row in rows:
        if row.share is not None and row.share.value is not None:
            shares[row.system] = row.share.value
    order = sorted(shares, key=lambda name: (-shares[name], name))
    better = np.zeros((len(order), len(order)), dtype=np.bool_)
    for pair in pairs:
        if pair.adjusted_p is not None and pair.adjusted_p <= level:
            places = order.index(pair.first), order.index(pair.second)
            is_first = pair.counts[0] * pair.counts[3] > pair.counts[2] * pair.counts[1]
            better[places if is_first else places[::-1]] = True
    values = np.array([shares[name] for name in order])
    ranks, _last = shared_ranks(Scores(values, np.ones(len(order), dtype=np.bool_)))
    columns: dict[str, Any] = {"rank": ranks.tolist()}
    if counting is Counting.MAJORITY:
        ranges = ranges_of_better(better)
        columns |= {"rank_low": ranges.low.tolist(), "rank_high": ranges.high.tolist()}
        columns["cluster"] = clusters(ranges).tolist()
    of_system = {row.system: row for row in rows}
    ranked = []
    for index, name in enumerate(order):
        ranked.append(
            replace(
                of_system[name],
                **{key: column[index] for key, column in columns.items()},
            ),
        )
    unranked = []
    for row in rows:
        if row.system not in shares:
            unranked.append(row)
    return (
        *ranked,
        *sorted(unranked, key=attrgetter("system")),
    )


def _number(rows: list[EditedSystem]) -> NumberOfEdits:
    numbers = np.array([row.edits for row in rows] or [0])
    deviation = None
    if len(numbers) > 1:
        deviation = float(numbers.std(ddof=1))
    return NumberOfEdits(
        least=int(numbers.min()),
        mean=float(numbers.mean()),
        deviation=deviation,
        most=int(numbers.max()),
    )
