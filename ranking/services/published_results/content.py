"""Create the content of a published result: all data of its page and files, in format 1.

The finding is stored as numbers; pages turn it into sentences in the reader's language.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import Any, Final, cast

from django.utils.translation import gettext as _

from campaign.models import System, SystemKind, Task
from ranking.core.rankings.records import (
    RecordedAnytime,
    RuleMet,
    RunParameters,
    RunResult,
)
from ranking.models import RankingRun, RankingSettings, StoppingRule
from ranking.reports.wording.published_content import (
    ExcludedJudge,
    PublishedAnytime,
    PublishedContent,
    PublishedInput,
    PublishedReason,
    PublishedRule,
    PublishedSections,
    PublishedSettings,
    PublishedSystem,
    RuleOfHistory,
)
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.published_results import (
    JudgedFacts,
    LeftOutJudge,
    instructions_version,
    judged_facts,
    left_out_judges,
    systems_entered,
)
from ranking.selectors.runs import (
    ranking_settings_history,
    rule_first_met,
    stopping_rule_history,
)
from ranking.services.published_results.frozen_ranking import (
    Labels,
    frozen_agreement,
    frozen_finding,
    frozen_method,
    frozen_ranking,
    frozen_row,
    labelled_run,
    published_moment,
)
from ranking.services.published_results.naming import TitledReason
from ranking.services.run_results import OwnTests, own_tests_of_run, with_documents

#: Rules of a task that say what judges were asked.
_QUESTIONS: Final = ("question", "criteria")


#: Readers refuse unknown formats, so each change of meaning needs a new number.
FORMAT: Final = 1
COUNTED: Final = ("blocks", "comparisons", "ties", "judges")
_TERMS: Final = ("measure", "direction", "threshold", "minimum", "action")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The organiser's texts: `authors` of the citation, and optional texts.

    `wordings` are the published replacements of reasons, by reason.
    """

    authors: tuple[str, ...] = ()
    acknowledgement: str = ""
    contact: str = ""
    change_note: str = ""
    wordings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PublishedFacts:
    """Inputs of the content, read together."""

    task: Task
    run: RankingRun
    systems: Sequence[System]
    judged: JudgedFacts
    left_out: Sequence[LeftOutJudge]
    instructions: int | None
    settings: Sequence[RankingSettings] = ()
    rules: Sequence[StoppingRule] = ()
    own_tests: OwnTests | None = None
    rule_met: RuleMet | None = None


def published_facts(*, task: Task, run: RankingRun) -> PublishedFacts:
    """Read the inputs of a result's content."""
    judged = judged_blocks(task=task, watermark=run.watermark)
    return PublishedFacts(
        task=task,
        run=run,
        systems=systems_entered(task_id=task.pk),
        judged=judged_facts(run),
        left_out=left_out_judges(run),
        instructions=instructions_version(
            campaign_id=task.test_set.campaign_id,
            until=run.finished_at,
        ),
        settings=ranking_settings_history(task_id=task.pk, until=run.finished_at),
        rules=stopping_rule_history(task_id=task.pk, until=run.finished_at),
        own_tests=own_tests_of_run(run, with_documents(run.task_id, judged)),
        rule_met=rule_first_met(run),
    )


def published_reasons(facts: PublishedFacts) -> list[TitledReason]:
    """Return the reasons of a result, each text once."""
    page_of_reason: dict[str, str] = {}
    for row in facts.settings:
        page_of_reason.setdefault(row.reason, _("Ranking settings"))
    for rule in facts.rules:
        page_of_reason.setdefault(rule.reason, _("Stopping rule"))
    for judge in facts.left_out:
        if judge.action is not None:
            page_of_reason.setdefault(judge.action.note, _("Judges"))
    page_of_reason.pop("", None)
    return [TitledReason(text, page) for text, page in page_of_reason.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedVersion:
    """A version to publish: its number, its time, and its optional sections."""

    number: int
    published_at: datetime
    sections: PublishedSections


def published_content(
    facts: PublishedFacts,
    *,
    labels: Labels,
    front_matter: FrontMatter,
    version: PublishedVersion,
) -> PublishedContent:
    """Return the content of a version; `labels` are the published names of systems, by name."""
    task = facts.task
    test_set = task.test_set
    campaign = test_set.campaign
    run = labelled_run(facts.run, labels)
    own_tests = facts.own_tests
    if own_tests is not None:
        own_tests = own_tests.labelled(labels)
    # The names are already those of `labels`.
    label_of = dict(labels)
    for label in labels.values():
        label_of[label] = label
    ranking = frozen_ranking(run, label_of, own_tests)
    counted = {name: run.result["input"][name] for name in COUNTED}
    return {
        "format": FORMAT,
        "version": version.number,
        "published_at": published_moment(version.published_at),
        "campaign": {"name": campaign.name},
        "test_set": {
            "name": test_set.name,
            "source_language": test_set.source_language,
            "target_language": test_set.target_language,
        },
        "finding": frozen_finding(run, ranking),
        "ranking": ranking,
        "method": frozen_method(run, label_of),
        "task": {
            "protocol": task.protocol,
            "rules": task.rules,
            "shows_source": campaign.show_source,
            "shows_reference": campaign.show_reference,
            "allows_partial_ranking": campaign.allow_partial_ranking,
            "instructions_version": facts.instructions,
        },
        "input": cast("PublishedInput", {**counted, **facts.judged}),
        "agreement": frozen_agreement(run),
        "systems": _systems(facts.systems, label_of),
        "left_out": {
            "judges": [
                _left_out(judge, front_matter.wordings) for judge in facts.left_out
            ],
            "references": _labels_of_kind(
                facts.systems,
                label_of,
                SystemKind.REFERENCE,
            ),
            "damaged_references": _labels_of_kind(
                facts.systems,
                label_of,
                SystemKind.BAD_REFERENCE,
            ),
        },
        "authors": list(front_matter.authors),
        "acknowledgement": front_matter.acknowledgement,
        "contact": front_matter.contact,
        "change_note": front_matter.change_note,
        # Optional sections by name; readers ignore unknown ones.
        "sections": _sections(facts, label_of, front_matter.wordings)
        | version.sections,
    }


def _sections(
    facts: PublishedFacts,
    labels: Labels,
    wordings: Mapping[str, str],
) -> PublishedSections:
    """Return the sections on settings, stopping rules and the protocol's questions."""
    settings = [_settings(row, wordings) for row in reversed(facts.settings)]
    sections: PublishedSections = {"ranking_settings": settings}
    if facts.rules:
        sections["stopping_rule"] = _stopping(facts, labels, wordings)
    # With their weights, by which outputs compare.
    rules = facts.task.rules
    questions = {name: rules[name] for name in _QUESTIONS if rules.get(name)}
    return sections | cast("PublishedSections", questions)


def _reason(reason: str, wordings: Mapping[str, str]) -> PublishedReason:
    """Return a reason, or its rewording, marked as such."""
    if reason in wordings:
        return {"reason": wordings[reason], "is_reworded": True}
    return {"reason": reason}


def _settings(row: RankingSettings, wordings: Mapping[str, str]) -> PublishedSettings:
    """Return the settings without their author."""
    published: dict[str, object] = {
        "at": published_moment(row.created_at),
        "judgments": row.judgments,
        "method": row.method,
        **row.choice.recorded,
        **_reason(row.reason, wordings),
    }
    if row.method_options:
        published["method_options"] = row.method_options
    return cast("PublishedSettings", published)


def _stopping(
    facts: PublishedFacts,
    labels: Labels,
    wordings: Mapping[str, str],
) -> PublishedRule:
    """Return all stopping rules, and the progress towards the one in force."""
    parameters: RunParameters = facts.run.parameters
    result: RunResult = facts.run.result
    return {
        "rule": parameters.get("stopping_rule"),
        "history": [_rule_of_history(row, wordings) for row in reversed(facts.rules)],
        "found": result.get("stopping"),
        "met": facts.rule_met,
        "anytime": _anytime(result.get("anytime"), labels),
    }


def _rule_of_history(row: StoppingRule, wordings: Mapping[str, str]) -> RuleOfHistory:
    recorded = {
        **row.recorded,
        "after_judgments": row.after_judgments,
        "at": published_moment(row.created_at),
        **_reason(row.reason, wordings),
    }
    return cast("RuleOfHistory", recorded)


def _anytime(
    anytime: RecordedAnytime | None,
    labels: Labels,
) -> PublishedAnytime | None:
    if anytime is None:
        return None
    return {
        "confidence": anytime["confidence"],
        "clusters": anytime["clusters"],
        "pairs_apart": anytime["pairs_apart"],
        "systems": [frozen_row(row, labels) for row in anytime["systems"]],
    }


def _systems(systems: Sequence[System], labels: Labels) -> list[PublishedSystem]:
    published = []
    for system in systems:
        label = labels[system.name]
        is_named = label == system.name
        row: PublishedSystem = {
            "system": label,
            "is_named": is_named,
            "kind": str(system.kind),
            "constrained": system.constrained,
            "team": system.team if is_named else "",
            "is_withdrawn": system.withdrawn_at is not None,
        }
        published.append(row)
    return sorted(published, key=itemgetter("system"))


def _labels_of_kind(
    systems: Sequence[System],
    labels: Labels,
    kind: SystemKind,
) -> list[str]:
    return sorted(labels[system.name] for system in systems if system.kind == kind)


def _left_out(judge: LeftOutJudge, wordings: Mapping[str, str]) -> ExcludedJudge:
    action = judge.action
    if action is None:
        return {
            "judge": judge.name,
            "blocks": judge.blocks,
            "decided_by": None,
            "decided_on": None,
            "rule": None,
            "evidence": None,
            **_reason("", wordings),
        }
    decided_by = "organiser"
    terms = None
    if action.rule is not None:
        decided_by = "rule"
        terms = {term: getattr(action.rule, term) for term in _TERMS}
    return {
        "judge": judge.name,
        "blocks": judge.blocks,
        "decided_by": decided_by,
        "decided_on": action.created_at.date().isoformat(),
        **_reason(action.note, wordings),
        "rule": terms,
        "evidence": _evidence(action.evidence),
    }


def _evidence(evidence: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the evidence of a rule's action, without the confirming organiser and unrelated measures."""
    if not evidence.get("rule"):
        return None
    measure = evidence["rule"]["measure"]
    return {
        "rule": {"measure": measure},
        "measures": {measure: evidence["measures"][measure]},
    }
