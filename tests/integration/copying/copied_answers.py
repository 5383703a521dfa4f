"""Answers of analyses and tables, as they are asked for and copied in these tests."""

from collections.abc import Mapping
from typing import Any

from campaign.models import Campaign
from cells.campaign_copy.counted import counted_judges
from cells.campaign_copy.naming import copied_names
from cells.campaign_copy.table_rows import CopiedTaskNames
from ranking.models import Analysis, CampaignTable
from ranking.selectors.runs import latest_run
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.campaign_tables import table_ask, table_choice, table_compute
from tests.integration.ranking.writing import TestSetWriter

#: A question of each kind, with names where it takes some.
ASKED: Mapping[str, Mapping[str, Any]] = {
    "ranking": {"method": "bradley_terry", "ranges": "confidence_set", "resamples": 100},
    "pairs": {"method": "bojar"},
    "system": {"system": "cobalt"},
    "firmness": {},
    "stopping": {"experiments": 40, "limit": 1000},
    "methods": {"methods": ["expected_wins", "bojar", "geq_others"]},
    "beside": {"resamples": 100},
    "agreement": {"chance": "uniform", "resamples": 100},
    "agreement_by": {"fewest": 1, "resamples": 100},
    "diagnosis": {"skipped_blocks": "count"},
    "remarks": {},
    "judges": {},
    "judge_pairs": {"judge": "j1", "other": "j2"},
    "without": {"leave_out": ["j1"], "resamples": 100},
}


#: Choices of tables that somebody has to ask for.
TABLED: Mapping[str, Mapping[str, Any]] = {
    "clusters": {"method": "bojar", "resamples": 100},
    "agreement": {"resamples": 100},
    "methods": {"methods": ["bojar", "geq_others"], "resamples": 100},
    "average-ranks": {"method": "expected_wins"},
}


def ask(writer: TestSetWriter, kind: str, **given: Any) -> Analysis:
    asked = analysis_ask(task=writer.task, choice=analysis_choice(kind, given), is_queued=False)
    return analysis_compute(analysis=asked)


def tabulate(campaign: Campaign, kind: str, **given: Any) -> CampaignTable:
    asked = table_ask(campaign=campaign, choice=table_choice(kind, given), is_queued=False)
    return table_compute(table=asked)


def called_in(writer: TestSetWriter) -> CopiedTaskNames:
    counted = counted_judges(writer.task, latest_run(task_id=writer.task.pk))
    return CopiedTaskNames(writer.task, copied_names(writer.task), counted)
