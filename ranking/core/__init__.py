"""Computation of rankings, agreement, diagnosis, model selection and simulation, without Django.

In a notebook:

    from ranking.core import BlockRow, blocks_from_rows, measure_agreement, rank

The names below are the public interface. Each is loaded on first use, so that importing one name
loads only what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ranking.core.agreement.judge_pairs import agreement_of_pairs as agreement_of_pairs
    from ranking.core.agreement.measures import label_agreement as label_agreement
    from ranking.core.agreement.measures import measure_agreement as measure_agreement
    from ranking.core.agreement.parts import agreement_by_length as agreement_by_length
    from ranking.core.agreement.parts import agreement_by_reference as agreement_by_reference
    from ranking.core.agreement.report import inter_judge_agreement as inter_judge_agreement
    from ranking.core.diagnosis.campaign import diagnose_campaign as diagnose_campaign
    from ranking.core.diagnosis.campaign import identical_texts as identical_texts
    from ranking.core.judged.blocks import BlockRow as BlockRow
    from ranking.core.judged.blocks import Blocks as Blocks
    from ranking.core.judged.blocks import blocks_from_rows as blocks_from_rows
    from ranking.core.judges.diagnosis import diagnose_judges as diagnose_judges
    from ranking.core.judges.outliers import outliers as outliers
    from ranking.core.methods.registry import METHODS as METHODS
    from ranking.core.rankings.rank import Ranking as Ranking
    from ranking.core.rankings.rank import rank as rank
    from ranking.core.scores import NotEstimable as NotEstimable
    from ranking.core.scores import Scores as Scores
    from ranking.core.selection import data_requirements as data_requirements
    from ranking.core.selection import select_method as select_method
    from ranking.core.sharding import ThisMachine as ThisMachine
    from ranking.core.sharding import map_shards as map_shards
    from ranking.core.simulation.budget import plan_budget as plan_budget
    from ranking.core.simulation.budget import plan_campaign as plan_campaign
    from ranking.core.simulation.measures import simulate_campaigns as simulate_campaigns
    from ranking.core.simulation.noise import fit_noise as fit_noise
    from ranking.core.simulation.noise import likely_futures as likely_futures

#: Module of this package that defines each public name.
_MODULES = {
    "BlockRow": "judged.blocks",
    "Blocks": "judged.blocks",
    "METHODS": "methods.registry",
    "NotEstimable": "scores",
    "Ranking": "rankings.rank",
    "Scores": "scores",
    "agreement_of_pairs": "agreement.judge_pairs",
    "agreement_by_length": "agreement.parts",
    "agreement_by_reference": "agreement.parts",
    "blocks_from_rows": "judged.blocks",
    "data_requirements": "selection",
    "diagnose_campaign": "diagnosis.campaign",
    "diagnose_judges": "judges.diagnosis",
    "fit_noise": "simulation.noise",
    "identical_texts": "diagnosis.campaign",
    "inter_judge_agreement": "agreement.report",
    "label_agreement": "agreement.measures",
    "likely_futures": "simulation.noise",
    "measure_agreement": "agreement.measures",
    "outliers": "judges.outliers",
    "plan_budget": "simulation.budget",
    "plan_campaign": "simulation.budget",
    "map_shards": "sharding",
    "rank": "rankings.rank",
    "select_method": "selection",
    "simulate_campaigns": "simulation.measures",
    "ThisMachine": "sharding",
}

__all__ = list(_MODULES)


if not TYPE_CHECKING:  # type checkers know only the names above

    def __getattr__(name: str) -> Any:
        """Load a public name from the module that defines it."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """Return all names of the module, public names included."""
    return sorted({*globals(), *_MODULES})
