"""Evidence that a judge does not read, valid however often one looks and among many judges.

A judge clicks if they put the reference, or a damaged one, anywhere, or type the labels in the
order the outputs are shown in. Each test takes "reads" for granted and multiplies, block by block,
how much more likely clicking made what the judge did. The product is an *e-value*: of a judge who
reads it exceeds any x at any time with a probability of at most 1 / x (Ville 1939), so it may be
looked at after every block, and divided by the number of judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, fsum, log

import numpy as np

from ranking.core.judged.blocks import Blocks
from ranking.core.judges.reference_margins import reference_margins
from ranking.core.judges.straight_lining import line_chances

#: How much likelier who reads puts the reference one place higher: of five places, they then prefer
#: it in 74.8 % of comparisons.
REFERENCE_ODDS = 1.75

#: How much likelier who reads puts a damaged reference one place lower: 84.6 % of comparisons.
DAMAGE_ODDS = 2.5

#: Share of blocks in shown order, or its reverse, of somebody who types them.
TYPED_SHARE = 0.5

#: Judges come one after another; a p of fewer than these is adjusted as for so many.
JUDGES_ALLOWED_FOR = 50


@dataclass(frozen=True)
class ClickingEvidence:
    """Evidence that a judge clicks instead of reading.

    Attributes
    ----------
    blocks : int
        Blocks that can tell one from the other.
    log_e : float
        Natural logarithm of the e-value; below 0 it speaks for reading.
    """

    blocks: int
    log_e: float

    def p_value(self, judges: int = 1) -> float:
        """Bound the probability that any of so many judges who read ever shows this much evidence.

        Parameters
        ----------
        judges : int
            How many are looked at. Below `JUDGES_ALLOWED_FOR` that many are allowed for, so that
            the figure of a judge does not depend on who joins, nor the bound on when.
        """
        log_p = log(max(judges, JUDGES_ALLOWED_FOR)) - self.log_e
        return exp(min(0.0, log_p))


def reference_ignored(
    blocks: Blocks, reference: str, *, odds: float = REFERENCE_ODDS
) -> tuple[ClickingEvidence, ...]:
    """Compare each judge's preference for the reference with none at all.

    Given the labels of a block, somebody who clicks gives the reference each of them with a
    probability π(label) in proportion to how often it was used; somebody who reads, with one in
    proportion to π(label) odds^(margin / 2), or more extremely so. (Between neighbouring places of
    a block without ties the margin differs by 2.) The e-value is the product of the ratios of the
    two, Σ π odds^(margin / 2) / odds^(margin of the judge / 2). It holds for judges who read
    block by block better or worse than `odds`, as long as the mean of a block's ratio is at most 1.

    Parameters
    ----------
    blocks : Blocks
        Judgments with the reference among the systems.
    reference : str
        Its name. For damaged references, exchange best and worst (`measure_judges`).
    odds : float
        Above 1.

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
    if reference not in blocks.systems:
        raise ValueError(f"unknown reference {reference!r}")
    if not odds > 1:
        raise ValueError("odds: expected a number above 1")
    tilt = log(odds) / 2
    margins = reference_margins(blocks, blocks.systems.index(reference))
    expected = np.log(np.sum(margins.shares * np.exp(tilt * margins.margins), axis=1))
    return tuple(
        ClickingEvidence(
            blocks=int(blocks_of[margins.is_informative].sum()),
            log_e=fsum((blocks_of * expected).tolist()) - tilt * int(margin),
        )
        for blocks_of, margin in zip(*margins.by_judge(len(blocks.judges)), strict=True)
    )


def typed_in_order(blocks: Blocks, *, share: float = TYPED_SHARE) -> tuple[ClickingEvidence, ...]:
    """Compare how often each judge's labels follow the shown order with chance.

    Outputs are shown in random order, so the labels of somebody who reads follow it, or its
    reverse, with a probability that the labels of the block determine (`straight_lining`); those of
    somebody who types 1, 2, 3, 4, 5 do so in a `share` of blocks at least. Blocks that follow it
    that often by chance say nothing and are left out.

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
    if not 0 < share < 1:
        raise ValueError("share: expected a number between 0 and 1")
    is_line, chance = line_chances(blocks)
    telling = np.flatnonzero((chance > 0) & (chance < share))
    telling = telling[np.argsort(blocks.judge[telling])]
    follows, at_random = is_line[telling], chance[telling]
    log_ratio = np.log(np.where(follows, share / at_random, (1 - share) / (1 - at_random)))
    ends = np.cumsum(np.bincount(blocks.judge[telling], minlength=len(blocks.judges)))
    # Summed without rounding on the way: the same bits in whatever order the blocks come.
    return tuple(
        ClickingEvidence(len(own), fsum(own.tolist()))
        for own in np.split(log_ratio, ends[:-1])[: len(blocks.judges)]
    )
