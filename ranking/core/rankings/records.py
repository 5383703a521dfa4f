"""Rankings as plain JSON: what runs record of their settings and results."""

from collections.abc import Container
from typing import Any, NotRequired, TypedDict, cast

from ranking.core.agreement.intervals import KappaLevel
from ranking.core.rankings.range_kinds import RecordedRanges


class RecordedShortage(TypedDict):
    """A `ranking.core.scores.Shortage`."""

    unit: str
    found: float
    needed: int


class RankedRow(TypedDict):
    """A ranked system.

    Range and cluster are None where `ranking.core.rankings.rank.only_estimable` removed them. Results
    of older versions lack `last_rank` and `group`.
    """

    system: str
    score: float | None
    rank: int
    rank_low: int | None
    rank_high: int | None
    cluster: int | None
    wins: int
    losses: int
    ties: int
    last_rank: NotRequired[int]
    group: NotRequired[int]
    shortage: NotRequired[RecordedShortage | None]


def part_of_row(row: RankedRow, columns: Container[str]) -> RankedRow:
    """Return a row with only these columns."""
    part = {name: value for name, value in row.items() if name in columns}
    return cast("RankedRow", part)


class UnrankedRow(TypedDict):
    """A system without a rank, and the reason."""

    system: str
    reason: str
    ties: int


class RecordedRule(TypedDict, total=False):
    """A stopping rule; empty without one."""

    judgments: int | None
    pairs_share: float | None
    clusters: int | None
    until: str | None
    tests: str
    confidence: float
    after_judgments: int


class RuleProgress(TypedDict):
    """Progress towards a stopping rule in a ranking, see `ranking.services.run_results`."""

    judgments: int
    pairs: int
    pairs_apart: int | None
    clusters: int | None
    criteria: list[str]


class RuleMet(TypedDict):
    """The first ranking that met a stopping rule."""

    run: int
    judgments: int
    at: str
    criteria: list[str]


class RecordedAnytime(TypedDict):
    """Anytime ranges of Expected Wins beside a ranking."""

    confidence: float
    systems: list[RankedRow]
    clusters: int | None
    pairs_apart: int
    refusals: dict[str, list[str]]


class StoppingResult(TypedDict):
    """The part of a result that belongs to its stopping rule."""

    stopping: RuleProgress
    anytime: RecordedAnytime | None


class RunInput(TypedDict):
    """Numbers of units that ranges are based on; of documents if there are several."""

    blocks: int
    comparisons: int
    ties: int
    judges: int
    systems: int
    segments: int
    effective_segments: float
    effective_judges: float
    documents: NotRequired[int]
    effective_documents: NotRequired[float | None]


class AgreementSettings(TypedDict):
    """How the agreement of judges is computed."""

    chance: str
    chance_of_judges: str
    resample: KappaLevel
    confidence: float


class RecordedGroup(TypedDict):
    """The judge group of a ranking, and the judges outside it."""

    name: str
    others: list[str]


class RunParameters(RecordedRanges):
    """Parameters that a run records."""

    method_parameters: dict[str, Any]
    resamples: int
    content_key_version: int
    reference: str
    systems: list[str]
    left_out: list[str]
    excluded_judges: list[str]
    agreement: AgreementSettings
    judge_group: NotRequired[RecordedGroup]
    stopping_rule: NotRequired[RecordedRule]


class RunResult(TypedDict):
    """Result of a run; of its stopping rule if it has one."""

    systems: list[RankedRow]
    not_estimable: list[UnrankedRow]
    groups: list[list[str]]
    agreement: dict[str, Any]
    input: RunInput
    limits: list[str]
    refusals: dict[str, list[str]]
    pairs: list[list[float]]
    stopping: NotRequired[RuleProgress]
    anytime: NotRequired[RecordedAnytime | None]
