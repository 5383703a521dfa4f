"""Davidson's model, Bradley–Terry with ties (Davidson 1970): scores from counts, and their
derivatives.

The maximum of the likelihood is finite only within a group of systems that reach each other by
chains of comparisons, each won or tied by the former system (Ford 1957). Between groups, all wins
go in one direction, so the groups are ordered, at infinite distances. Systems not linked by any
chain of comparisons have no order.
"""

import math
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int64Array,
    as_column,
    as_row,
    off_diagonal,
    pairwise_differences,
    per_sample,
)
from ranking.core.counting.counts import Counts, Layout
from ranking.core.methods.method import comparisons_per_pair
from ranking.core.methods.newton import NotConvergedError, maximise
from ranking.core.scores import Scores

#: The axes of the pairs of systems, after that of the samples.
_PAIRS = (1, 2)


@dataclass(frozen=True, eq=False)
class Separation:
    """Groups of n systems and their order, in S samples of comparisons.

    Attributes
    ----------
    bounded : bool, shape (S, n, n)
        Whether the data bound the difference of two systems. This is an equivalence relation; its
        classes are the groups in which abilities are finite.
    component : int64, shape (S, n)
        The same number for systems linked by a chain of comparisons, whether won, tied or lost.
    standing : int64, shape (S, n)
        If two systems of one component are at infinite distance, the one with the larger standing
        comes first; systems with equal standing are not ordered. Unbeaten groups stand above all
        others, winless ones below.
    """

    bounded: BoolArray
    component: Int64Array
    standing: Int64Array


def separation(linked: BoolArray, met: BoolArray) -> Separation:
    """Return the groups with finite differences, and their order.

    Parameters
    ----------
    linked : bool, shape (S, n, n)
        ``linked[s, a, b]`` if a won against b or tied with it, so a cannot be infinitely worse.
    met : bool, shape (S, n, n)
        Pairs that were compared; symmetric.

    Returns
    -------
    Separation
        Group a stands above group b if chains lead from a to b but not back. Groups without such a
        chain are ordered by the number of systems they stand above minus the number they stand
        below, which is one of the orders that contradict no comparison.
    """
    n = linked.shape[-1]
    reach = _closure(linked)
    bounded = reach & np.swapaxes(reach, 1, 2)
    stands_above = reach & ~bounded
    above = np.count_nonzero(stands_above, axis=2)
    below = np.count_nonzero(stands_above, axis=1)
    unbeaten = (below == 0) & (above > 0)
    winless = (above == 0) & (below > 0)
    end = unbeaten.astype(np.int64) - winless
    standing = above - below + 2 * n * end
    members = np.where(_closure(met), np.arange(n), n)
    component = members.min(axis=2, initial=n)
    return Separation(bounded=bounded, component=component, standing=standing)


def _closure(linked: BoolArray) -> BoolArray:
    """Return whether each system reaches each other, or itself, by chains of links."""
    n = linked.shape[-1]
    reach = linked | np.eye(n, dtype=np.bool_)
    for _ in range(max(1, (n - 1).bit_length())):
        steps = reach.astype(np.float32)
        reach = (steps @ steps) > 0
    return reach


_MAX_STEPS = 100


@dataclass(frozen=True, eq=False)
class DavidsonFit:
    """Fits of Davidson's model to S samples of comparisons between n systems.

    Attributes
    ----------
    ability : float64, shape (S, n)
        θ, the natural logarithm of the worth, with mean 0 over each group of bounded differences.
    tie : float64, shape (S,)
        ν: 0 without ties, infinite if the data do not bound it. Two equal systems tie with
        probability ν / (2 + ν).
    log_likelihood : float64, shape (S,)
        Maximum of the log-likelihood, without binomial coefficients; NaN where ν is infinite.
        Comparisons between groups add nothing: in the limit, they have probability 1.
    covariance : float64, shape (S, n, n)
        Inverse of the observed information of the abilities, relative to the mean of their groups.
    response : float64, shape (S, n, n + 1)
        The same with log ν in the last column. Its product with the derivatives of the
        log-likelihood of a further comparison is the influence of that comparison on each ability.
    separation : Separation
        Groups of bounded differences, and the order between them.
    """

    ability: FloatArray
    tie: FloatArray
    log_likelihood: FloatArray
    response: FloatArray
    separation: Separation

    @property
    def covariance(self) -> FloatArray:
        return self.response[:, :, :-1]


def davidson(wins: npt.NDArray[Any], ties: npt.NDArray[Any]) -> DavidsonFit:
    """Fit Davidson's extension of the Bradley–Terry model.

        P(i beats j) = exp(θi) / Z,   P(tie) = ν exp((θi + θj) / 2) / Z,
        Z = exp(θi) + exp(θj) + ν exp((θi + θj) / 2)

    The log-likelihood is concave in (θ, log ν); Newton's method with halved steps finds its maximum
    for all samples at once.

    Differences are finite only among systems that reach each other by chains of comparisons, each
    won or tied by the former system; a system that always won is infinitely better. With ties, some
    cycle of comparisons must also have more wins than ties; otherwise ν is infinite, and so is each
    difference with a win. For infinite differences, `separation` has the order, and abilities are
    the limits of the differences within each group of systems at finite distances.

    Parameters
    ----------
    wins, ties : number, shape (S, n, n)
        As in `ranking.core.counting.counts.Counts`; fractions are allowed.

    Returns
    -------
    DavidsonFit

    Raises
    ------
    NotConvergedError
        If Newton's method does not converge.

    References
    ----------
    R. R. Davidson (1970), On Extending the Bradley–Terry Model to Accommodate Ties in Paired
    Comparison Experiments, JASA 65.
    L. R. Ford (1957), Solution of a Ranking Problem from Binary Comparisons, Am. Math. Monthly 64
    (when the maximum exists).
    """
    n = wins.shape[-1]
    apart = off_diagonal(n)
    wins = wins * apart
    ties = ties * apart
    has_limit = _tie_parameter_is_finite(wins, ties)
    ties_bind = (ties > 0) & per_sample(has_limit)
    met = (wins + np.swapaxes(wins, 1, 2) + ties) > 0
    separated = separation((wins > 0) | ties_bind, met)
    bounded = separated.bounded
    data = _Data(wins * bounded, ties * bounded * ties_bind, bounded)
    point, converged = maximise(
        data.log_likelihood,
        data.derivatives,
        data.start(),
        most_steps=_MAX_STEPS,
    )
    if not converged.all():
        raise NotConvergedError(f"Bradley–Terry did not converge in {_MAX_STEPS} steps")
    _gradient, information = data.derivatives(point)
    covariance = np.linalg.inv(information)
    response = np.asarray(covariance[:, :n, :], dtype=np.float64)
    response[:, :, :n] -= data.gauge()
    log_likelihood = data.log_likelihood(point)
    tie = data.tie_parameter(point)
    return DavidsonFit(
        ability=data.centred(point[:, :n]),
        tie=np.where(has_limit, tie, np.inf),
        log_likelihood=np.where(has_limit, log_likelihood, np.nan),
        response=response,
        separation=separated,
    )


class _Data:
    """Sufficient statistics of S samples, and their likelihood as a function of (θ, log ν).

    `bounded` marks the finite differences of two systems; the counts contain only these.
    """

    def __init__(self, wins: FloatArray, ties: FloatArray, bounded: BoolArray) -> None:
        self.wins = wins
        self.ties = ties
        self.bounded = bounded
        self.group_size = bounded.sum(axis=2)
        self.met = wins + np.swapaxes(wins, 1, 2) + ties
        ties_of_systems = ties.sum(axis=2)
        self.points = wins.sum(axis=2) + ties_of_systems / 2
        self.tied = ties.sum(axis=(1, 2)) / 2

    def start(self) -> FloatArray:
        met = self.met.sum(axis=2)
        lost = met - self.points
        odds = (self.points + 0.5) / (lost + 0.5)
        theta = self.centred(np.log(odds))
        decided = met.sum(axis=1) / 2 - self.tied
        # Equal systems tie with the odds ν / 2. Half a comparison keeps the odds finite.
        nu = 2 * np.maximum(self.tied, 0.5) / np.maximum(decided, 0.5)
        return np.column_stack([theta, np.log(nu)])

    def tie_parameter(self, point: FloatArray) -> FloatArray:
        """Return ν of each sample: 0 without ties."""
        return np.where(self.tied > 0, np.exp(point[:, -1]), 0.0)

    def centred(self, theta: FloatArray) -> FloatArray:
        totals = self.bounded @ as_column(theta)
        centred: FloatArray = theta - totals[:, :, 0] / self.group_size
        return centred

    def gauge(self) -> FloatArray:
        """Return the inverse of the term that `derivatives` adds in directions that the data do not
        determine.
        """
        inverse: FloatArray = self.bounded / as_column(self.group_size) ** 2
        return inverse

    def log_likelihood(self, point: FloatArray) -> FloatArray:
        log_z, half = self._log_total(point)
        theta = as_column(point[:, :-1])
        log_nu = per_sample(point[:, -1])
        log_tie = np.where(self.ties > 0, half + log_nu, 0.0)
        won = np.sum(self.wins * theta, axis=_PAIRS)
        # Pairs are counted in both orders, so ties and totals are halved.
        drawn = np.sum(self.ties * log_tie, axis=_PAIRS) / 2
        every = np.sum(self.met * log_z, axis=_PAIRS) / 2
        total: FloatArray = won + drawn - every
        return total

    def _log_total(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log Z and (θi + θj) / 2 of each pair."""
        own = as_column(point[:, :-1])
        other = as_row(point[:, :-1])
        half = (own + other) / 2
        nu = per_sample(self.tie_parameter(point))
        relative_total = 2 * np.cosh((own - other) / 2) + nu
        return half + np.log(relative_total), half

    def derivatives(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradient, and the observed information, made invertible."""
        log_z, half = self._log_total(point)
        nu = per_sample(self.tie_parameter(point))
        tie = nu * np.exp(half - log_z)
        win = np.exp(as_column(point[:, :-1]) - log_z)
        # Expected points of the first of two systems, of which a tie gives half a point.
        points = win + tie / 2
        return self._gradient(points, tie), self._information(points, tie)

    def _gradient(self, points: FloatArray, tie: FloatArray) -> FloatArray:
        """Return the observed minus the expected points, and ties, shape (S, n + 1)."""
        expected_points = np.sum(self.met * points, axis=2)
        expected_ties = np.sum(self.met * tie, axis=_PAIRS) / 2
        by_log_nu = (self.tied - expected_ties) * (self.tied > 0)
        return np.column_stack([self.points - expected_points, by_log_nu])

    def _information(self, points: FloatArray, tie: FloatArray) -> FloatArray:
        """Return the covariance matrix of points and ties, made invertible, shape (S, n + 1, n + 1)."""
        samples, n, _n = points.shape
        met = self.met
        # Variances of the points and of the ties of each pair, and their covariance.
        spread = met * (points - tie / 4 - points**2)
        tie_spread = met * tie * (1 - tie)
        mixed = met * tie * (0.5 - points)
        information = np.zeros((samples, n + 1, n + 1))
        information[:, :n, :n] = self.bounded - spread
        diagonal = np.arange(n)
        information[:, diagonal, diagonal] += spread.sum(axis=2)
        mixed_of_systems = mixed.sum(axis=2)
        information[:, :n, n] = mixed_of_systems
        information[:, n, :n] = mixed_of_systems
        has_no_ties = self.tied == 0
        information[:, n, n] = np.sum(tie_spread, axis=_PAIRS) / 2 + has_no_ties
        return information


def _tie_parameter_is_finite(wins: FloatArray, ties: FloatArray) -> BoolArray:
    """Return whether each sample has no ties, or a cycle with more wins than ties."""
    is_finite: BoolArray = np.asarray(~ties.any(axis=_PAIRS))
    for sample in np.flatnonzero(~is_finite).tolist():
        is_finite[sample] = _has_winning_cycle(wins[sample], ties[sample])
    return is_finite


def _has_winning_cycle(wins: FloatArray, ties: FloatArray) -> bool:
    """Return whether a cycle is negative if a win costs −1 and a tie +1 (Floyd–Warshall)."""
    if np.any((wins > 0) & (wins.T > 0)):
        return True
    length = np.where(ties > 0, 1.0, np.inf)
    length[wins > 0] = -1.0
    for via in range(len(length)):
        detour = length[:, [via]] + length[[via], :]
        length = np.minimum(length, detour)
    return bool(np.any(np.diagonal(length) < 0))


#: Prior wins added in both directions for each pair of compared systems.
PRIOR = 0.1
#: Distance shown for infinite distances between systems: odds of 22,000 to 1.
INFINITE_GAP = 10.0
#: Abilities are accurate to about this many decimals; more would separate equal systems.
_DECIMALS = 9


def scores(counts: Counts, *, prior: float = PRIOR) -> Scores:
    """Return the abilities of systems in Davidson's model as scores.

    Parameters
    ----------
    counts : Counts of shape (..., n, n)
        With `ties`.
    prior : float
        Wins added in both directions for each pair of compared systems. A positive number keeps all
        abilities finite and shrinks them towards each other, with the weight of 2 `prior`
        comparisons of each pair. 0 is maximum likelihood.

    Returns
    -------
    Scores
        θ, of shape (..., n), to 9 decimals. It is not a share; its mean is 0 over systems whose
        differences are finite. With a prior of 0, a system that always won is infinitely better
        than those it won against: systems are then ordered by the infinite differences, each of
        which is shown as `INFINITE_GAP` more than the finite ones on both sides of it. `group`
        numbers the groups of systems connected by comparisons; the order of groups is arbitrary.
        Systems never compared cannot be estimated, nor can any system if there are only ties and no
        prior.

    Raises
    ------
    ValueError
        If `prior` is negative or not finite.
    NotConvergedError
        As for `davidson`.
    """
    fit, met = _fit(counts, prior)
    shape = counts.wins.shape[:-1]
    won = counts.wins > 0
    has_wins = won.any(axis=(-2, -1)).ravel()
    has_scores = np.isfinite(fit.tie) | has_wins
    estimable = met.any(axis=2) & as_column(has_scores)
    abilities = np.round(_finite_abilities(fit), _DECIMALS)
    values = np.where(estimable, abilities, np.nan)
    return Scores(
        values=values.reshape(shape),
        estimable=estimable.reshape(shape),
        group=fit.separation.component.reshape(shape),
        # Rounding can set equal abilities one unit apart.
        equal_within=1.5 * 10.0**-_DECIMALS,
    )


def gradient(counts: Counts, *, prior: float = PRIOR) -> FloatArray:
    """Return the influence of each further comparison on the abilities.

    This is the derivative of the maximum of the likelihood with respect to the counts, by the
    implicit function theorem: the inverse of the observed information, including that of the tie
    parameter and of the prior, times the derivatives of the log-likelihood of one comparison.

    Parameters
    ----------
    counts : Counts of shape (n, n)
        With `ties`.
    prior : float
        As for `scores`.

    Returns
    -------
    float64, shape (n, m)
        Derivatives of n abilities by the m cells of ``Layout(n, ties=True)``. 0 for unused cells,
        for ties if there were none (ν is at its bound 0), and for comparisons between systems at
        infinite distance, which have no influence.
    """
    fit, _ = _fit(counts, prior)
    n = counts.wins.shape[-1]
    theta = fit.ability[0]
    nu = fit.tie[0]
    if math.isinf(nu):
        nu = 0.0
    # Probabilities, with numerator and denominator divided by exp((θi + θj) / 2).
    half = np.exp(pairwise_differences(theta) / 2)
    total = half + half.T + nu
    tie = nu / total
    points = half / total + tie / 2
    # Response to the ability of the first and of the second system of a pair, and to log ν.
    response = fit.response[0]
    to_first = as_column(response[:, :n])
    to_second = as_row(response[:, :n])
    to_tie = per_sample(response[:, n])
    # The part of the derivative that any comparison contributes, regardless of the outcome.
    by_points = to_first * points + to_second * points.T
    expected = by_points + to_tie * tie
    won = to_first - expected
    drew = (to_first + to_second) / 2 - expected
    drew += to_tie
    bounded = fit.separation.bounded[0] & off_diagonal(n)
    won *= bounded
    drew *= np.triu(bounded)
    pairs = n * n
    cells = np.zeros((n, Layout(n, ties=True).size))
    cells[:, :pairs] = won.reshape(n, pairs)
    if nu:
        cells[:, pairs:] = drew.reshape(n, pairs)
    return cells


def model_variance(counts: Counts, *, prior: float = PRIOR) -> FloatArray:
    """Return the variances of the abilities, assuming that comparisons are independent and the
    model is true.

    Parameters
    ----------
    counts : Counts of shape (n, n)
    prior : float
        As for `scores`.

    Returns
    -------
    float64, shape (n,)
        From the inverse of the observed information; 0 for a system at an infinite distance from
        all others.
    """
    fit, _met = _fit(counts, prior)
    variances = np.diagonal(fit.covariance[0])
    return np.asarray(np.nan_to_num(variances, nan=0.0))


class DavidsonDiagnostics(TypedDict):
    """Further results of Davidson's model, as plain JSON.

    ν and the log-likelihood are None if the data do not bound ν. If they do not bound some difference
    of systems, `separated` has lists of groups of systems, best first, one list for each set of
    systems connected by comparisons.
    """

    tie_parameter: float | None
    log_likelihood: float | None
    separated: NotRequired[list[list[list[str]]]]


def comment(
    counts: Counts,
    systems: tuple[str, ...],
    *,
    prior: float = PRIOR,
) -> DavidsonDiagnostics:
    """Return ν, the likelihood, and groups of systems at infinite distance."""
    fit, met = _fit(counts, prior)
    extra: DavidsonDiagnostics = {"tie_parameter": None, "log_likelihood": None}
    if met.any() and np.isfinite(fit.tie[0]):
        extra["tie_parameter"] = float(fit.tie[0])
        extra["log_likelihood"] = float(fit.log_likelihood[0])
    tiers = _tiers_by_name(fit.separation, systems)
    if tiers:
        extra["separated"] = tiers
    return extra


def _fit(counts: Counts, prior: float) -> tuple[DavidsonFit, BoolArray]:
    """Return fits of samples, and a mask of the pairs compared in each, shape (S, n, n)."""
    if not 0 <= prior < math.inf:
        raise ValueError("prior: expected a number of wins, 0 or more")
    *samples, n, _n = counts.wins.shape
    shape = (math.prod(samples), n, n)
    wins = counts.wins.reshape(shape)
    ties = counts.tied.reshape(shape)
    met = comparisons_per_pair(wins, ties) > 0
    return davidson(wins + prior * met, ties), met


def _finite_abilities(fit: DavidsonFit) -> FloatArray:
    """Return abilities with groups at infinite distance moved apart, shape (S, n)."""
    placed = fit.ability.copy()
    separation = fit.separation
    for sample in np.flatnonzero(separation.standing.any(axis=1)).tolist():
        standing = separation.standing[sample]
        component = separation.component[sample]
        size = separation.bounded[sample].sum(axis=1)
        for number in np.unique(component).tolist():
            members = np.flatnonzero(component == number)
            _separate_tiers(placed[sample], members, standing[members], size[members])
    return placed


def _separate_tiers(
    ability: FloatArray,
    members: npt.NDArray[np.intp],
    standing: Int64Array,
    size: Int64Array,
) -> None:
    """Move groups of connected systems apart by their standing; the largest group stays."""
    offset = 0.0
    top = -math.inf
    largest_offset = 0.0
    largest = int(np.argmax(size))
    for value in np.unique(standing):
        tier = members[standing == value]
        if top > -math.inf:
            offset = top + INFINITE_GAP - float(ability[tier].min())
        ability[tier] += offset
        top = float(ability[tier].max())
        if value == standing[largest]:
            largest_offset = offset
    ability[members] -= largest_offset


def _tiers_by_name(
    separation: Separation,
    systems: tuple[str, ...],
) -> list[list[list[str]]]:
    """Return the groups at infinite distance, best first, of each set of connected systems."""
    listed = []
    component = separation.component[0]
    standing = separation.standing[0]
    for number in np.unique(component).tolist():
        members = np.flatnonzero(component == number)
        values = np.unique(standing[members])
        tiers = []
        for value in values[::-1]:
            tier = members[standing[members] == value]
            tiers.append([systems[index] for index in tier])
        if len(tiers) > 1:
            listed.append(tiers)
    return listed
