"""Registry of analyses of comparisons, of single protocols, and of the test sets of a campaign."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ranking.reports.analyses.across.agreement import AGREEMENT_TABLE, COLLECTED
from ranking.reports.analyses.across.rankings import (
    AVERAGE_RANKS,
    CLUSTERS,
    CLUSTERS_BY_METHODS,
)
from ranking.reports.analyses.agreement import AGREEMENT
from ranking.reports.analyses.agreement_by_part import AGREEMENT_BY
from ranking.reports.analyses.beside import BESIDE
from ranking.reports.analyses.diagnosis import DIAGNOSIS
from ranking.reports.analyses.firmness import FIRMNESS
from ranking.reports.analyses.judge_pairs import JUDGE_PAIRS
from ranking.reports.analyses.judges import JUDGES, WITHOUT_JUDGES
from ranking.reports.analyses.kind import AnalysisKind
from ranking.reports.analyses.machines import MACHINES
from ranking.reports.analyses.methods import COMPARED_METHODS
from ranking.reports.analyses.metric_orders import METRIC_ORDERS
from ranking.reports.analyses.metrics import METRICS
from ranking.reports.analyses.options import OptionError
from ranking.reports.analyses.pairs import PAIRS
from ranking.reports.analyses.predicted_ranking import PREDICTED_RANKING
from ranking.reports.analyses.ranking import RANKING
from ranking.reports.analyses.stopping import STOPPING
from ranking.reports.analyses.system import ONE_SYSTEM, REMARKS

_OF_COMPARISONS = (
    PAIRS,
    FIRMNESS,
    COMPARED_METHODS,
    BESIDE,
    METRIC_ORDERS,
    METRICS,
    PREDICTED_RANKING,
    RANKING,
    ONE_SYSTEM,
    STOPPING,
    AGREEMENT,
    AGREEMENT_BY,
    DIAGNOSIS,
    REMARKS,
    JUDGES,
    JUDGE_PAIRS,
    WITHOUT_JUDGES,
    MACHINES,
)

_OF_CAMPAIGNS = (
    COLLECTED,
    CLUSTERS,
    AGREEMENT_TABLE,
    CLUSTERS_BY_METHODS,
    AVERAGE_RANKS,
)

_KINDS: Final[dict[str, AnalysisKind]] = {kind.name: kind for kind in _OF_COMPARISONS}
#: Kinds by name, in display order.
ANALYSES: Final[Mapping[str, AnalysisKind]] = MappingProxyType(_KINDS)
TABLES: Final[Mapping[str, AnalysisKind]] = MappingProxyType(
    {kind.name: kind for kind in _OF_CAMPAIGNS},
)


def analysis_register(kind: AnalysisKind) -> None:
    """Register an analysis of a protocol; call this in `AppConfig.ready`."""
    _KINDS[kind.name] = kind


def analysis_named(name: str, *, of_campaign: bool = False) -> AnalysisKind:
    """Return the kind with this name; raise OptionError if there is none."""
    kinds = TABLES if of_campaign else ANALYSES
    if name not in kinds:
        what = "table" if of_campaign else "analysis"
        raise OptionError(
            f"Unknown {what} “{name}”. Choose one of: {', '.join(kinds)}.",
            field="kind",
        )
    return kinds[name]
