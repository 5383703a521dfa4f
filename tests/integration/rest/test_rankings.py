"""Ranking runs over REST."""

from itertools import combinations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.models import Task
from ranking.core.rankings.rank import only_estimable
from ranking.models import LatestRanking, RankingRun

pytestmark = pytest.mark.django_db


def test_latest_ranking_is_complete(
    task: Task,
    ranking: RankingRun,
    analyst: Client,
) -> None:
    body = analyst.get(reverse("api-ranking-latest", args=[task.pk])).json()
    started, finished = body.pop("started_at"), body.pop("finished_at")
    assert started == ranking.started_at.isoformat().replace("+00:00", "Z")
    assert finished >= started
    pairs = body.pop("pairs")
    assert [
        [row[name] for name in ("wins", "losses", "ties", "p_value", "adjusted_p")]
        for row in pairs
    ] == [[*pair[:3], None, None] for pair in ranking.result.pop("pairs")]
    names = [row["system"] for row in body["systems"]]
    assert [(row["better"], row["worse"]) for row in pairs] == list(
        combinations(names, 2),
    )
    assert body == {
        "id": ranking.pk,
        "method": "expected_wins",
        "parameters": ranking.parameters,
        "seed": ranking.seed,
        "watermark": 12,
        "code_version": ranking.code_version,
        # Field by field what was stored, floats to the last bit.
        **ranking.result,
        # Twelve judgments are too few for ranges.
        "systems": [only_estimable(row) for row in ranking.result["systems"]],
        "told_apart": {
            "pairs": 15,
            "told_apart": 0,
            "correction": "holm",
            "level": 0.05,
        },
        "judges_left_out": [],
        "stopping": None,
        "anytime": None,
    }
    assert all(row["shortage"] for row in body["systems"])


def test_the_latest_ranking_is_sent_once(
    task: Task,
    ranking: RankingRun,
    analyst: Client,
) -> None:
    address = reverse("api-ranking-latest", args=[task.pk])
    first = analyst.get(address)
    seen = {"If-None-Match": first["ETag"]}
    again = analyst.get(address, headers=seen)
    assert (again.status_code, again.content, again["ETag"]) == (
        304,
        b"",
        first["ETag"],
    )
    LatestRanking.objects.update(finished_at=timezone.now())
    news = analyst.get(address, headers=seen)
    assert (news.status_code, news["ETag"] == first["ETag"]) == (200, False)
