"""Tables over the test sets of a campaign: what can be tabulated, from what, and how it is told."""

from ranking.campaign_tables.kind import TableKind
from ranking.campaign_tables.registry import TABLES, table_named

__all__ = ["TABLES", "TableKind", "table_named"]
