"""The kinds of analyses there are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext as _

from ranking.analyses.agreement import AGREEMENT
from ranking.analyses.agreement_by import AGREEMENT_BY
from ranking.analyses.diagnosis import DIAGNOSIS
from ranking.analyses.firmness import FIRMNESS
from ranking.analyses.judge_pairs import JUDGE_PAIRS
from ranking.analyses.judges import JUDGES
from ranking.analyses.kind import AnalysisKind
from ranking.analyses.methods import COMPARED_METHODS
from ranking.analyses.options import OptionError
from ranking.analyses.pairs import PAIRS
from ranking.analyses.ranking import RANKING
from ranking.analyses.remarks import REMARKS
from ranking.analyses.stopping import STOPPING
from ranking.analyses.system import ONE_SYSTEM
from ranking.analyses.without import WITHOUT_JUDGES

_KINDS = (
    RANKING,
    PAIRS,
    ONE_SYSTEM,
    FIRMNESS,
    STOPPING,
    COMPARED_METHODS,
    AGREEMENT,
    AGREEMENT_BY,
    DIAGNOSIS,
    REMARKS,
    JUDGES,
    JUDGE_PAIRS,
    WITHOUT_JUDGES,
)

#: By name, in the order in which pages list them.
ANALYSES: Mapping[str, AnalysisKind] = MappingProxyType({kind.name: kind for kind in _KINDS})


def analysis_named(name: str) -> AnalysisKind:
    """Return the kind of that name; OptionError if there is none."""
    try:
        return ANALYSES[name]
    except KeyError:
        raise OptionError(
            _("There is no analysis “%(name)s”; there are: %(known)s.")
            % {"name": name, "known": ", ".join(ANALYSES)},
            field="kind",
        ) from None
