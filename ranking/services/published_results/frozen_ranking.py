"""The ranking of a published result, with the published names of its systems."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from ranking.core.judged.blocks import CodedJudgments, blocks_of_codes
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import only_estimable
from ranking.core.rankings.records import RankedRow, RunResult, UnrankedRow
from ranking.models import RankingRun
from ranking.reports.wording.published_content import (
    Finding,
    PublishedAgreement,
    PublishedGroup,
    PublishedMethod,
    PublishedPair,
    PublishedRanking,
    Refusals,
)
from ranking.reports.wording.ranges import count_clusters, first_cluster, thin_systems
from ranking.selectors.judged_columns import judged_columns
from ranking.selectors.runs import corrected_pairs_of, run_told_apart
from ranking.services.run_results import OwnTests, run_result_of_blocks, with_documents
from version import code_version

#: Published names of systems by name.
Labels = Mapping[str, str]


def labelled_run(run: RankingRun, labels: Labels) -> RankingRun:
    """Return an unsaved run with systems renamed by `labels`; the run itself if nothing is renamed.

    Ranges are drawn in the order of names, and resamples depend on the names of shown systems. So that
    readers can compute the same bits, the ranking is recomputed with the published names, and with the
    candidates of a block in the order of these names, because the display order is not published. Scores
    stay the same, and ranges differ as much as with another seed.
    """
    # Unranked systems are included, because anonymity determines the data that is published.
    if all(name == label for name, label in labels.items()):
        return run
    renamed = RankingRun(
        task_id=run.task_id,
        method=run.method,
        parameters=_labelled_parameters(run.parameters, labels),
        seed=run.seed,
        watermark=run.watermark,
        code_version=code_version(),
        started_at=run.started_at,
        finished_at=run.finished_at,
    )
    coded = judged_columns(task=run.task, watermark=run.watermark)
    candidates = []
    for systems in coded.candidates:
        candidates.append(tuple(sorted(labels[name] for name in systems)))
    coded = candidates_by_name(replace(coded, candidates=candidates))
    blocks = blocks_of_codes(coded, set(chain.from_iterable(candidates)))
    renamed.result = run_result_of_blocks(renamed, with_documents(run.task_id, blocks))
    return renamed


def candidates_by_name(coded: CodedJudgments) -> CodedJudgments:
    """Return judgments with the candidates of each block in the order of their names."""
    order = sorted(range(len(coded.candidates)), key=coded.candidates.__getitem__)
    # The extra element is for index -1, so that missing candidates stay last.
    position = np.full(len(order) + 1, len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    columns = np.argsort(position[coded.candidate], axis=1, kind="stable")
    return replace(
        coded,
        candidate=np.take_along_axis(coded.candidate, columns, axis=1),
        label=np.take_along_axis(coded.label, columns, axis=1),
    )


def _labelled_parameters(
    parameters: Mapping[str, Any],
    labels: Labels,
) -> dict[str, Any]:
    renamed = dict(parameters)
    for part in ("systems", "left_out"):
        renamed[part] = sorted(labels.get(name, name) for name in parameters[part])
    return renamed


#: Parameters that name judges, or are published elsewhere.
_NAMING = frozenset({"excluded_judges", "judge_group", "stopping_rule"})


def frozen_ranking(
    run: RankingRun,
    labels: Labels,
    own_tests: OwnTests | None,
) -> PublishedRanking:
    """Return systems, pairs, groups, and reasons for missing ranks, with the names from `labels`."""
    result: RunResult = run.result
    not_estimable: list[UnrankedRow] = []
    for unranked in result["not_estimable"]:
        not_estimable.append({**unranked, "system": labels[unranked["system"]]})
    refusals: list[Refusals] = []
    for name, reasons in result["refusals"].items():
        refusals.append({"system": labels[name], "reasons": list(reasons)})
    ranking: PublishedRanking = {
        "systems": [frozen_row(row, labels) for row in result["systems"]],
        "not_estimable": sorted(not_estimable, key=itemgetter("system")),
        "groups": _frozen_groups(result, labels),
        "limits": list(result["limits"]),
        "refusals": sorted(refusals, key=itemgetter("system")),
        "pairs": frozen_pairs(run, labels, own_tests),
        "input": result["input"],
    }
    if own_tests is not None:
        ranking["own_limits"] = list(own_tests.limits)
    return ranking


def _frozen_groups(result: RunResult, labels: Labels) -> list[list[str]]:
    """Return the groups in rank order, because alphabetical order would reveal names."""
    position = {}
    for index, row in enumerate(result["systems"]):
        position[labels[row["system"]]] = index
    groups = []
    for group in result["groups"]:
        names = [labels[name] for name in group]
        groups.append(sorted(names, key=position.__getitem__))

    def first_position(group: list[str]) -> int:
        return position[group[0]]

    return sorted(groups, key=first_position)


def frozen_row(row: RankedRow, labels: Labels) -> RankedRow:
    """Return a ranked system; its range and cluster are null while not estimable."""
    if row.get("shortage"):
        published = only_estimable(row)
    else:
        published = row
    return {**published, "system": labels[row["system"]]}


def frozen_pairs(
    run: RankingRun,
    labels: Labels,
    own_tests: OwnTests | None,
) -> list[PublishedPair]:
    """Return all pairs in the order of ranks.

    `p` and `adjusted_p` are of the difference of scores, `own_p` and `own_adjusted_p` of the pair's own
    comparisons. Results of older versions lack the latter; `own_tests` is then None.
    """
    thin = thin_systems(run.result["systems"])
    pairs = []
    for pair in corrected_pairs_of(run):
        # Null if either system has too few judgments for a test.
        is_tested = pair.better not in thin and pair.worse not in thin
        row: PublishedPair = {
            "better": labels[pair.better],
            "worse": labels[pair.worse],
            "wins": pair.wins,
            "losses": pair.losses,
            "ties": pair.ties,
            "p": pair.p_value if is_tested else None,
            "adjusted_p": pair.adjusted_p if is_tested else None,
        }
        if own_tests is not None:
            test = own_tests.of_pairs[frozenset({pair.better, pair.worse})]
            row["own_p"] = test.p
            row["own_adjusted_p"] = test.adjusted_p
        pairs.append(row)
    return pairs


def frozen_method(run: RankingRun, labels: Labels) -> PublishedMethod:
    """Return everything needed to recompute the ranking, besides the judgments."""
    parameters = run.parameters
    published_parameters = _labelled_parameters(parameters, labels)
    for name in _NAMING:
        published_parameters.pop(name, None)
    judge_group: PublishedGroup | None = None
    group = parameters.get("judge_group")
    if group is not None:
        judge_group = {"name": group["name"], "judges_outside": len(group["others"])}
    return {
        "name": run.method,
        "parameters": published_parameters,
        "correction_of_pairs": RangeOptions.from_record(
            parameters,
        ).correction_of_pairs.value,
        # A 64-bit number, which some JSON readers cannot represent.
        "seed": str(run.seed),
        "watermark": run.watermark,
        "code_version": run.code_version,
        "content_key_version": parameters["content_key_version"],
        "computed_at": published_moment(run.finished_at),
        "judge_group": judge_group,
    }


def frozen_agreement(run: RankingRun) -> PublishedAgreement:
    """Return agreement between judges."""
    result: RunResult = run.result
    agreement = result["agreement"]
    return {
        "chance": agreement["chance"],
        "p_chance": agreement["p_chance"],
        "confidence": run.parameters["agreement"]["confidence"],
        "inter": agreement["inter"],
    }


def published_moment(moment: datetime) -> str:
    """Return a time as in the content of results."""
    return moment.isoformat().replace("+00:00", "Z")


def frozen_finding(run: RankingRun, ranking: PublishedRanking) -> Finding:
    """Return the finding of a ranking in numbers."""
    told_apart = run_told_apart(run)
    rows = ranking["systems"]
    return {
        "systems": len(rows),
        "clusters": count_clusters(rows),
        "first": first_cluster(rows, ranking["groups"]),
        "pairs": told_apart.pairs,
        "pairs_told_apart": told_apart.told_apart,
    }
