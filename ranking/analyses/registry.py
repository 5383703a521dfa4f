"""Registry of analyses of comparisons, of single protocols, and of the test sets of a campaign."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ranking.analyses.across.agreement import AGREEMENT_TABLE, COLLECTED
from ranking.analyses.across.rankings import AVERAGE_RANKS, CLUSTERS, CLUSTERS_BY_METHODS
from ranking.analyses.agreement import AGREEMENT, AGREEMENT_BY, JUDGE_PAIRS
from ranking.analyses.beside import BESIDE
from ranking.analyses.diagnosis import DIAGNOSIS
from ranking.analyses.firmness import FIRMNESS
from ranking.analyses.judges import JUDGES, WITHOUT_JUDGES
from ranking.analyses.kind import AnalysisKind
from ranking.analyses.machines import MACHINES
from ranking.analyses.methods import COMPARED_METHODS
from ranking.analyses.metrics import METRIC_ORDERS, METRICS
from ranking.analyses.options import OptionError
from ranking.analyses.pairs import PAIRS
from ranking.analyses.predicted_ranking import PREDICTED_RANKING
from ranking.analyses.ranking import RANKING
from ranking.analyses.stopping import STOPPING
from ranking.analyses.system import ONE_SYSTEM, REMARKS

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

_OF_CAMPAIGNS = (COLLECTED, CLUSTERS, AGREEMENT_TABLE, CLUSTERS_BY_METHODS, AVERAGE_RANKS)

_KINDS: Final[dict[str, AnalysisKind]] = {kind.name: kind for kind in _OF_COMPARISONS}
#: Kinds by name, in display order.
ANALYSES: Final[Mapping[str, AnalysisKind]] = MappingProxyType(_KINDS)
TABLES: Final[Mapping[str, AnalysisKind]] = MappingProxyType(
    {kind.name: kind for kind in _OF_CAMPAIGNS}
)


def analysis_register(kind: AnalysisKind) -> None:
    """Register an analysis of a protocol; call this in `AppConfig.ready`."""
    _KINDS[kind.name] = kind


def analysis_named(name: str, *, of_campaign: bool = False) -> AnalysisKind:
    """Return the kind with this name; raise OptionError if there is none."""
    known = TABLES if of_campaign else ANALYSES
    if name not in known:
        what = "table" if of_campaign else "analysis"
        raise OptionError(
            f"Unknown {what} “{name}”. Choose one of: {', '.join(known)}.", field="kind"
        )
    return known[name]
