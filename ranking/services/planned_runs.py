"""What the next ranking of a test set is computed by."""

from collections.abc import Mapping
from typing import Any

from annotation.selectors import excluded_judges
from campaign.models import SystemKind
from ranking.code_version import code_version
from ranking.core.agreement.report import JudgeChance
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.core.methods.registry import METHODS
from ranking.models import RankingRun, RankingSettings
from ranking.range_choices import RangeChoice
from ranking.selectors.left_out import judges_outside
from ranking.selectors.runs import RankingBasis
from ranking.selectors.settings import ranking_settings_in_force

SEED = 0
_RESAMPLES = 1000
_AGREEMENT_CONFIDENCE = 0.95


def planned_run(basis: RankingBasis, kinds: Mapping[str, str]) -> RankingRun:
    """Return a run of all judgments, without its result; `kinds` are of the systems by name."""
    settings = ranking_settings_in_force(task_id=basis.task_id)
    choice = settings.choice
    method = _method(basis, settings)
    return RankingRun(
        task_id=basis.task_id,
        method=method,
        parameters=_parameters(basis, kinds, method, choice)
        | _of_group(basis, settings)
        | ({"stopping_rule": basis.rule} if basis.rule else {}),
        seed=SEED,
        watermark=basis.last_number,
        code_version=code_version(),
        started_at=basis.now,
    )


def _of_group(basis: RankingBasis, settings: RankingSettings) -> dict[str, Any]:
    """Return whose judgments alone count; nothing where all do."""
    group = settings.judge_group
    if group is None:
        return {}
    # By pseudonym: who was not in the group then, whoever is later.
    others = judges_outside(task_id=basis.task_id, group_id=group.pk)
    return {"judge_group": {"name": group.name, "others": others}}


def _method(basis: RankingBasis, settings: RankingSettings) -> str:
    """Return the chosen method; where none is, the one that suits the designs there were.

    That is Expected Wins; Bradley–Terry if a design has ever chosen pairs by their judgments: an active
    design stops showing pairs that are already separated, and Expected Wins gives their few comparisons as
    much weight as the many of others (`docs/sampling.md`). Anytime ranges are of Expected Wins for any
    design: they do not separate systems with different opponents.

    `ranking.selectors.runs` says the same to the database.
    """
    if settings.method != RankingSettings.Method.BY_DESIGN:
        return settings.method
    if settings.ranges == "anytime":
        return "expected_wins"
    return "bradley_terry" if basis.has_active_design else "expected_wins"


def _parameters(
    basis: RankingBasis, kinds: Mapping[str, str], method: str, choice: RangeChoice
) -> dict[str, Any]:
    return {
        **choice.recorded,
        "method_parameters": METHODS[method].defaults,
        "resamples": _RESAMPLES,
        "content_key_version": CONTENT_KEY_VERSION,
        "reference": "exclude",
        # By name, because systems may later be marked as references, or no longer.
        "systems": [name for name, kind in kinds.items() if kind == SystemKind.SYSTEM],
        "left_out": [name for name, kind in kinds.items() if kind != SystemKind.SYSTEM],
        # By pseudonym, for the same reason: all excluded judges, even if they have not judged here.
        "excluded_judges": excluded_judges(campaign_id=basis.campaign_id),
        "agreement": {
            "chance": Chance.SCOTT.value,
            "chance_of_judges": JudgeChance.OWN.value,
            "resample": "two_way",
            "confidence": _AGREEMENT_CONFIDENCE,
        },
    }
