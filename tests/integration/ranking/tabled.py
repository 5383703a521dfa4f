"""Tables over the test sets of a campaign, as tests ask for them."""

from typing import Any

from campaign.models import Campaign
from ranking.reports import Report
from ranking.reports.analyses.kind import AnalysisChoice
from ranking.selectors.analyses import answer_with_data, table_answer
from ranking.services.analyses import analysis_choice, analysis_compute, table_ask


def rows_of(report: Report, name: str) -> list[list[Any]]:
    """The rows of one part of a table."""
    return [
        list(row) for table in report.tables if table.name == name for row in table.rows
    ]


def table_choice(kind: str, given: dict[str, Any]) -> AnalysisChoice:
    return analysis_choice(kind, given, of_campaign=True)


def told(campaign: Campaign, kind: str, **given: Any) -> Report:
    """The table, computed at once where it has to be."""
    choice = table_choice(kind, given)
    if choice.is_live:
        report, _asked = table_answer(campaign=campaign, choice=choice)
        assert report is not None
        return report
    table = table_ask(campaign=campaign, choice=choice, is_queued=False)
    return answer_with_data(analysis_compute(analysis=table))
