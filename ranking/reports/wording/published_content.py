"""The content of a published result, as `ranking.services.publishing.content` writes it."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from campaign.texts.by_language import TextsJSON
from ranking.core.rankings.records import (
    RankedRow,
    RecordedRule,
    RuleMet,
    RuleProgress,
    RunInput,
    UnrankedRow,
)


class CampaignName(TypedDict):
    """The campaign."""

    name: str


class PublishedTestSet(TypedDict):
    """The test set."""

    name: str
    source_language: str
    target_language: str


class Finding(TypedDict):
    """The finding of a ranking in numbers."""

    systems: int
    clusters: int | None
    first: list[str]
    pairs: int
    pairs_told_apart: int


class PublishedPair(TypedDict):
    """A pair of systems. Results of older versions lack tests of the pair's own comparisons."""

    better: str
    worse: str
    wins: int
    losses: int
    ties: int
    p: float | None
    adjusted_p: float | None
    own_p: NotRequired[float | None]
    own_adjusted_p: NotRequired[float | None]


class Refusals(TypedDict):
    """Why a system has no anytime range."""

    system: str
    reasons: list[str]


class PublishedRanking(TypedDict):
    """Systems, pairs and groups."""

    systems: list[RankedRow]
    not_estimable: list[UnrankedRow]
    groups: list[list[str]]
    limits: list[str]
    refusals: list[Refusals]
    pairs: list[PublishedPair]
    own_limits: NotRequired[list[str]]
    input: RunInput


class PublishedGroup(TypedDict):
    """The judge group of a ranking."""

    name: str
    judges_outside: int


class PublishedMethod(TypedDict):
    """Everything needed to recompute the ranking, besides the judgments."""

    name: str
    parameters: dict[str, Any]
    correction_of_pairs: str
    seed: str
    watermark: int
    code_version: str
    content_key_version: int
    computed_at: str
    judge_group: PublishedGroup | None


class PublishedTask(TypedDict):
    """Display of a task to judges. Results of older versions lack the rules or also the protocol."""

    protocol: NotRequired[str]
    rules: NotRequired[Mapping[str, object]]
    shows_source: bool
    shows_reference: bool
    allows_partial_ranking: bool
    instructions_version: int | None


class PublishedInput(TypedDict):
    """Numbers and days of judgments."""

    blocks: int
    comparisons: int
    ties: int
    judges: int
    segments: int
    documents: int
    first_day: str | None
    last_day: str | None


class PublishedKappa(TypedDict):
    """A κ with its interval, or why it is not given. Results of older versions lack intervals."""

    kappa: float | None
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    reason: NotRequired[str | None]
    p_agree: NotRequired[float | None]
    p_chance: NotRequired[float | None]
    agreeing: NotRequired[int]
    comparable: NotRequired[int]
    chance: NotRequired[str]


class PublishedAgreement(TypedDict):
    """Agreement between judges."""

    chance: str
    p_chance: float
    confidence: float
    inter: PublishedKappa


class PublishedSystem(TypedDict):
    """A system as it was entered."""

    system: str
    is_named: bool
    kind: str
    constrained: bool | None
    team: str
    is_withdrawn: bool


class PublishedReason(TypedDict):
    """A reason, or its rewording, marked as such."""

    reason: str
    is_reworded: NotRequired[bool]


class ExcludedJudge(PublishedReason):
    """A judge whose judgments do not count."""

    judge: str
    blocks: int
    decided_by: str | None
    decided_on: str | None
    rule: dict[str, Any] | None
    evidence: dict[str, Any] | None


class PublishedLeftOut(TypedDict):
    """Data excluded from the ranking."""

    judges: list[ExcludedJudge]
    references: list[str]
    damaged_references: list[str]


class PublishedSettings(PublishedReason):
    """Ranking settings, without their author."""

    at: str
    judgments: int | None
    method: str
    method_options: NotRequired[dict[str, Any]]
    resample: str
    ranges: str
    correction: str
    sides: int
    confidence: float


class RuleOfHistory(PublishedReason, RecordedRule):
    """A stopping rule and when it was set."""

    at: str


class PublishedAnytime(TypedDict):
    """Anytime ranges."""

    confidence: float
    clusters: int | None
    pairs_apart: int
    systems: list[RankedRow]


class PublishedRule(TypedDict):
    """All stopping rules, and the progress towards the one in force."""

    rule: RecordedRule | None
    history: list[RuleOfHistory]
    found: RuleProgress | None
    met: RuleMet | None
    anytime: PublishedAnytime | None


class FirstPlace(TypedDict):
    """The judgments that decide first place."""

    judgments: int
    deciding: int | None
    at_least: int
    proof: str
    first: list[str]
    new_first: str | None


class PublishedFirmness(FirstPlace):
    """The judgments that decide first place by a method."""

    method: str


class EstimateData(TypedDict):
    """An `Estimate` as plain values."""

    value: float
    low: float | None
    high: float | None


#: Figures of a metric, of the ceiling or of the floor, by name; those that could not be computed are missing.
Figures = Mapping[str, EstimateData]


class Limit(TypedDict):
    """Figures that metrics can be compared with."""

    systems: Figures
    segments: Figures


class MetricAgreement(Limit):
    """The agreement of a metric with people. Older answers lack some counts."""

    metric: str
    scores: Mapping[str, float]
    missing: int
    outputs: int
    common: NotRequired[int | None]
    unjudged: NotRequired[int]
    doubt: NotRequired[str]
    is_machine: NotRequired[bool]


class AgreementData(TypedDict):
    """Metrics with the ceiling and the floor, and the clusters of metrics by figure; also of published results."""

    metrics: list[MetricAgreement]
    ceiling: Limit | None
    floor: Limit
    clusters: Mapping[str, Mapping[str, int]]


class PublishedMetrics(AgreementData):
    """The agreement of metrics with people, with the confidence of its intervals."""

    confidence: float


class PredictedRow(TypedDict):
    """A system in a ranking completed by a metric. Answers have its ranking by people, too."""

    system: str
    score: EstimateData
    rank: int
    rank_low: int
    rank_high: int
    cluster: int


class PredictedData(TypedDict):
    """A ranking completed by a metric or a machine judge, as plain values; also of published results.

    Older ones do not say which of the two it is.
    """

    metric: str
    is_machine: NotRequired[bool | None]
    systems: list[PredictedRow]
    left_out: list[str]
    weight: float
    judgments_saved: EstimateData
    judged: int
    segments: int
    sample_p: float | None
    is_drawn_at_random: bool | None
    limits: list[str]
    confidence: float


class PublishedAnswers(TypedDict):
    """The tables of the protocol's own analysis, by language."""

    analysis: str
    options: dict[str, Any]
    reports: dict[str, Any]


class PublishedCriterion(TypedDict):
    """A criterion by which outputs were rated."""

    name: TextsJSON
    weight: float


class PublishedSections(TypedDict, total=False):
    """Optional sections; readers ignore unknown ones."""

    ranking_settings: list[PublishedSettings]
    stopping_rule: PublishedRule
    criteria: list[PublishedCriterion]
    question: dict[str, str]
    firmness: PublishedFirmness
    metrics: PublishedMetrics
    predicted_ranking: PredictedData
    self_agreement: PublishedKappa
    answers: PublishedAnswers


class PublishedRun(TypedDict):
    """A ranking with its method and agreement."""

    ranking: PublishedRanking
    method: PublishedMethod
    agreement: PublishedAgreement


class PublishedContent(PublishedRun):
    """The content of a published result."""

    format: int
    version: int
    published_at: str
    campaign: CampaignName
    test_set: PublishedTestSet
    finding: Finding
    task: PublishedTask
    input: PublishedInput
    systems: list[PublishedSystem]
    left_out: PublishedLeftOut
    authors: list[str]
    acknowledgement: str
    contact: str
    change_note: str
    sections: PublishedSections


#: Published names of systems, by name.
Labels = Mapping[str, str]
