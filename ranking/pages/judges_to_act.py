"""The judges of an analysis, to be acted on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.selectors import JudgeStatus, judge_statuses
from campaign.models import Task
from ranking.analyses.judges import outlier_rule_in_words
from ranking.models import Analysis
from ranking.pages.formats import figure, interval, judge_status_label, kappa
from ranking.pages.judge_measures import rule_in_words
from ranking.selectors.analysis_judges import judges_in_answer
from ranking.selectors.judges import judges_by_pseudonym
from ranking.selectors.rule_effects import rules_broken

#: More judges than this are named in a field.
MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class JudgeToAct:
    """A judge, what the analysis found of them in words, and what the campaign does of itself.

    `status` is "warned", "paused", "excluded" or empty; `rules` are the rules in force that they break now.
    """

    judge: str
    words: str
    stands_out: bool
    status: str
    rules: list[str]


def judges_to_act(analysis: Analysis, task: Task) -> list[JudgeToAct]:
    """Return the first judges of an answer, those who stand out in front. At most four queries."""
    rows = judges_in_answer(analysis)[:MOST_LISTED]
    if not rows:
        return []
    found, _unknown = judges_by_pseudonym(task.test_set.campaign_id, [row.judge for row in rows])
    statuses = judge_statuses(*(judge.pk for judge in found))
    status_of = {judge.pseudonym: statuses.get(judge.pk, JudgeStatus.GOOD) for judge in found}
    broken = rules_broken(task=task, judges=[judge.pk for judge in found])
    return [
        JudgeToAct(
            row.judge,
            figures_in_words(row.figures),
            row.stands_out,
            judge_status_label(status_of.get(row.judge, JudgeStatus.GOOD)),
            [rule_in_words(rule) for rule in broken.get(row.judge, ())],
        )
        for row in rows
    ]


def figures_in_words(figures: Mapping[str, Any]) -> str:
    """Return the figures of an answer that were looked at, as one line."""
    said = []
    if "blocks" in figures:
        said.append(_("Blocks: %(count)s") % {"count": figure(figures["blocks"])})
    if "kappa" in figures:
        with_whom = figures.get("other")
        words = (
            _("κ with %(judge)s: %(kappa)s")
            % {"judge": with_whom, "kappa": kappa(figures["kappa"])}
            if with_whom
            else _("κ with others: %(kappa)s") % {"kappa": kappa(figures["kappa"])}
        )
        if "low" in figures and "high" in figures:
            words += f" ({interval(kappa(figures['low']), kappa(figures['high']))})"
        said.append(words)
    if "comparable" in figures:
        said.append(f"n = {figure(figures['comparable'])}")
    if figures.get("below"):
        said.append(_("pairs below the band: %(count)s") % {"count": figure(figures["below"])})
    if "rules" in figures:
        said.append(
            _("stands out by %(rules)s")
            % {"rules": ", ".join(map(outlier_rule_in_words, figures["rules"]))}
        )
    return pgettext("between figures", "; ").join(said)
