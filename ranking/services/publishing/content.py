"""Write the content of a published result: all that its page and files show, format 1.

The finding is in numbers: sentences are made when it is shown, in the reader's language.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from annotation.models import QualityAction
from campaign.models import System, SystemKind, Task
from ranking.models import RankingRun, RankingSettings, StoppingRule
from ranking.range_choices import recorded_choice
from ranking.selectors.frozen_facts import (
    JudgedFacts,
    LeftOutJudge,
    instructions_version,
    judged_facts,
    left_out_judges,
    systems_entered,
)
from ranking.selectors.settings import ranking_settings_history
from ranking.selectors.stopping_rules import rule_first_met, stopping_rule_history
from ranking.services.publishing.frozen_ranking import (
    frozen_agreement,
    frozen_method,
    frozen_ranking,
    frozen_row,
)
from ranking.services.publishing.labelled_runs import labelled_run

#: Readers of other formats refuse this one, so a change of meaning is a new number.
FORMAT: Final = 1
COUNTED: Final = ("blocks", "comparisons", "ties", "judges")
_TERMS: Final = ("measure", "direction", "threshold", "minimum", "action")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedWords:
    """What the organiser writes: `authors` of the citation, and texts, each perhaps empty.

    `wordings` are what readers read in place of a reason that was given, by that reason.
    """

    authors: tuple[str, ...] = ()
    acknowledgement: str = ""
    contact: str = ""
    change_note: str = ""
    wordings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PublishedFacts:
    """What content is made of, read at once."""

    task: Task
    run: RankingRun
    systems: Sequence[System]
    judged: JudgedFacts
    left_out: Sequence[LeftOutJudge]
    instructions: int | None
    settings: Sequence[RankingSettings] = ()
    rules: Sequence[StoppingRule] = ()
    rule_met: Mapping[str, Any] | None = None


def published_facts(*, task: Task, run: RankingRun) -> PublishedFacts:
    """Read what the content of a result is made of."""
    return PublishedFacts(
        task=task,
        run=run,
        systems=systems_entered(task_id=task.pk),
        judged=judged_facts(run),
        left_out=left_out_judges(run),
        instructions=instructions_version(
            campaign_id=task.test_set.campaign_id, until=run.finished_at
        ),
        settings=ranking_settings_history(task_id=task.pk, until=run.finished_at),
        rules=stopping_rule_history(task_id=task.pk, until=run.finished_at),
        rule_met=rule_first_met(run),
    )


def published_content(
    facts: PublishedFacts,
    *,
    labels: Mapping[str, str],
    words: PublishedWords,
    version: int,
    at: datetime,
    sections: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the content of a version; `labels` are what systems are called, by name."""
    task = facts.task
    run = labelled_run(facts.run, labels)
    # Under the labels already.
    labels = {**labels, **{label: label for label in labels.values()}}
    ranking = frozen_ranking(run, labels)
    return {
        "format": FORMAT,
        "version": version,
        "published_at": at.isoformat().replace("+00:00", "Z"),
        "campaign": {"name": task.test_set.campaign.name},
        "test_set": {
            "name": task.test_set.name,
            "source_language": task.test_set.source_language,
            "target_language": task.test_set.target_language,
        },
        "finding": frozen_finding(run, ranking),
        "ranking": ranking,
        "method": frozen_method(run, labels),
        "task": {
            "shows_source": task.test_set.campaign.show_source,
            "shows_reference": task.test_set.campaign.show_reference,
            "allows_partial_ranking": task.test_set.campaign.allow_partial_ranking,
            "instructions_version": facts.instructions,
        },
        "input": {
            **{name: run.result["input"][name] for name in COUNTED},
            "segments": facts.judged.segments,
            "documents": facts.judged.documents,
            "first_day": _text(facts.judged.first_day),
            "last_day": _text(facts.judged.last_day),
        },
        "agreement": frozen_agreement(run),
        "systems": _systems(facts.systems, labels),
        "left_out": {
            "judges": [_left_out(each, words.wordings) for each in facts.left_out],
            "references": _of_kind(facts.systems, labels, SystemKind.REFERENCE),
            "damaged_references": _of_kind(facts.systems, labels, SystemKind.BAD_REFERENCE),
        },
        "authors": list(words.authors),
        "acknowledgement": words.acknowledgement,
        "contact": words.contact,
        "change_note": words.change_note,
        # Sections that not every result has, by name: readers leave out those they do not know.
        "sections": {
            "ranking_settings": [
                _settings(row, words.wordings) for row in reversed(facts.settings)
            ],
            **_stopping(facts, labels, words.wordings),
            **sections,
        },
    }


def _reason(given: str, wordings: Mapping[str, str]) -> dict[str, Any]:
    """Return a reason as it was given, or as it is reworded, which is said."""
    if given in wordings:
        return {"reason": wordings[given], "is_reworded": True}
    return {"reason": given}


def _settings(row: RankingSettings, wordings: Mapping[str, str]) -> dict[str, Any]:
    """Return settings that were chosen; not by whom."""
    return {
        "at": row.created_at.isoformat().replace("+00:00", "Z"),
        "judgments": row.judgments,
        "method": row.method,
        **row.choice.recorded,
        **_reason(row.reason, wordings),
    }


def _stopping(
    facts: PublishedFacts, labels: Mapping[str, str], wordings: Mapping[str, str]
) -> dict[str, Any]:
    """Return all rules by which judging was to end, and how far it was by the one in force; nothing without any."""
    if not facts.rules:
        return {}
    result, anytime = facts.run.result, facts.run.result.get("anytime")
    return {
        "stopping_rule": {
            "rule": facts.run.parameters.get("stopping_rule"),
            "history": [
                {
                    **row.recorded,
                    "after_judgments": row.after_judgments,
                    "at": row.created_at.isoformat().replace("+00:00", "Z"),
                    **_reason(row.reason, wordings),
                }
                for row in reversed(facts.rules)
            ],
            "found": result.get("stopping"),
            "met": facts.rule_met,
            "anytime": None
            if anytime is None
            else {
                **{name: anytime[name] for name in ("confidence", "clusters", "pairs_apart")},
                "systems": [frozen_row(row, labels) for row in anytime["systems"]],
            },
        }
    }


def frozen_finding(run: RankingRun, ranking: Mapping[str, Any]) -> dict[str, Any]:
    """Return in numbers what a ranking found."""
    level = recorded_choice(run.parameters).level
    pairs = ranking["pairs"]
    told = sum(pair["adjusted_p"] is not None and pair["adjusted_p"] <= level for pair in pairs)
    rows = ranking["systems"]
    # None while no rank range is estimable.
    known = [row for row in rows if not row.get("shortage")]
    several = len(ranking["groups"]) > 1
    return {
        "systems": len(rows),
        "clusters": len({(row["group"], row["cluster"]) for row in known})
        if known or not rows
        else None,
        "first": [] if several else [row["system"] for row in known if row["cluster"] == 1],
        "pairs": len(pairs),
        "pairs_told_apart": told,
    }


def _systems(systems: Sequence[System], labels: Mapping[str, str]) -> list[dict[str, Any]]:
    entered = [
        {
            "system": labels[system.name],
            "is_named": labels[system.name] == system.name,
            "kind": str(system.kind),
            "constrained": system.constrained,
            "team": system.team if labels[system.name] == system.name else "",
            "is_withdrawn": system.withdrawn_at is not None,
        }
        for system in systems
    ]
    return sorted(entered, key=lambda row: str(row["system"]))


def _of_kind(systems: Sequence[System], labels: Mapping[str, str], kind: SystemKind) -> list[str]:
    return sorted(labels[system.name] for system in systems if system.kind == kind)


def _left_out(left_out: LeftOutJudge, wordings: Mapping[str, str]) -> dict[str, Any]:
    action = left_out.action
    return {
        "judge": left_out.judge,
        "blocks": left_out.blocks,
        "decided_by": None if action is None else "organiser" if action.rule is None else "rule",
        "decided_on": None if action is None else action.created_at.date().isoformat(),
        **_reason("" if action is None else action.note, wordings),
        "rule": None if action is None else _rule(action),
        "evidence": None if action is None else _evidence(action.evidence),
    }


def _rule(action: QualityAction) -> dict[str, Any] | None:
    if action.rule is None:
        return None
    return {term: getattr(action.rule, term) for term in _TERMS}


def _evidence(evidence: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a rule acted on; not who confirmed it, nor what else was measured."""
    if not evidence.get("rule"):
        return None
    measure = evidence["rule"]["measure"]
    return {
        "rule": {"measure": measure},
        "measures": {measure: evidence["measures"][measure]},
    }


def _text(day: Any) -> str | None:
    return None if day is None else str(day.isoformat())
