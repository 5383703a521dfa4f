"""What a year of a test set that is judged every day leaves behind of its rankings."""

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from django.db import connection

from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.rankings.rank import rank
from ranking.models import KeptFor, LatestRanking, RankingRun
from ranking.services.keeping import is_last_of_its_day, kept_for
from ranking.services.latest_rankings import latest_ranking_replace
from ranking.services.stored_pairs import stored_pairs
from tests.integration.ranking.conftest import WriteTestSet
from tests.worlds import World, draw_campaign

MEGABYTE = 1_000_000
DAYS, JUDGMENTS = 365, 1_000_000
# Rankings that follow from other settings, exclusions and upgrades, and those asked for.
OTHERS = 200


@cache
def rankings_kept() -> int:
    """Return how many rankings of a year are kept: a million judgments, ranked after every tenth."""
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    kept: list[int] = []
    before, ranked_at = 0, begin
    for watermark in range(10, JUDGMENTS + 1, 10):
        now = begin + timedelta(days=DAYS) * (watermark / JUDGMENTS)
        if before not in (0, *kept[-1:]) and is_last_of_its_day(ranked_at, now=now):
            kept.append(before)
        last = RankingRun(watermark=kept[-1]) if kept else None
        if kept_for(RankingRun(watermark=watermark), last=last) is not None:
            kept.append(watermark)
        before, ranked_at = watermark, now
    return len(kept)


def result(systems: int, judges: int) -> dict[str, Any]:
    """Return a result like those of services, of made-up judgments."""
    blocks, _truth = draw_campaign(
        World(name="year", systems=systems, judges=judges, blocks=20 * judges, segments=300), seed=1
    )
    ranking = rank(blocks)
    agreement = inter_judge_agreement(blocks)
    return {
        "systems": [asdict(row) for row in ranking.systems],
        "not_estimable": [],
        "groups": [list(group) for group in ranking.groups],
        "limits": list(ranking.limits),
        "refusals": {},
        "pairs": stored_pairs(ranking),
        "input": {
            "blocks": ranking.blocks,
            "comparisons": ranking.comparisons,
            "ties": ranking.ties,
            "judges": judges,
            "systems": systems,
        },
        "agreement": {
            "chance": "scott",
            "inter": asdict(agreement.inter),
            "judges": [
                {
                    "judge": row.judge,
                    "blocks": row.blocks,
                    "comparisons": row.comparisons,
                    "ties": row.ties,
                    **asdict(row.agreement),
                }
                for row in agreement.judges
            ],
        },
    }


def bytes_stored(run: RankingRun) -> int:
    """Return what the row takes, with what lies beside the table, and three entries in indexes."""
    columns = [field.column for field in RankingRun._meta.concrete_fields]
    sizes = " + ".join(f"coalesce(pg_column_size({column}), 0)" for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sizes} FROM ranking_rankingrun WHERE id = %s", [run.pk])
        return int(cursor.fetchone()[0]) + 24 + 3 * 24


@pytest.mark.django_db
@pytest.mark.parametrize(("systems", "judges"), [(20, 60), (20, 200), (40, 200), (20, 1000)])
def test_a_year_takes_less_than_100_megabytes(
    write_test_set: WriteTestSet, systems: int, judges: int
) -> None:
    names = [f"system{number:02}" for number in range(systems)]
    writer = write_test_set(names)
    run = RankingRun(
        task=writer.task,
        method="expected_wins",
        parameters={"systems": names, "excluded_judges": [], "left_out": []},
        seed=0,
        watermark=JUDGMENTS,
        code_version="1.0.0+0123456789",
        result=result(systems, judges),
        started_at=datetime.now(UTC),
    )
    latest_ranking_replace(run=run, latest=None)
    stored = RankingRun.objects.get()
    assert stored.result == json.loads(json.dumps(run.result))
    assert LatestRanking.objects.get().result == stored.result

    kept = rankings_kept() + OTHERS
    size = bytes_stored(stored)

    sys.stdout.write(
        f"{systems} systems, {judges} judges: {kept} runs a year of {size / 1000:.1f} kB, "
        f"{kept * size / MEGABYTE:.0f} MB\n"
    )
    assert stored.kept_for == KeptFor.FIRST
    assert kept < 551 + DAYS + OTHERS
    assert kept * size < 100 * MEGABYTE
