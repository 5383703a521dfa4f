"""What was done about judges, in words."""

from dataclasses import dataclass

from annotation.models import QualityAction
from ranking.pages.judge_measures import breach_in_words, rule_in_words


@dataclass(frozen=True, slots=True)
class ActionLine:
    """A quality action, why it was taken, and what a rule acted on; both may be empty."""

    action: QualityAction
    reason: str
    evidence: str


def action_line(action: QualityAction) -> ActionLine:
    """Return an action with its words."""
    return ActionLine(
        action=action,
        reason=rule_in_words(action.rule) if action.rule else action.note,
        evidence=breach_in_words(action.evidence),
    )
