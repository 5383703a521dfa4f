"""How far judges agree with themselves, as it is frozen: an answer of the analysis `agreement`, of the same judgments.

The ranking that is kept up to date does not compute it, so an answer that somebody asked for is taken.
"""

from typing import Any, Final

from ranking.core.judged.collapsed_candidates import Pairing
from ranking.models import RankingRun
from ranking.services.publishing.answers import answers_about

_FROZEN: Final = ("kappa", "p_agree", "p_chance", "agreeing", "comparable")
#: What an interval of κ depends on.
_INTERVAL: Final = ("resample", "confidence")


def frozen_self_agreement(run: RankingRun) -> dict[str, Any] | None:
    """Return κ of judges with themselves, by the chance of κ between judges; None where it is not known.

    The ends of its interval are None where the answer has an interval of another kind than that of κ between judges.
    """
    chance = run.result["agreement"]["chance"]
    analysis = (
        answers_about(run, kind="agreement")
        .finished()
        .filter(choice__chance=chance, choice__pairing=Pairing.UNORDERED.value)
        .order_by("-pk")
        .first()
    )
    if analysis is None or analysis.data is None:
        return None
    intra = analysis.data["intra"]
    if intra["kappa"] is None:
        return None
    same = all(analysis.choice.get(name) == run.parameters["agreement"][name] for name in _INTERVAL)
    ends = {name: intra[name] if same else None for name in ("low", "high")}
    return {"chance": chance, **{name: intra[name] for name in _FROZEN}, **ends}
