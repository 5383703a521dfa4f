"""Texts about a decision on judges, before and after it is carried out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import QualityAction, QualityActionKind
from annotation.selectors.effects import judges_share
from annotation.selectors.judges import JudgeStatus, judge_statuses
from annotation.services.quality import REINSTATE, Decided
from campaign.models import Judge, Task
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, labelled, semicolon_list
from ranking.models import Analysis
from ranking.pages.analysis_form import ListedAnalysis, listed_analysis
from ranking.pages.formats import figure, interval, judge_status_label, kappa, share
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.summary import names_in_a_row
from ranking.reports.analyses.judges import outlier_rule_in_words
from ranking.selectors.analyses import ANSWER, judges_in_answer
from ranking.selectors.judges import (
    judges_by_pseudonym,
)
from ranking.selectors.quality_rules import (
    STANDS_ASIDE,
    rules_broken,
)

#: Maximum number of names listed; longer lists are only counted.
_MOST_NAMES = 20


def deciding_in_words(
    *,
    judges: Sequence[Judge],
    task: Task,
    action: str,
    text: str = "",
) -> list[str]:
    """Return sentences on the effects of a decision on these judges, their work and the ranking."""
    work = judges_share(judges=judges, task=task)
    judge = judged_by(judges)
    judged_share = 0.0
    if work.judged_by_all:
        judged_share = work.judged / work.judged_by_all
    judged = _("%(judge)s judged %(blocks)s of this test set (%(share)s).") % {
        "judge": judge,
        "blocks": counted("%(count)s block", "%(count)s blocks", work.judged),
        "share": share(judged_share),
    }
    facts = [judged]
    if action == QualityActionKind.EXCLUDE:
        facts.append(
            _(
                "Their judgments no longer count in any ranking of the campaign. Nothing is deleted.",
            ),
        )
    facts.append(_consequence(action) % {"judge": judge})
    if text:
        facts.append(f"“{text}”")
    if action in STANDS_ASIDE and work.at_work:
        facts.append(
            _("They are judging now. Answers for their current HIT are still saved."),
        )
    return facts


def _consequence(action: str) -> str:
    if action in STANDS_ASIDE:
        return _("%(judge)s will receive no more work in this campaign.")
    return {
        QualityActionKind.WARN.value: _(
            "%(judge)s can continue, with a friendly note on their page.",
        ),
        QualityActionKind.AGAIN.value: _(
            "%(judge)s will be asked to review their latest answers. Changed answers replace the old ones; both are kept.",
        ),
        QualityActionKind.MESSAGE.value: _(
            "%(judge)s will see this message while judging for a week, and on “Your time” until you revert it:",
        ),
        REINSTATE: _(
            "%(judge)s will be reinstated: they receive work again and their judgments count.",
        ),
    }[str(action)]


def judged_by(judges: Sequence[Judge]) -> str:
    """Return the names of judges, or their number if there are many."""
    if len(judges) > _MOST_NAMES:
        return counted("%(count)s judge", "%(count)s judges", len(judges))
    return names_in_a_row([judge.called for judge in judges])


def button_of(action: str) -> str:
    """Return the label of the button that confirms the action."""
    return {
        QualityActionKind.WARN.value: _("Warn"),
        QualityActionKind.PAUSE.value: _("Pause judge"),
        QualityActionKind.EXCLUDE.value: _("Exclude judge"),
        QualityActionKind.AGAIN.value: _("Ask to judge again"),
        QualityActionKind.MESSAGE.value: _("Send message"),
        REINSTATE: _("Reinstate"),
    }[str(action)]


def refused_in_words(decided: Decided) -> list[str]:
    """Return a sentence for each reason why judges were left unchanged."""
    reasons: dict[str, list[Judge]] = {}
    for judge, reason in decided.refused:
        reasons.setdefault(reason, []).append(judge)
    return [labelled(judged_by(judges), reason) for reason, judges in reasons.items()]


#: Maximum number of judges listed; more are entered by name.
MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class JudgeToAct:
    """A judge of an answer, with its figures in words.

    `status` is "Warned", "Paused", "Excluded" or "", and `rules` are those currently broken.
    """

    judge: str
    words: str
    stands_out: bool
    status: str
    rules: list[str]


def judges_to_act(analysis: Analysis, task: Task) -> list[JudgeToAct]:
    """Return the first judges of an answer, outliers first. At most four queries."""
    rows = judges_in_answer(analysis)[:MOST_LISTED]
    if not rows:
        return []
    judges, _unknown = judges_by_pseudonym(
        task.test_set.campaign_id,
        [row.judge for row in rows],
    )
    keys = {judge.pseudonym: judge.pk for judge in judges}
    statuses = judge_statuses(*keys.values())
    broken = rules_broken(task=task, judges=list(keys.values()))
    listed = []
    for row in rows:
        status = statuses.get(keys.get(row.judge, 0), JudgeStatus.GOOD)
        judge = JudgeToAct(
            judge=row.judge,
            words=figures_in_words(row.figures),
            stands_out=row.stands_out,
            status=judge_status_label(status),
            rules=list(map(rule_in_words, broken.get(row.judge, ()))),
        )
        listed.append(judge)
    return listed


def figures_in_words(figures: Mapping[str, Any]) -> str:
    """Return the figures of an answer used as evidence, in one line."""
    phrases = []
    if "blocks" in figures:
        phrases.append(_("Blocks: %(count)s") % {"count": figure(figures["blocks"])})
    if "kappa" in figures:
        phrases.append(_kappa_in_words(figures))
    if "comparable" in figures:
        phrases.append(f"n = {figure(figures['comparable'])}")
    if figures.get("below"):
        below = figure(figures["below"])
        phrases.append(
            _("pairs below the expected range: %(count)s") % {"count": below},
        )
    if "rules" in figures:
        rules = comma_list(map(outlier_rule_in_words, figures["rules"]))
        phrases.append(_("outlier by %(rules)s") % {"rules": rules})
    return semicolon_list(phrases)


def _kappa_in_words(figures: Mapping[str, Any]) -> str:
    """Return κ with another judge, or with all others, and its interval if there is one."""
    value = kappa(figures["kappa"])
    judge = figures.get("other")
    if judge:
        phrase = _("κ with %(judge)s: %(kappa)s") % {"judge": judge, "kappa": value}
    else:
        phrase = _("κ with others: %(kappa)s") % {"kappa": value}
    if "low" not in figures or "high" not in figures:
        return phrase
    ends = interval(kappa(figures["low"]), kappa(figures["high"]))
    return f"{phrase} ({ends})"


@dataclass(frozen=True, slots=True)
class ActionLine:
    """An action with its reason and evidence; `analysis` is the analysis that led to it, if it still exists."""

    action: QualityAction
    reason: str
    evidence: str
    analysis: ListedAnalysis | None


def action_line(
    action: QualityAction,
    source_analysis: ListedAnalysis | None = None,
) -> ActionLine:
    """Return an action as shown, with the analysis that led to it."""
    reason = action.note
    if action.rule:
        reason = rule_in_words(action.rule)
    evidence = breach_in_words(action.evidence)
    if not evidence:
        analysis = action.evidence.get("analysis", {})
        evidence = figures_in_words(analysis.get("figures", {}))
    return ActionLine(action, reason, evidence, source_analysis)


def action_lines(actions: Iterable[QualityAction], *, task: Task) -> list[ActionLine]:
    """Return actions as shown, with links to the analyses of this test set that led to them.

    At most one query.
    """
    listed = list(actions)
    ids = {}
    for action in listed:
        if "analysis" in action.evidence:
            ids[action.pk] = action.evidence["analysis"]["id"]
    analyses_by_id: dict[int, ListedAnalysis] = {}
    if ids:
        analyses = Analysis.objects.of(task.pk).filter(pk__in=ids.values())
        for analysis in analyses.defer(*ANSWER):
            analyses_by_id[analysis.pk] = listed_analysis(analysis, task)
    return [
        action_line(action, analyses_by_id.get(ids.get(action.pk, 0)))
        for action in listed
    ]
