"""Rankings, how their ranges are made, and what was measured of the judges."""

from functools import partial
from typing import Any

from django.utils import timezone

from ranking.models import (
    RankingRun,
)
from tests.integration.constraints.breakages import Create
from tests.integration.constraints.worlds import small_task


def said() -> dict[str, Any]:
    return {
        "method": "expected_wins",
        "parameters": {},
        "seed": 1,
        "watermark": 0,
        "code_version": "0",
        "result": {},
        "kept_for": "first",
        "comparisons": 0,
        "standings": [],
        "started_at": timezone.now(),
    }


def run() -> Create:
    return partial(RankingRun.objects.create, task=small_task(), **said())
