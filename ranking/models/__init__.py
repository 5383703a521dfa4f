"""What the judgments mean."""

from ranking.models.ranking_run import RankingRun

__all__ = ["RankingRun"]
