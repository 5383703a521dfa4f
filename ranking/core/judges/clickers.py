"""Evidence that a judge does not read, valid at any time and among many judges.

A judge clicks if they place the reference, or a damaged reference, at random, or type labels in the
order in which outputs are shown. The null hypothesis of each test is that the judge reads. For each
block, the likelihood of the labels under clicking is divided by that under reading; the product of
these ratios is an *e-value*. For a judge who reads, it ever exceeds x with a probability of at most
1 / x (Ville 1939), so it may be looked at after every block, and divided by the number of judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, fsum, log

import numpy as np

from ranking.core.judged.blocks import Blocks
from ranking.core.judges.keyed_sums import KeyedSums
from ranking.core.judges.label_patterns import Patterns, tally_lines, tally_places
from ranking.core.judges.reference_margins import ReferenceMargins, reference_margins
from ranking.core.judges.straight_lining import line_chances

#: The factor by which judges who read are more likely to place the reference one place higher. With
#: five places, they prefer it in 74.8 % of comparisons.
REFERENCE_ODDS = 1.75

#: The same for placing a damaged reference one place lower: it loses 84.6 % of comparisons.
DAMAGE_ODDS = 2.5

#: Share of blocks labelled in shown order, or its reverse, by judges who type them.
TYPED_SHARE = 0.5

#: The smallest number of judges that p-values are adjusted for, because judges join one by one.
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
        """Return a bound of the probability that any judge, if all read, ever has this evidence.

        Parameters
        ----------
        judges : int
            Number of judges tested. `JUDGES_ALLOWED_FOR` is the least number, so that a judge's
            value does not depend on who joins, nor the bound on when.
        """
        log_p = log(max(judges, JUDGES_ALLOWED_FOR)) - self.log_e
        return exp(min(0.0, log_p))


def reference_ignored(
    blocks: Blocks, reference: str, *, odds: float = REFERENCE_ODDS
) -> tuple[ClickingEvidence, ...]:
    """Test each judge's preference for the reference against no preference.

    Given the labels of a block, a judge who clicks gives the reference each label with a
    probability π(label) in proportion to its frequency; a judge who reads does so in proportion to
    π(label) odds^(margin / 2), or prefers the reference even more. (The margins of neighbouring
    places of a block without ties differ by 2.) The e-value is the product of the ratios of the
    two, Σ π odds^(margin / 2) / odds^(margin of the judge / 2). It holds for judges who read some
    blocks better and others worse than `odds` says, as long as the expected ratio of each block is
    at most 1.

    Parameters
    ----------
    blocks : Blocks
        Judgments with the reference among the systems.
    reference : str
        Its name. For damaged references, reverse the labels (`measure_judges`).
    odds : float
        See `REFERENCE_ODDS`; above 1.

    Returns
    -------
    tuple of ClickingEvidence
        In the order of `Blocks.judges`.

    Raises
    ------
    ValueError
        If the reference is not among the systems or `odds` is not above 1.

    References
    ----------
    A. Wald (1945), Sequential Tests of Statistical Hypotheses, Annals of Mathematical Statistics
    16. G. Shafer (2021), Testing by Betting, JRSS A 184. V. Vovk, R. Wang (2021), E-values:
    Calibration, Combination and Applications, Annals of Statistics 49.
    """
    places = tally_places(blocks, reference)
    return reference_ignored_of_margins(reference_margins(places, len(blocks.judges)), odds=odds)


def reference_ignored_of_margins(
    margins: ReferenceMargins, *, odds: float = REFERENCE_ODDS
) -> tuple[ClickingEvidence, ...]:
    """Return `reference_ignored` from the margins of the judges. Raises ValueError if `odds` is not above 1."""
    if not odds > 1:
        raise ValueError("odds: expected a number above 1")
    tilt = log(odds) / 2
    expected = np.log(np.sum(margins.shares * np.exp(tilt * margins.margins), axis=1))
    return tuple(
        ClickingEvidence(
            blocks=int(blocks_of[margins.is_informative].sum()),
            log_e=fsum((blocks_of * expected).tolist()) - tilt * int(margin),
        )
        for blocks_of, margin in zip(margins.blocks, margins.margin, strict=True)
    )


def typed_in_order(blocks: Blocks, *, share: float = TYPED_SHARE) -> tuple[ClickingEvidence, ...]:
    """Test how often each judge's labels follow the shown order against chance.

    Outputs are shown in random order, so the labels of a judge who reads follow it, or its reverse,
    with a probability that the labels of the block determine (`straight_lining`). The labels of a
    judge who types 1, 2, 3, 4, 5 do so in at least a `share` of blocks. Blocks that follow it that
    often by chance are not informative and are left out.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.
    share : float
        Between 0 and 1.

    Returns
    -------
    tuple of ClickingEvidence
        In the order of `Blocks.judges`.

    Raises
    ------
    ValueError
        If `share` is not between 0 and 1.
    """
    return typed_in_order_of_tallies(tally_lines(blocks), len(blocks.judges), share=share)


def typed_in_order_of_tallies(
    lines: KeyedSums, judges: int, *, share: float = TYPED_SHARE
) -> tuple[ClickingEvidence, ...]:
    """Return `typed_in_order` of so many judges from `tally_lines`. Raises ValueError if `share` is not between 0 and 1."""
    if not 0 < share < 1:
        raise ValueError("share: expected a number between 0 and 1")
    found = Patterns.of(lines)
    chance = line_chances(found.used)
    telling = (chance > 0) & (chance < share)
    at_random = np.where(telling, chance, share)
    ratio = np.where(found.detail, share / at_random, (1 - share) / (1 - at_random))
    evidence = found.blocks * np.log(ratio)
    blocks = np.zeros(judges, dtype=np.int64)
    np.add.at(blocks, found.judge[telling], found.blocks[telling])
    ends = np.searchsorted(found.judge, np.arange(1, judges + 1))
    return tuple(
        ClickingEvidence(int(count), fsum(own.tolist()))
        for count, own in zip(blocks, np.split(evidence, ends)[:judges], strict=True)
    )
