"""Rankings and analyses of the judgments."""

from ranking.models.analysis import Analysis
from ranking.models.metric import Metric
from ranking.models.published_result import ADDRESS_LENGTH, PublishedResult
from ranking.models.ranking_run import KeptFor, LatestRanking, RankingRun
from ranking.models.ranking_settings import RankingSettings, StoppingRule
from ranking.models.stored_tallies import (
    JudgeMeasures,
    RankingUpkeep,
    StoredTallies,
)
