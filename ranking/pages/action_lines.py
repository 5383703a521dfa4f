"""What was done about judges, in words."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.models import QualityAction
from campaign.models import Task
from ranking.models import Analysis
from ranking.pages.analysis_words import AskedRow, asked_in_words
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.judges_to_act import figures_in_words
from ranking.selectors.analyses import ANSWER


@dataclass(frozen=True, slots=True)
class ActionLine:
    """A quality action, why it was taken, and what a rule or an organiser acted on; these may be empty."""

    action: QualityAction
    reason: str
    evidence: str
    asked: AskedRow | None = None


def action_line(action: QualityAction, asked: AskedRow | None = None) -> ActionLine:
    """Return an action with its words; `asked` is the analysis it was taken from, if that is still there."""
    analysis = action.evidence.get("analysis", {})
    return ActionLine(
        action=action,
        reason=rule_in_words(action.rule) if action.rule else action.note,
        evidence=breach_in_words(action.evidence) or figures_in_words(analysis.get("figures", {})),
        asked=asked,
    )


def action_lines(actions: Iterable[QualityAction], *, task: Task) -> list[ActionLine]:
    """Return actions with their words, and links to the analyses of this test set they were taken from.

    At most one query.
    """
    listed = list(actions)
    ids = {
        action.pk: action.evidence["analysis"]["id"]
        for action in listed
        if "analysis" in action.evidence
    }
    found = {}
    if ids:
        analyses = Analysis.objects.of(task.pk).filter(pk__in=ids.values()).defer(*ANSWER)
        found = {analysis.pk: asked_in_words(analysis, task) for analysis in analyses}
    return [action_line(action, found.get(ids.get(action.pk, 0))) for action in listed]
