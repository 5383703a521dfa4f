"""What a ranking says of the stopping rule it was made under: a function of its tallies and parameters."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ranking.core.ranges.sign_tests import Correction, adjusted
from ranking.core.rankings.counted_judgments import CountedJudgments
from ranking.core.rankings.rank import Ranking, rank_at_any_time
from ranking.wording.stopping_rules import RuleTests

_RANGE = (
    *("system", "rank", "last_rank", "rank_low", "rank_high", "cluster", "group", "shortage"),
)


def stopping_result(
    counted: CountedJudgments, ranking: Ranking, rule: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what is told apart, the ranges that hold at any time, and which criteria are met.

    Whether the day of the rule has come is no part of it: that does not follow from judgments.

    Returns
    -------
    dict
        `stopping`: `judgments`, `pairs` of all systems, with and without a score, `pairs_apart` and `clusters` as
        the rule looks at them (None where this ranking does not say, and clusters also while a system has no
        rank or no range), and the `criteria` that are met. `anytime`: Expected Wins' ranges of each
        `systems`, `clusters`, `pairs_apart` and `refusals`; None if the tallies have no moments of segments and
        judges.
    """
    anytime = rank_at_any_time(counted, confidence=rule["confidence"])
    looked_at = anytime if rule["tests"] == RuleTests.ANYTIME else ranking
    # Also those without a score yet: a few systems that were judged first must not meet the rule.
    systems = len(counted.systems)
    found = {
        "judgments": counted.blocks,
        "pairs": systems * (systems - 1) // 2,
        "pairs_apart": None if looked_at is None else _apart(looked_at, rule),
        "clusters": None
        if looked_at is None
        or looked_at.shortages
        or len(looked_at.groups) > 1
        or len(looked_at.systems) < systems
        else _clusters(looked_at),
    }
    return {
        "stopping": {**found, "criteria": _met(found, rule)},
        "anytime": None if anytime is None else _anytime(anytime),
    }


def _apart(ranking: Ranking, rule: Mapping[str, Any]) -> int:
    if rule["tests"] == RuleTests.ANYTIME:
        return sum(pair.significant for pair in ranking.pairs)
    single = np.array([pair.p_value for pair in ranking.pairs], dtype=np.float64)
    level = round(1 - rule["confidence"], 12)
    return int(np.count_nonzero(adjusted(single, Correction.HOLM) <= level)) if len(single) else 0


def _clusters(ranking: Ranking) -> int | None:
    """Return the number of clusters; None while no rank range is estimable."""
    known = [row for row in ranking.systems if row.system not in ranking.shortages]
    if ranking.systems and not known:
        return None
    return len({(row.group, row.cluster) for row in known})


def _met(found: Mapping[str, Any], rule: Mapping[str, Any]) -> list[str]:
    met = []
    apart, share = found["pairs_apart"], rule["pairs_share"]
    # As whole numbers would say it: 0.9 of ten pairs is nine, whatever floats make of it.
    pairs = found["pairs"]
    if share is not None and apart is not None and pairs and apart >= round(share * pairs, 9):
        met.append("pairs_share")
    clusters, wanted = found["clusters"], rule["clusters"]
    if wanted is not None and clusters is not None and clusters >= wanted:
        met.append("clusters")
    if rule["judgments"] is not None and found["judgments"] >= rule["judgments"]:
        met.append("judgments")
    return met


def _anytime(ranking: Ranking) -> dict[str, Any]:
    return {
        "confidence": ranking.confidence,
        "systems": [{name: row[name] for name in _RANGE if name in row} for row in ranking.rows()],
        "clusters": _clusters(ranking),
        "pairs_apart": sum(pair.significant for pair in ranking.pairs),
        "refusals": ranking.extra.get("refusals", {}),
    }
