"""What the judgments mean."""

from ranking.models.analysis import Analysis
from ranking.models.judge_measures import JudgeMeasures
from ranking.models.latest_ranking import LatestRanking
from ranking.models.published_result import ADDRESS_LENGTH, PublishedResult
from ranking.models.quality_report import QualityReport
from ranking.models.ranking_run import KeptFor, RankingRun
from ranking.models.ranking_settings import RankingSettings
from ranking.models.result_bundle import PART_BYTES, BundlePart, ResultBundle
from ranking.models.shards import ShardJob, ShardResult
from ranking.models.stopping_rule import StoppingRule
from ranking.models.stored_tallies import StoredTallies, TalliesBuild
from ranking.models.zenodo_draft import ZenodoDraft, ZenodoHost

__all__ = [
    "ADDRESS_LENGTH",
    "PART_BYTES",
    "Analysis",
    "BundlePart",
    "JudgeMeasures",
    "KeptFor",
    "LatestRanking",
    "PublishedResult",
    "QualityReport",
    "RankingRun",
    "RankingSettings",
    "ResultBundle",
    "ShardJob",
    "ShardResult",
    "StoppingRule",
    "StoredTallies",
    "TalliesBuild",
    "ZenodoDraft",
    "ZenodoHost",
]
