"""The ranking of a published result: what a run found, with other names for some systems."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ranking.core.ranges.sign_tests import ComparedPair, Correction, adjusted
from ranking.core.rankings.rank import only_estimable
from ranking.models import RankingRun
from ranking.range_choices import recorded_choice
from ranking.services.stored_pairs import pairs_of

#: Parameters that name judges or systems, or are told elsewhere.
_NAMING = frozenset({"excluded_judges", "judge_group", "systems", "left_out", "stopping_rule"})


def frozen_ranking(run: RankingRun, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the table, the pairs and their reasons; names are those of `labels`."""
    result = run.result
    ranked = [labels[row["system"]] for row in result["systems"]]
    pairs = frozen_pairs(run, labels)
    return {
        "systems": [frozen_row(row, labels) for row in result["systems"]],
        "not_estimable": sorted(
            ({**row, "system": labels[row["system"]]} for row in result["not_estimable"]),
            key=lambda row: str(row["system"]),
        ),
        # In the order of ranks: that of names would tell names.
        "groups": sorted(
            (
                sorted((labels[name] for name in group), key=ranked.index)
                for group in result["groups"]
            ),
            key=lambda group: ranked.index(group[0]),
        ),
        "limits": list(result["limits"]),
        "refusals": [
            {"system": label, "reasons": list(reasons)}
            for label, reasons in sorted(
                (labels[name], why) for name, why in result["refusals"].items()
            )
        ],
        "pairs": pairs,
        "input": dict(result["input"]),
    }


def frozen_row(row: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return a ranked system, its range and cluster null while they are not estimable."""
    known = only_estimable(row) if row.get("shortage") else row
    return {**known, "system": labels[row["system"]]}


def frozen_pairs(run: RankingRun, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return all pairs in the order of ranks."""
    pairs = pairs_of(run)
    corrected = _corrected(run, pairs)
    thin = {row["system"] for row in run.result["systems"] if row.get("shortage")}
    return [
        {
            "better": labels[pair.better],
            "worse": labels[pair.worse],
            "wins": pair.wins,
            "losses": pair.losses,
            "ties": pair.ties,
            # Null where either system lacks the judgments for a test.
            **(
                {"p": None, "adjusted_p": None}
                if pair.better in thin or pair.worse in thin
                else {"p": pair.p_value, "adjusted_p": p}
            ),
        }
        for pair, p in zip(pairs, corrected, strict=True)
    ]


def correction_of_pairs(run: RankingRun) -> Correction:
    """Return how p-values of pairs are corrected: as the run does, else by Holm."""
    chosen = recorded_choice(run.parameters).correction
    return Correction.HOLM if chosen is Correction.NONE else chosen


def _corrected(run: RankingRun, pairs: list[ComparedPair]) -> list[float]:
    if recorded_choice(run.parameters).correction is not Correction.NONE:
        return [pair.adjusted_p for pair in pairs]
    single = np.array([pair.p_value for pair in pairs], dtype=np.float64)
    return [float(p) for p in adjusted(single, correction_of_pairs(run))]


def frozen_method(run: RankingRun, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return how the ranking was made: all that it takes to make it again, but the judgments."""
    parameters = run.parameters
    group = parameters.get("judge_group")
    return {
        "name": run.method,
        "parameters": {
            **{key: value for key, value in parameters.items() if key not in _NAMING},
            "systems": sorted(labels.get(name, name) for name in parameters["systems"]),
            "left_out": sorted(labels.get(name, name) for name in parameters["left_out"]),
        },
        "correction_of_pairs": correction_of_pairs(run).value,
        # A number of 64 bits, which readers of JSON may not have as one.
        "seed": str(run.seed),
        "watermark": run.watermark,
        "code_version": run.code_version,
        "content_key_version": parameters["content_key_version"],
        "computed_at": run.finished_at.isoformat().replace("+00:00", "Z"),
        "judge_group": None
        if group is None
        else {"name": group["name"], "judges_outside": len(group["others"])},
    }


def frozen_agreement(run: RankingRun) -> dict[str, Any]:
    """Return agreement between judges."""
    agreement = run.result["agreement"]
    return {
        "chance": agreement["chance"],
        "p_chance": agreement["p_chance"],
        "confidence": run.parameters["agreement"]["confidence"],
        "inter": dict(agreement["inter"]),
    }
