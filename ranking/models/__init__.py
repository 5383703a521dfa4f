"""What the judgments mean."""

from ranking.models.quality_report import QualityReport
from ranking.models.ranking_run import RankingRun

__all__ = ["QualityReport", "RankingRun"]
