"""All that `analyse spans` says of scored judgments, computed in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from protocols.spans.contradictions import ContradictionKind, ContradictionRule, contradictions
from protocols.spans.records import ScoredJudgment
from protocols.spans.statistics.additive import AdditiveFit, Level, fit_additive
from protocols.spans.statistics.agreement import ScoreAgreement, score_agreement
from protocols.spans.statistics.columns import Measure, ScoreColumns, score_columns
from protocols.spans.statistics.comparisons import Compared, blocks_of_scores
from protocols.spans.statistics.means import Drawn, SystemMeans, system_means
from protocols.spans.statistics.rules import ClusterRule, RuleResult, apply_rule
from protocols.spans.statistics.span_agreement import SpanAgreement, span_agreement
from ranking.core.judged.blocks import Blocks
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.sharding import Engine


@dataclass(frozen=True, kw_only=True)
class SpanOptions:
    """Options of the analysis."""

    measure: Measure = Measure.SCORE
    rule: ClusterRule = ClusterRule.PERMUTATION
    level: Level = "two_way"
    drawn: Drawn = "segments"
    compared: Compared = "screen"
    method: str = "expected_wins"
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class SpanAnalysis:
    """Results of analysing scored judgments.

    Attributes
    ----------
    options : SpanOptions
    columns : ScoreColumns
    means : SystemMeans
    rule : RuleResult
    additive : AdditiveFit or None
    not_additive : str
        Why there is no fit, as the error says it.
    blocks : Blocks or None
        The comparisons that scores imply; None if no two scores can be compared.
    ranking : Ranking or None
        By them.
    scores : ScoreAgreement
    spans : SpanAgreement
    contradictions : mapping of ContradictionKind to int
        How often each kind occurs.
    contradicting : int
        Judgments with any.
    """

    options: SpanOptions
    columns: ScoreColumns
    means: SystemMeans
    rule: RuleResult
    additive: AdditiveFit | None
    not_additive: str
    blocks: Blocks | None
    ranking: Ranking | None
    scores: ScoreAgreement
    spans: SpanAgreement
    contradictions: dict[ContradictionKind, int]
    contradicting: int


def analyse_spans(
    judgments: Sequence[ScoredJudgment],
    options: SpanOptions | None = None,
    *,
    asked: ContradictionRule | None = None,
    engine: Engine | None = None,
) -> SpanAnalysis:
    """Compute everything.

    Raises
    ------
    ValueError
        If no output has a score of the measure, or an option is out of range.
    """
    options = options or SpanOptions()
    columns = score_columns(judgments, measure=options.measure)
    drawing = {
        "resamples": options.resamples,
        "confidence": options.confidence,
        "seed": options.seed,
    }
    fit, not_additive = _fit(columns, options)
    blocks = _blocks(judgments, options)
    found = [contradictions(judgment, asked) for judgment in judgments]
    return SpanAnalysis(
        options=options,
        columns=columns,
        means=system_means(columns, drawn=options.drawn, **drawing),  # type: ignore[arg-type]  # by name
        rule=apply_rule(columns, options.rule, seed=options.seed),
        additive=fit,
        not_additive=not_additive,
        blocks=blocks,
        ranking=None if blocks is None else rank(blocks, options.method, engine=engine, **drawing),  # type: ignore[arg-type]  # by name
        scores=score_agreement(judgments, measure=options.measure, **drawing),  # type: ignore[arg-type]  # by name
        spans=span_agreement(judgments, confidence=options.confidence),
        contradictions=dict(Counter(each.kind for one in found for each in one)),
        contradicting=sum(map(bool, found)),
    )


def _fit(columns: ScoreColumns, options: SpanOptions) -> tuple[AdditiveFit | None, str]:
    try:
        fit = fit_additive(
            columns,
            level=options.level,
            confidence=options.confidence,
            seed=options.seed,
        )
    except ValueError as error:
        return None, str(error)
    return fit, ""


def _blocks(judgments: Sequence[ScoredJudgment], options: SpanOptions) -> Blocks | None:
    try:
        return blocks_of_scores(judgments, measure=options.measure, compared=options.compared)
    except ValueError:
        return None
