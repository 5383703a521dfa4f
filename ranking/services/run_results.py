"""Results of ranking runs, computed from their recorded fields, with pairwise separation and the stopping rule."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from ranking.core.agreement.intervals import reported
from ranking.core.agreement.report import (
    AgreementReport,
    JudgeChance,
    agreement_of_tallies,
)
from ranking.core.agreement.statistics import Chance
from ranking.core.agreement.tallies import AgreementTallies, tally_agreement
from ranking.core.judged.blocks import Blocks, several_documents
from ranking.core.live.definition import (
    Definition,
    RunTallies,
    definition_of,
    tallies_of_blocks,
)
from ranking.core.ranges import ComparedPair, Correction, corrected_pairs
from ranking.core.rankings.counted_judgments import (
    CountedJudgments,
    effective_units_of_sizes,
)
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import Ranking, rank_at_any_time, rank_judged
from ranking.core.rankings.records import (
    RecordedAnytime,
    RecordedRule,
    RuleProgress,
    RunInput,
    RunParameters,
    RunResult,
    StoppingResult,
    part_of_row,
)
from ranking.models import RankingRun
from ranking.reports.analyses.pairs import compared_often, fewest_comparisons, own_tests
from ranking.reports.range_choices import range_limits
from ranking.reports.wording.ranges import count_clusters
from ranking.reports.wording.stopping_rules import RuleTests
from ranking.selectors.judged_columns import documents_of_segments, judged_blocks
from ranking.selectors.runs import judges_not_counted


def run_result(run: RankingRun) -> RunResult:
    """Return the result of a run, computed from all judgments and the fields it records.

    The same run gives the same bits at any later time. Call it in a transaction, see `judged_blocks`.
    """
    judged = judged_blocks(task=run.task, watermark=run.watermark)
    return run_result_of_blocks(run, with_documents(run.task_id, judged))


def run_result_of_blocks(run: RankingRun, judged: Blocks) -> RunResult:
    """Return the result of a run, stored or not, from judgments from any source.

    Parameters
    ----------
    run : RankingRun
        Its method, parameters and seed.
    judged : Blocks
        All judgments that count, over all systems shown, with documents; those of excluded judges
        may be included.
    """
    return run_result_of(run_tallies(run, judged), run.parameters, seed=run.seed)


def run_tallies(run: RankingRun, judged: Blocks) -> RunTallies:
    """Tally the judgments that count for a run, as `run_result_of_blocks` does."""
    definition = _definition_of(run)
    return tallies_of_blocks(_counted_blocks(definition, judged), definition)


def run_agreement(run: RankingRun, judged: Blocks) -> AgreementTallies:
    """Tally the agreement of the judges of a run, as `run_tallies` does."""
    counted = _counted_blocks(_definition_of(run), judged)
    return tally_agreement(counted.with_judges_in_order())


def _definition_of(run: RankingRun) -> Definition:
    return run_definition(run.parameters, method=run.method, seed=run.seed)


def _counted_blocks(definition: Definition, judged: Blocks) -> Blocks:
    """Return the blocks of judges not excluded, restricted to ranked systems."""
    counted = judged.without_judges(definition.excluded)
    return counted.without(set(counted.systems).difference(definition.systems))


def run_result_of(
    tallies: RunTallies,
    parameters: RunParameters,
    *,
    seed: int,
) -> RunResult:
    """Return the result of a run from the tallies of its judgments.

    The same tallies give the same bits, whether counted at once or incrementally.

    Parameters
    ----------
    tallies : RunTallies
        Tallies with the `run_definition` of these parameters.
    parameters : mapping
        Parameters recorded by the run.
    seed : int

    Raises
    ------
    ValueError
        If the tallies have another definition.
    """
    definition = tallies.definition
    counted = tallies.counted
    if definition != run_definition(parameters, method=definition.method, seed=seed):
        raise ValueError("tallies: they are of another definition than the run")
    agreement = parameters["agreement"]
    report = agreement_of_tallies(
        tallies.agreement,
        chance=Chance(agreement["chance"]),
        chance_of_judges=JudgeChance(agreement["chance_of_judges"]),
        resample=agreement["resample"],
        confidence=agreement["confidence"],
        seed=seed,
    )
    method = definition.counts_method
    options = method.complete(parameters["method_parameters"])
    ranges = RangeOptions.from_record(parameters)
    ranking = rank_judged(counted, method, options, ranges, seed=seed)
    result: RunResult = {
        "systems": ranking.rows(),
        "not_estimable": ranking.unranked_rows(),
        "groups": [list(group) for group in ranking.groups],
        "agreement": _agreement(report),
        "input": _units(counted, ranking),
        "limits": _limits(counted, ranking, parameters),
        "refusals": ranking.extra.get("refusals", {}),
        "pairs": stored_pairs(ranking),
    }
    if "stopping_rule" in parameters:
        progress = stopping_result(counted, ranking, parameters["stopping_rule"])
        result["stopping"] = progress["stopping"]
        result["anytime"] = progress["anytime"]
    return result


def run_definition(parameters: RunParameters, *, method: str, seed: int) -> Definition:
    """Return the definition of a run's tallies, from its recorded parameters."""
    return definition_of(
        method,
        RangeOptions.from_record(parameters),
        systems=tuple(parameters["systems"]),
        seed=seed,
        excluded=tuple(judges_not_counted(parameters)),
    )


def with_documents(task_id: int, blocks: Blocks) -> Blocks:
    """Return the blocks of a test set with the documents of their segments.

    Documents are numbered in the order of their primary keys. Segments imported without documents
    are all in one document.
    """
    numbers, segment = np.unique(blocks.segment, return_inverse=True)
    segments = numbers.tolist()
    document_of = documents_of_segments(task_id=task_id, segments=segments)
    keys = [document_of[number] for number in segments]
    document = np.unique(keys, return_inverse=True)[1].astype(np.int32)
    return replace(blocks, document=document[segment])


def _units(counted: CountedJudgments, ranking: Ranking) -> RunInput:
    """Return the numbers of units that ranges are based on."""
    effective = effective_units_of_sizes(counted.sizes)
    units: RunInput = {
        "blocks": ranking.blocks,
        "comparisons": ranking.comparisons,
        "ties": ranking.ties,
        "judges": ranking.judges,
        "systems": len(counted.systems),
        "segments": counted.segments,
        "effective_segments": effective.segments,
        "effective_judges": effective.judges,
    }
    if counted.documents > 1:
        units["documents"] = counted.documents
        units["effective_documents"] = effective.documents
    return units


def _limits(
    counted: CountedJudgments,
    ranking: Ranking,
    parameters: RunParameters,
) -> list[str]:
    """Return the units not accounted for."""
    return range_limits(
        RangeOptions.from_record(parameters),
        ranking.limits,
        effective_units_of_sizes(counted.sizes),
        one_document=counted.documents == 1,
    )


def _agreement(report: AgreementReport) -> dict[str, Any]:
    """Return the agreement as recorded, without κ whose intervals say too little."""
    judges = []
    for row in report.judges:
        judge = {
            "judge": row.judge,
            "blocks": row.blocks,
            "comparisons": row.comparisons,
            "ties": row.ties,
            **vars(reported(row.agreement)),
        }
        judges.append(judge)
    return {
        "chance": report.chance.value,
        "p_chance": report.p_chance,
        "comparisons": report.comparisons,
        "ties": report.ties,
        "inter": vars(reported(report.inter)),
        "judges": judges,
    }


#: The columns of a ranked system without score and counts.
_RANGE = (
    "system",
    "rank",
    "last_rank",
    "rank_low",
    "rank_high",
    "cluster",
    "group",
    "shortage",
)


def stopping_result(
    counted: CountedJudgments,
    ranking: Ranking,
    rule: RecordedRule,
) -> StoppingResult:
    """Return the progress towards the stopping rule, and the anytime ranges.

    The day of the rule is not considered, since it does not follow from judgments.

    Returns
    -------
    dict
        `stopping` has `judgments`, `pairs` of all systems with or without a score, `pairs_apart` and `clusters` by
        the tests of the rule (None without such tests; `clusters` also while a system has no rank or range), and
        the `criteria` that are met. `anytime` has the anytime ranges of Expected Wins: `systems`, `clusters`,
        `pairs_apart` and `refusals`; None if the tallies have no moments of segments and judges.
    """
    anytime = rank_at_any_time(counted, confidence=rule["confidence"])
    tested: Ranking | None = ranking
    if rule["tests"] == RuleTests.ANYTIME:
        tested = anytime
    # Include systems without a score, so that a few systems judged first do not meet the rule.
    systems = len(counted.systems)
    progress: RuleProgress = {
        "judgments": counted.blocks,
        "pairs": systems * (systems - 1) // 2,
        "pairs_apart": None,
        "clusters": None,
        "criteria": [],
    }
    if tested is not None:
        progress["pairs_apart"] = _count_separated_pairs(tested, rule)
        is_one_ranking = len(tested.groups) <= 1 and len(tested.systems) >= systems
        if is_one_ranking and not tested.shortages:
            progress["clusters"] = count_clusters(tested.rows())
    progress["criteria"] = _met_criteria(progress, rule)
    record = None
    if anytime is not None:
        record = _anytime(anytime)
    return {"stopping": progress, "anytime": record}


def _count_separated_pairs(ranking: Ranking, rule: RecordedRule) -> int:
    if rule["tests"] == RuleTests.ANYTIME:
        return _significant(ranking.pairs)
    level = RangeOptions(confidence=rule["confidence"]).level
    # The p-values of the ranking itself if they are corrected by Holm.
    correction = Correction.NONE
    if ranking.correction is Correction.HOLM:
        correction = Correction.HOLM
    apart = 0
    for pair in corrected_pairs(ranking.pairs, correction, level=level):
        if pair.adjusted_p is not None and pair.adjusted_p <= level:
            apart += 1
    return apart


def _significant(pairs: Iterable[ComparedPair]) -> int:
    return sum(pair.significant is True for pair in pairs)


def _met_criteria(progress: RuleProgress, rule: RecordedRule) -> list[str]:
    met = []
    share = rule["pairs_share"]
    pairs = progress["pairs"]
    # Round against float errors: 0.9 of ten pairs is nine.
    if share is not None and pairs:
        wanted_pairs = round(share * pairs, 9)
        if _has_reached(progress["pairs_apart"], wanted_pairs):
            met.append("pairs_share")
    if _has_reached(progress["clusters"], rule["clusters"]):
        met.append("clusters")
    if _has_reached(progress["judgments"], rule["judgments"]):
        met.append("judgments")
    return met


def _has_reached(number: int | None, target: float | None) -> bool:
    return number is not None and target is not None and number >= target


def _anytime(ranking: Ranking) -> RecordedAnytime:
    rows = ranking.rows()
    return {
        "confidence": ranking.confidence,
        "systems": [part_of_row(row, _RANGE) for row in rows],
        "clusters": count_clusters(rows),
        "pairs_apart": _significant(ranking.pairs),
        "refusals": ranking.extra.get("refusals", {}),
    }


def stored_pairs(ranking: Ranking) -> list[list[float]]:
    """Return wins, losses, ties, p-value and corrected p-value of each pair; `ranking.selectors.runs.pairs_of` reads them.

    Names are not stored, because they follow from the order within each group: first and second, first and third …
    """
    stored = []
    for pair in ranking.pairs:
        adjusted_p = pair.adjusted_p
        # Without a correction, the format repeats the p-value.
        if adjusted_p is None:
            adjusted_p = pair.p_value
        stored.append([pair.wins, pair.losses, pair.ties, pair.p_value, adjusted_p])
    return stored


@dataclass(frozen=True, slots=True)
class OwnTest:
    """Test of a pair by its own comparisons; None if they are too few."""

    p: float | None
    adjusted_p: float | None


@dataclass(frozen=True, slots=True)
class OwnTests:
    """Tests of pairs by their own comparisons.

    Attributes
    ----------
    of_pairs : mapping of frozenset of str to OwnTest
        By the names of the two systems.
    limits : tuple of str
        Units that the test of some pair ignores because there are too few: codes of `RangeLimit`.
    """

    of_pairs: Mapping[frozenset[str], OwnTest]
    limits: tuple[str, ...]

    def labelled(self, labels: Mapping[str, str]) -> "OwnTests":
        """Return the tests with systems renamed by `labels`."""
        renamed = {}
        for names, test in self.of_pairs.items():
            renamed[frozenset(labels[name] for name in names)] = test
        return replace(self, of_pairs=renamed)


def own_tests_of_run(run: RankingRun, judged: Blocks) -> OwnTests:
    """Test the pairs of a run by their own comparisons, as the analysis of pairs does by default.

    `judged` is as for `run_result_of_blocks`.
    """
    blocks = _counted_blocks(_definition_of(run), judged).with_judges_in_order()
    if blocks.document is not None:
        document = several_documents(blocks.document, blocks.segment)
        blocks = replace(blocks, document=document)
    direct = own_tests(blocks)
    often = compared_often(direct, fewest_comparisons("two_way"))
    tests = {}
    for (a, one), (b, other) in combinations(enumerate(direct.tallies.systems), 2):
        test = OwnTest(p=None, adjusted_p=None)
        if often[a, b]:
            p = float(direct.p_value[a, b])
            test = OwnTest(p=p, adjusted_p=float(direct.adjusted_p[a, b]))
        tests[frozenset({one, other})] = test
    return OwnTests(of_pairs=tests, limits=direct.limits)
