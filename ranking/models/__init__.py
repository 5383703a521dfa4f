"""What the judgments mean."""

from ranking.models.quality_report import QualityReport
from ranking.models.ranking_run import RankingRun
from ranking.models.ranking_settings import RankingSettings

__all__ = ["QualityReport", "RankingRun", "RankingSettings"]
