"""The tables there are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext as _

from ranking.analyses.options import OptionError
from ranking.campaign_tables.agreement import AGREEMENT_TABLE
from ranking.campaign_tables.average_ranks import AVERAGE_RANKS
from ranking.campaign_tables.clusters import CLUSTERS
from ranking.campaign_tables.collected import COLLECTED
from ranking.campaign_tables.kind import TableKind
from ranking.campaign_tables.methods import CLUSTERS_BY_METHODS

_KINDS = (COLLECTED, CLUSTERS, AGREEMENT_TABLE, CLUSTERS_BY_METHODS, AVERAGE_RANKS)

#: By name, in the order in which pages list them.
TABLES: Mapping[str, TableKind] = MappingProxyType({kind.name: kind for kind in _KINDS})


def table_named(name: str) -> TableKind:
    """Return the table of that name; OptionError if there is none."""
    try:
        return TABLES[name]
    except KeyError:
        raise OptionError(
            _("There is no table “%(name)s”; there are: %(known)s.")
            % {"name": name, "known": ", ".join(TABLES)},
            field="kind",
        ) from None
