"""Tests of whether a judge reads or clicks: preference for the reference, straight-lining, and
evidence over time.

The exact tests compare a judge with one who clicks at random, given the labels used in each block.
Straight-lining (the same label throughout, or labels in display order) is a form of what survey
methodology calls satisficing (Krosnick 1991).

The null hypothesis of `ClickingEvidence` is that the judge reads. For each block, the likelihood of
the labels under clicking is divided by that under reading; the product of these ratios is an
*e-value*. For a judge who reads, the probability that it ever exceeds x is at most 1 / x (Ville
1939), so it may be examined after every block, and divided by the number of judges.
"""

from dataclasses import dataclass
from math import exp, factorial, fsum, log

import numpy as np
from scipy.special import bdtrc

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column
from ranking.core.grouping import sums_by_group
from ranking.core.judged.blocks import MAX_LABEL
from ranking.core.judges.patterns import COUNT_BITS, KeyedSums, Patterns
from ranking.core.judges.shares import Share, shares_of_sums

#: The probability that a sum of trials with ranges r exceeds its mean by √(Σ r² / 2) times this is
#: below 1e-18 (Hoeffding 1963).
_HOEFFDING = float(np.sqrt(np.log(2e18)))


def tail_of_sum(
    values: Int64Array,
    shares: FloatArray,
    trials: Int64Array,
    at_least: int,
) -> float:
    """Return the probability that independent trials sum to at least a given number.

    The distribution of the sum is computed as a product of discrete Fourier transforms. Only likely
    sums are distinguished: all others together have a probability below 1e-18.

    Parameters
    ----------
    values : int64, shape (K, V)
        The V possible outcomes of each kind of trial.
    shares : float64, shape (K, V)
        Their probabilities; 0 for outcomes that are not possible.
    trials : int64, shape (K,)
        Number of trials of each kind.
    at_least : int

    Returns
    -------
    float
        With an absolute error below 1e-9 for a hundred thousand trials.

    References
    ----------
    W. Hoeffding (1963), Probability Inequalities for Sums of Bounded Random Variables, JASA 58.
    """
    possible = shares > 0
    limits = np.iinfo(np.int64)
    smallest = np.min(values, axis=1, where=possible, initial=limits.max)
    largest = np.max(values, axis=1, where=possible, initial=limits.min)
    means = (values * shares).sum(axis=1)
    mean = float(trials @ means)
    squared_ranges = (largest - smallest) ** 2
    reach = _HOEFFDING * float(np.sqrt(trials @ squared_ranges / 2))
    least = int(trials @ smallest)
    most = int(trials @ largest)
    low = max(least, int(np.floor(mean - reach)))
    high = min(most, int(np.ceil(mean + reach)))
    if not low < at_least <= high:
        return float(at_least <= low)
    size = 1 << (high - low).bit_length()
    kind = as_column(np.arange(len(values)))
    distributions = np.zeros((len(values), size))
    np.add.at(distributions, (kind, values % size), shares)
    transforms = np.fft.rfft(distributions, axis=1) ** as_column(trials)
    transform = np.prod(transforms, axis=0)
    # The transform is periodic: the sum s is at index s modulo its size.
    distribution = np.fft.irfft(transform, size)
    tail = np.arange(at_least, high + 1) % size
    return float(np.sum(distribution[tail]))


_AS_DIGITS = 1 << COUNT_BITS * np.arange(MAX_LABEL)[::-1]


@dataclass(frozen=True, eq=False)
class ReferenceMargins:
    """The reference's margins in the blocks of J judges, who used labels in K patterns.

    The margin of a block is the number of candidates that the reference won against, minus the
    number it lost against; ties do not count. Given the number of times that the judge used each
    label in the block, the label of the reference determines the margin.

    Attributes
    ----------
    blocks : int64, shape (J, K)
        Blocks with each pattern.
    margin : int64, shape (J,)
        Sum of their margins.
    comparisons : int64, shape (J, 3)
        Comparisons with the reference, comparisons it won, and comparisons it tied.
    sums : int64, shape (J, 6)
        `cluster_sums` of the comparisons won among those of each block.
    used : int64, shape (K, 5)
        Number of candidates, including the reference, with the best label used, the second best and
        so on; 0 after the last.
    margins : int64, shape (K, 5)
        Margin of the reference with this label.
    """

    blocks: Int64Array
    margin: Int64Array
    comparisons: Int64Array
    sums: Int64Array
    used: Int64Array
    margins: Int64Array

    @property
    def shares(self) -> FloatArray:
        """Probability that clicking gives the reference each label, shape (K, 5)."""
        shares: FloatArray = self.used / self.used.sum(axis=1, keepdims=True)
        return shares

    @property
    def is_informative(self) -> BoolArray:
        """Mask of the informative patterns, whose labels are not all equal, shape (K,)."""
        return self.used[:, 1] > 0


def reference_margins(places: KeyedSums, judges: int) -> ReferenceMargins:
    """Return the reference's margins in blocks where it and another candidate have a label.

    Parameters
    ----------
    places : KeyedSums
        The sums counted by `tally_places`.
    judges : int
        Number J of judges.

    Returns
    -------
    ReferenceMargins
        Patterns are sorted, so they do not depend on the order of the blocks.
    """
    patterns = Patterns.of(places)
    patterns = patterns.take(patterns.used[:, 0] > 0)
    judge = patterns.judge
    used = patterns.used
    # Packed into one number, which sorts like the rows, but faster.
    code = used @ _AS_DIGITS
    _codes, first, kind = np.unique(code, return_index=True, return_inverse=True)
    kinds = used[first]
    blocks = np.zeros((judges, len(kinds)), dtype=np.int64)
    np.add.at(blocks, (judge, kind), patterns.blocks)

    # The reference against the other candidates of a block.
    at_or_before = np.cumsum(used, axis=1)
    labelled = at_or_before[:, -1]
    at_reference = (np.arange(len(used)), patterns.detail)
    compared = labelled - 1
    won = labelled - at_or_before[at_reference]
    tied = used[at_reference] - 1
    results = np.stack([compared, won, tied], axis=1)
    counts = sums_by_group(results * as_column(patterns.blocks), judge, judges)
    compared_by_judge, won_by_judge, tied_by_judge = counts.T

    # The margin of a reference with each label, in a block of each kind.
    at_or_before = np.cumsum(kinds, axis=1)
    before = at_or_before - kinds
    after = at_or_before[:, -1:] - at_or_before
    return ReferenceMargins(
        blocks=blocks,
        # Wins minus losses; the remaining comparisons were lost.
        margin=2 * won_by_judge + tied_by_judge - compared_by_judge,
        comparisons=counts,
        sums=patterns.sums_of_judges(won, compared, judges),
        used=kinds,
        margins=after - before,
    )


#: With two labels drawn from five, the first is better in 10 of 25 cases.
WIN_AT_RANDOM = (MAX_LABEL - 1) / (2 * MAX_LABEL)


@dataclass(frozen=True)
class ReferencePreference:
    """Share of comparisons in which a judge preferred the reference to another output.

    Attributes
    ----------
    comparisons, preferred, tied : int
        Comparisons with the reference, comparisons it won, and comparisons it tied.
    share : float or None
        preferred / comparisons.
    p_random : float or None
        Probability (one-sided, exact) that a judge who does not read, with the same labels in each
        block, places the reference at least as far ahead of the others.
    p_binomial : float or None
        Probability of at least as many wins by a binomial test with 2/5, which assumes that all
        comparisons are independent and labels are drawn uniformly. They are not, so it is too often
        small.
    p_lowest : float or None
        `p_random` of a judge who always prefers the reference. If it is not small, the judge saw
        the reference too rarely for a conclusion.
    """

    comparisons: int
    preferred: int
    tied: int
    share: float | None
    p_random: float | None
    p_binomial: float | None
    p_lowest: float | None


def reference_preferences(margins: ReferenceMargins) -> tuple[ReferencePreference, ...]:
    """Test each judge's preference for the reference against clicking at random.

    The reference was put among the outputs because "an annotator clicking randomly would be easy to
    detect, since they would not consistently rank the reference highly" (Bojar et al. 2011, §2.1).
    Outputs are shown in random order. So if a judge does not read, the reference is equally likely
    to have any of the labels of its block, whether labels are drawn uniformly, are a permutation of
    1 … 5, or are typed as 1, 2, 3, 4, 5. The test conditions on the labels of each block. The
    statistic is the sum over blocks of the reference's margin: the number of candidates it won
    against minus the number it lost against. Its distribution is the convolution of the blocks'
    distributions, with an absolute error below 1e-9 for a hundred thousand blocks.

    An output identical to the reference (collapsed with it) is not compared with it.

    Parameters
    ----------
    margins : ReferenceMargins
        Margins of J judges.

    Returns
    -------
    tuple of ReferencePreference
        One for each judge.

    References
    ----------
    O. Bojar et al. (2011), A Grain of Salt for the WMT Manual Evaluation.
    """
    comparisons, preferred, _tied = margins.comparisons.T
    p_binomial = np.asarray(bdtrc(preferred - 1, comparisons, WIN_AT_RANDOM))
    preferences = []
    for judge, p_value in enumerate(p_binomial.tolist()):
        preferences.append(_preference(margins, judge, p_value))
    return tuple(preferences)


def _preference(
    margins: ReferenceMargins,
    judge: int,
    p_binomial: float,
) -> ReferencePreference:
    comparisons, preferred, tied = margins.comparisons[judge].tolist()
    if not comparisons:
        return ReferencePreference(
            comparisons=0,
            preferred=0,
            tied=0,
            share=None,
            p_random=None,
            p_binomial=None,
            p_lowest=None,
        )
    return ReferencePreference(
        comparisons=comparisons,
        preferred=preferred,
        tied=tied,
        share=preferred / comparisons,
        p_random=_p_random(margins, judge),
        p_binomial=p_binomial,
        p_lowest=_p_lowest(margins, judge),
    )


def _p_lowest(margins: ReferenceMargins, judge: int) -> float:
    # Only the judge's own patterns: further factors of 1 would change the order of multiplication.
    own = np.flatnonzero(margins.blocks[judge])
    # The reference's best possible label is the best label used in the block.
    best_shares = margins.shares[own, 0]
    blocks = margins.blocks[judge, own]
    return float(np.prod(best_shares**blocks))


def _p_random(margins: ReferenceMargins, judge: int) -> float:
    blocks = margins.blocks[judge]
    kinds = np.flatnonzero((blocks > 0) & margins.is_informative)
    tail = tail_of_sum(
        values=margins.margins[kinds],
        shares=margins.shares[kinds],
        trials=blocks[kinds],
        at_least=int(margins.margin[judge]),
    )
    # Rounding must not make p smaller than the smallest possible one.
    return min(1.0, max(_p_lowest(margins, judge), tail))


#: Two labels are too often equal, or in display order, to be informative.
MIN_CANDIDATES = 3

#: Factorials of the possible numbers of outputs in a block.
_FACTORIAL = np.array(
    [float(factorial(count)) for count in range(np.iinfo(np.int8).max + 2)],
)


@dataclass(frozen=True)
class StraightLining:
    """Share of blocks in which a judge's labels are a straight line.

    Attributes
    ----------
    one_label : Share
        Blocks with equal labels, among blocks with at least three labels.
    shown_order : Share
        Blocks whose labels never decrease, or never increase, from the first output shown to the
        last, among blocks with at least three labels that are not all equal.
    expected : float
        Expected number of such blocks by chance: outputs were shown in random order, so each
        arrangement of the labels is equally likely.
    p_shuffled : float or None
        Exact probability of at least as many by chance.
    """

    one_label: Share
    shown_order: Share
    expected: float
    p_shuffled: float | None


def straight_lining(
    lines: KeyedSums,
    judges: int,
    *,
    confidence: float = 0.95,
) -> tuple[StraightLining, ...]:
    """Measure each judge's straight-lining.

    k labels, of which c₁, c₂, … are equal, have k! / (c₁! c₂! …) distinct arrangements, and two of
    these follow the display order or its reverse. So a judge's number of such blocks is a sum of
    independent trials with unequal probabilities; its tail is computed exactly.

    Parameters
    ----------
    lines : KeyedSums
        Sums of `tally_lines`, from blocks with every system that was shown.
    judges : int
    confidence : float
        Confidence of the intervals.

    Returns
    -------
    tuple of StraightLining
        One for each judge.

    References
    ----------
    J. A. Krosnick (1991), Response Strategies for Coping with the Cognitive Demands of Attitude
    Measures in Surveys, Applied Cognitive Psychology 5.
    """
    patterns = Patterns.of(lines)
    has_line = patterns.used.sum(axis=1) >= MIN_CANDIDATES
    has_one_label = patterns.used[:, 1] == 0
    is_varied = has_line & ~has_one_label
    in_order = is_varied & (patterns.detail == 1)
    sums = [
        patterns.sums_of_judges(has_line & has_one_label, has_line, judges),
        patterns.sums_of_judges(in_order, is_varied, judges),
    ]
    shares = shares_of_sums(np.concatenate(sums), confidence=confidence)
    chance = line_chances(patterns.used)
    rows = []
    for judge in range(judges):
        own = is_varied & (patterns.judge == judge)
        own_chance = chance[own]
        blocks = patterns.blocks[own]
        shown_order = shares[judges + judge]
        rows.append(
            StraightLining(
                one_label=shares[judge],
                shown_order=shown_order,
                expected=fsum((own_chance * blocks).tolist()),
                p_shuffled=_tail(own_chance, blocks, shown_order.successes),
            ),
        )
    return tuple(rows)


def line_chances(used: Int64Array) -> FloatArray:
    """Return the probability that shuffled labels follow the display order or its reverse.

    Parameters
    ----------
    used : int64, shape (N, K)
        Patterns: number of outputs of a block with each of the labels used.

    Returns
    -------
    float64, shape (N,)
        0 for fewer than three labels, and for equal labels, which are not informative in any order.
    """
    labelled = used.sum(axis=1)
    arrangements_of_equals = _FACTORIAL[used].prod(axis=1)
    chance: FloatArray = 2 * arrangements_of_equals / _FACTORIAL[labelled]
    is_short = labelled < MIN_CANDIDATES
    has_one_label = used.max(axis=1, initial=0) == labelled
    chance[is_short | has_one_label] = 0.0
    return chance


def _tail(chance: FloatArray, blocks: Int64Array, at_least: int) -> float | None:
    """Return the probability of at least this many straight lines in blocks with these
    probabilities.
    """
    if not len(chance):
        return None
    distinct, index = np.unique(chance, return_inverse=True)
    trials = sums_by_group(blocks, index, len(distinct))
    tail = tail_of_sum(
        values=np.tile(np.arange(2), (len(distinct), 1)),
        shares=np.stack([1 - distinct, distinct], axis=1),
        trials=trials,
        at_least=at_least,
    )
    return min(1.0, max(0.0, tail))


#: Odds ratio with which judges who read place the reference one rank higher. With five ranks, they
#: prefer it in 74.8% of comparisons.
REFERENCE_ODDS = 1.75

#: The same for placing a damaged reference one rank lower: it loses 84.6% of comparisons.
DAMAGE_ODDS = 2.5

#: Share of blocks labelled in display order, or its reverse, by judges who type labels in order.
TYPED_SHARE = 0.5

#: Minimum number of judges that p-values are adjusted for, because judges join one by one.
JUDGES_ALLOWED_FOR = 50


@dataclass(frozen=True)
class ClickingEvidence:
    """Evidence that a judge clicks instead of reading.

    Attributes
    ----------
    blocks : int
        Blocks that can distinguish clicking from reading.
    log_e : float
        Natural logarithm of the e-value; values below 0 are evidence for reading.
    """

    blocks: int
    log_e: float

    def p_value(self, judges: int = 1) -> float:
        """Return an upper bound on the probability that any judge, if all read, ever has this
        evidence.

        Parameters
        ----------
        judges : int
            Number of judges tested; at least `JUDGES_ALLOWED_FOR` is used, so that neither a
            judge's value nor the validity of the bound depends on further judges joining.
        """
        log_p = log(max(judges, JUDGES_ALLOWED_FOR)) - self.log_e
        return exp(min(0.0, log_p))


def reference_ignored(
    margins: ReferenceMargins,
    *,
    odds: float = REFERENCE_ODDS,
) -> tuple[ClickingEvidence, ...]:
    """Test each judge's preference for the reference against no preference.

    Given the labels of a block, a judge who clicks gives the reference each label with a
    probability π(label) proportional to its frequency; for a judge who reads, the probability is
    proportional to π(label) odds^(margin / 2), or favours the reference even more. (In a block
    without ties, the margins of adjacent ranks differ by 2.) The e-value is the product over blocks
    of the ratio of the two, Σ π odds^(margin / 2) / odds^(margin of the judge / 2). It is valid for
    judges who read some blocks better and others worse than `odds` implies, as long as the expected
    ratio of each block is at most 1.

    Parameters
    ----------
    margins : ReferenceMargins
        Margins of J judges. For damaged references, the margins for reversed labels
        (`measures_of_tallies`).
    odds : float
        See `REFERENCE_ODDS`; above 1.

    Returns
    -------
    tuple of ClickingEvidence
        One for each judge.

    Raises
    ------
    ValueError
        If `odds` is not above 1.

    References
    ----------
    A. Wald (1945), Sequential Tests of Statistical Hypotheses, Annals of Mathematical Statistics
    16. G. Shafer (2021), Testing by Betting, JRSS A 184. V. Vovk, R. Wang (2021), E-values:
    Calibration, Combination and Applications, Annals of Statistics 49.
    """
    if not odds > 1:
        raise ValueError("odds: expected a number above 1")
    tilt = log(odds) / 2
    likelihoods = margins.shares * np.exp(tilt * margins.margins)
    expected = np.log(np.sum(likelihoods, axis=1))
    evidence = []
    for blocks, margin in zip(margins.blocks, margins.margin, strict=True):
        informative_blocks = int(blocks[margins.is_informative].sum())
        log_expected = fsum((blocks * expected).tolist())
        evidence.append(
            ClickingEvidence(
                blocks=informative_blocks,
                log_e=log_expected - tilt * int(margin),
            ),
        )
    return tuple(evidence)


def typed_in_order(
    lines: KeyedSums,
    judges: int,
    *,
    share: float = TYPED_SHARE,
) -> tuple[ClickingEvidence, ...]:
    """Test whether each judge's labels follow the display order more often than by chance.

    Outputs are shown in random order, so the labels of a judge who reads follow it, or its reverse,
    with a probability determined by the labels of the block (`straight_lining`). The labels of a
    judge who types 1, 2, 3, 4, 5 do so in at least a share `share` of blocks. Blocks in which this
    probability is at least as high by chance are not informative and are left out.

    Parameters
    ----------
    lines : KeyedSums
        Sums of `tally_lines`, from blocks with every system that was shown.
    judges : int
    share : float
        Between 0 and 1.

    Returns
    -------
    tuple of ClickingEvidence
        One for each judge.

    Raises
    ------
    ValueError
        If `share` is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise ValueError("share: expected a number between 0 and 1")
    patterns = Patterns.of(lines)
    chance = line_chances(patterns.used)
    is_informative = (chance > 0) & (chance < share)
    reading_share = np.where(is_informative, chance, share)
    ratio_in_order = share / reading_share
    ratio_out_of_order = (1 - share) / (1 - reading_share)
    ratio = np.where(patterns.detail, ratio_in_order, ratio_out_of_order)
    log_ratios = patterns.blocks * np.log(ratio)
    blocks = sums_by_group(
        patterns.blocks[is_informative],
        patterns.judge[is_informative],
        judges,
    )
    ends = np.searchsorted(patterns.judge, np.arange(1, judges + 1))
    log_ratios_of_judges = np.split(log_ratios, ends)[:judges]
    evidence = []
    for count, own in zip(blocks.tolist(), log_ratios_of_judges, strict=True):
        evidence.append(ClickingEvidence(blocks=count, log_e=fsum(own.tolist())))
    return tuple(evidence)
