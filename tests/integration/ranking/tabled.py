"""Tables over the test sets of a campaign, as tests ask for them."""

from typing import Any

from campaign.models import Campaign
from ranking.reports import Report
from ranking.selectors.campaign_tables import live_rows, stored_report
from ranking.services.campaign_tables import (
    table_ask,
    table_choice,
    table_compute,
)


def rows_of(report: Report, name: str) -> list[list[Any]]:
    """The rows of one part of a table."""
    return [list(row) for table in report.tables if table.name == name for row in table.rows]


def told(campaign: Campaign, kind: str, **given: Any) -> Report:
    """The table, computed at once where it has to be."""
    choice = table_choice(kind, given)
    if choice.is_live:
        return choice.kind.tell(live_rows(campaign=campaign, kind=choice.kind), choice.options)
    table = table_ask(campaign=campaign, choice=choice, is_queued=False)
    return stored_report(table_compute(table=table))
