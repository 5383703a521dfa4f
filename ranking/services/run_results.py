"""Results of ranking runs, computed from the fields they record."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from ranking.core.agreement.report import (
    Agreement,
    AgreementReport,
    Chance,
    JudgeChance,
    inter_judge_agreement,
)
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.documents import several_documents
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.effective_units import effective_units
from ranking.core.rankings.rank import Ranking, rank
from ranking.models import RankingRun
from ranking.range_choices import recorded_choice
from ranking.range_limits import range_limits
from ranking.selectors.judged_blocks import documents_of_segments, judged_blocks
from ranking.services.stored_pairs import stored_pairs

# An arbitrary value if a run records none, because its intervals of κ are not resampled.
_KAPPA_RESAMPLES = 1000
# Parameters of methods in runs from before these were recorded.
_PARAMETERS_BEFORE = {"bradley_terry": {"prior": 0.0}}


def run_result(run: RankingRun) -> dict[str, Any]:
    """Return the result of a run, computed from the fields it records.

    The same run gives the same bits at any later time. Results that earlier versions did not have
    are left out for their runs. Call it in a transaction, see `judged_blocks`.
    """
    parameters = run.parameters
    everything = judged_blocks(
        test_set_id=run.test_set_id,
        watermark=run.watermark,
        without_judges=parameters.get("excluded_judges", ()),
    )
    blocks = everything.without(set(everything.systems).difference(parameters["systems"]))
    blocks, named = _with_documents(run, blocks)
    choice = recorded_choice(parameters)
    ranking = rank(
        blocks,
        run.method,
        resamples=parameters["resamples"],
        seed=run.seed,
        parameters=parameters.get("method_parameters", _PARAMETERS_BEFORE.get(run.method)),
        **choice.arguments,
    )
    agreement = parameters["agreement"]
    report = inter_judge_agreement(
        blocks,
        chance=Chance(agreement["chance"]),
        # Older runs do not record it: P(E) was the same for all judges.
        chance_of_judges=JudgeChance(agreement.get("chance_of_judges", JudgeChance.POOLED)),
        resample=agreement["resample"],
        resamples=agreement.get("resamples", _KAPPA_RESAMPLES),
        confidence=agreement["confidence"],
        seed=run.seed,
    )
    result = {
        "systems": [asdict(row) for row in ranking.systems],
        "not_estimable": [asdict(row) for row in ranking.not_estimable],
        "groups": [list(group) for group in ranking.groups],
        "input": _input(blocks, ranking),
        "agreement": _agreement(report, is_older="chance_of_judges" not in agreement),
    }
    if "ranges" in parameters:
        return result | _units_and_limits(run, blocks, ranking, named)
    return result


def _with_documents(run: RankingRun, blocks: Blocks) -> tuple[Blocks, int]:
    """Return the blocks with documents, if the run takes these for independent, and their number.

    Runs from before this was recorded only did so for anytime ranges. Segments imported without
    documents are all in one document, and a single document does not replace segments. The number
    is that of all documents of judged segments.
    """
    numbers, place = np.unique(blocks.segment, return_inverse=True)
    of_segment = documents_of_segments(test_set_id=run.test_set_id, segments=numbers.tolist())
    documents = {
        document: number for number, document in enumerate(sorted(set(of_segment.values())))
    }
    by_documents = run.parameters.get("documents", False)
    if not by_documents and recorded_choice(run.parameters).ranges != "anytime":
        return blocks, len(documents)
    document = np.array(
        [documents[of_segment[number]] for number in numbers.tolist()], dtype=np.int32
    )[place]
    return replace(blocks, document=several_documents(document, blocks.segment)), len(documents)


def _input(blocks: Blocks, ranking: Ranking) -> dict[str, int]:
    return {
        "blocks": ranking.blocks,
        "comparisons": ranking.comparisons,
        "ties": ranking.ties,
        "judges": ranking.judges,
        "systems": len(blocks.systems),
    }


def _units_and_limits(
    run: RankingRun, blocks: Blocks, ranking: Ranking, documents: int
) -> dict[str, Any]:
    """Return the numbers of units behind the ranges, and the units not accounted for.

    `documents` is the number of documents that the judged segments are of.
    """
    effective = effective_units(blocks, METHODS[run.method])
    of_documents = {"documents": documents, "effective_documents": effective.documents}
    return {
        "input": {
            **_input(blocks, ranking),
            "segments": len(np.unique(blocks.segment)),
            "effective_segments": effective.segments,
            "effective_judges": effective.judges,
            **(of_documents if run.parameters.get("documents") and documents > 1 else {}),
        },
        "limits": range_limits(
            recorded_choice(run.parameters),
            ranking.limits,
            effective,
            one_document=documents == 1,
        ),
        "refusals": ranking.extra.get("refusals", {}),
        "pairs": stored_pairs(ranking),
    }


def _agreement(report: AgreementReport, *, is_older: bool) -> dict[str, Any]:
    return {
        "chance": report.chance.value,
        "p_chance": report.p_chance,
        "comparisons": report.comparisons,
        "ties": report.ties,
        "inter": _kappa(report.inter, is_older=is_older),
        "judges": [
            {
                "judge": row.judge,
                "blocks": row.blocks,
                "comparisons": row.comparisons,
                "ties": row.ties,
                **_kappa(row.agreement, is_older=is_older),
            }
            for row in report.judges
        ],
    }


def _kappa(agreement: Agreement, *, is_older: bool) -> dict[str, Any]:
    said = asdict(agreement)
    if is_older:
        # The result of a run must not change by a bit.
        del said["p_chance"], said["no_interval"]
    return said
