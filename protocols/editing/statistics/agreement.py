"""How far the acceptors of an edit agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from protocols.editing.statistics.edits import Edits


@dataclass(frozen=True)
class AcceptorAgreement:
    """Agreement of the acceptors of one edit: Fleiss' κ of yes and no.

    Attributes
    ----------
    edits : int
        Edits with two or more acceptances.
    p_agree, p_chance, kappa : float or None
        None where there are none; κ also where all say the same.
    """

    edits: int
    p_agree: float | None
    p_chance: float | None
    kappa: float | None


def acceptor_agreement(edits: Edits) -> AcceptorAgreement:
    """Measure how far acceptors of one edit agree; edits weigh equally."""
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
