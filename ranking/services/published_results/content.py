"""Create the content of a published result: all data of its page and files, in format 1.

The finding is stored as numbers; pages turn it into sentences in the reader's language.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, cast

import numpy as np
from django.utils.translation import gettext as _

from annotation.models import QualityAction
from campaign.models import System, SystemKind, Task, User
from ranking.core.judged.blocks import CodedJudgments, blocks_of_codes
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import only_estimable
from ranking.core.rankings.records import (
    RankedRow,
    RecordedAnytime,
    RuleMet,
    RunParameters,
    RunResult,
)
from ranking.models import Analysis, RankingRun, RankingSettings, StoppingRule
from ranking.models.analysis import AnalysisQuerySet
from ranking.reports.analyses.kind import AnalysisChoice, ChosenJudgments
from ranking.reports.analyses.options import OptionError
from ranking.reports.public import public_report
from ranking.reports.stored import in_languages
from ranking.reports.wording.published_content import (
    ExcludedJudge,
    Finding,
    PublishedAgreement,
    PublishedAnytime,
    PublishedContent,
    PublishedInput,
    PublishedMethod,
    PublishedPair,
    PublishedRanking,
    PublishedReason,
    PublishedRule,
    PublishedSections,
    PublishedSettings,
    PublishedSystem,
    RuleOfHistory,
)
from ranking.reports.wording.ranges import count_clusters, first_cluster
from ranking.selectors.analyses import answer_for_people, kind_in_place_of_ranking
from ranking.selectors.chosen_judgments import judgments_of_run
from ranking.selectors.judged_columns import judged_blocks, judged_columns
from ranking.selectors.machines import machine_digests
from ranking.selectors.metrics import metric_digests
from ranking.selectors.published_results import (
    instructions_version,
    judged_facts,
    left_out_judges,
    systems_entered,
)
from ranking.selectors.runs import (
    corrected_pairs_of,
    ranking_settings_history,
    rule_first_met,
    run_told_apart,
    stopping_rule_history,
)
from ranking.services.analyses import LANGUAGES, analysis_ask, analysis_choice
from ranking.services.published_results.naming import GivenReason
from ranking.services.run_results import (
    OwnTests,
    own_tests_of_run,
    run_result_of_blocks,
    with_documents,
)
from version import code_version

_SYSTEMS = ("systems", "left_out")
#: Rules of a task that say what judges were asked.
_ASKED: Final = ("question", "criteria")


def labelled_run(run: RankingRun, labels: Mapping[str, str]) -> RankingRun:
    """Return an unsaved run with systems renamed by `labels`; the run itself if nothing is renamed.

    Ranges are drawn in the order of names, and resamples depend on the names of shown systems. So that
    readers can compute the same bits, the ranking is recomputed with the published names, and with the
    candidates of a block in the order of these names, because the display order is not published. Scores
    stay the same, and ranges differ as much as with another seed.
    """
    # Unranked systems are included, because anonymity determines the data that is published.
    if all(name == label for name, label in labels.items()):
        return run
    renamed = RankingRun(
        task_id=run.task_id,
        method=run.method,
        parameters=_renamed(run.parameters, labels),
        seed=run.seed,
        watermark=run.watermark,
        code_version=code_version(),
        started_at=run.started_at,
        finished_at=run.finished_at,
    )
    coded = judged_columns(task_id=run.task_id, watermark=run.watermark)
    candidates = [
        tuple(sorted(labels[name] for name in systems)) for systems in coded.candidates
    ]
    systems = {name for systems in candidates for name in systems}
    blocks = blocks_of_codes(
        candidates_by_name(replace(coded, candidates=candidates)), systems
    )
    renamed.result = run_result_of_blocks(renamed, with_documents(run.task_id, blocks))
    return renamed


def candidates_by_name(coded: CodedJudgments) -> CodedJudgments:
    """Return judgments with the candidates of each block in the order of their names."""
    order = sorted(range(len(coded.candidates)), key=coded.candidates.__getitem__)
    # The extra element is for index -1, so that missing candidates stay last.
    place = np.full(len(order) + 1, len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    columns = np.argsort(place[coded.candidate], axis=1, kind="stable")
    return replace(
        coded,
        candidate=np.take_along_axis(coded.candidate, columns, axis=1),
        label=np.take_along_axis(coded.label, columns, axis=1),
    )


def _renamed(
    parameters: Mapping[str, Any], labels: Mapping[str, str]
) -> dict[str, Any]:
    return {
        **parameters,
        **{
            part: sorted(labels.get(name, name) for name in parameters[part])
            for part in _SYSTEMS
        },
    }


#: Parameters that name judges, or are published elsewhere.
_NAMING = frozenset({"excluded_judges", "judge_group", "stopping_rule"})


def frozen_ranking(
    run: RankingRun, labels: Mapping[str, str], own_tests: OwnTests | None
) -> PublishedRanking:
    """Return systems, pairs, groups, and reasons for missing ranks, with the names from `labels`."""
    result: RunResult = run.result
    ranked = [labels[row["system"]] for row in result["systems"]]
    ranking: PublishedRanking = {
        "systems": [frozen_row(row, labels) for row in result["systems"]],
        "not_estimable": sorted(
            (
                {**row, "system": labels[row["system"]]}
                for row in result["not_estimable"]
            ),
            key=lambda row: str(row["system"]),
        ),
        # In rank order, because alphabetical order would reveal names.
        "groups": sorted(
            (
                sorted(map(labels.__getitem__, group), key=ranked.index)
                for group in result["groups"]
            ),
            key=lambda group: ranked.index(group[0]),
        ),
        "limits": list(result["limits"]),
        "refusals": [
            {"system": label, "reasons": list(reasons)}
            for label, reasons in sorted(
                (labels[name], why) for name, why in result["refusals"].items()
            )
        ],
        "pairs": frozen_pairs(run, labels, own_tests),
        "input": result["input"],
    }
    if own_tests is not None:
        ranking["own_limits"] = list(own_tests.limits)
    return ranking


def frozen_row(row: RankedRow, labels: Mapping[str, str]) -> RankedRow:
    """Return a ranked system; its range and cluster are null while not estimable."""
    if row.get("shortage"):
        known = only_estimable(row)
    else:
        known = row
    return {**known, "system": labels[row["system"]]}


def frozen_pairs(
    run: RankingRun, labels: Mapping[str, str], own_tests: OwnTests | None
) -> list[PublishedPair]:
    """Return all pairs in the order of ranks.

    `p` and `adjusted_p` are of the difference of scores, `own_p` and `own_adjusted_p` of the pair's own
    comparisons. Results of older versions lack the latter; `own_tests` is then None.
    """
    thin = {row["system"] for row in run.result["systems"] if row.get("shortage")}
    pairs = []
    for pair in corrected_pairs_of(run):
        # Null if either system has too few judgments for a test.
        is_tested = pair.better not in thin and pair.worse not in thin
        row: PublishedPair = {
            "better": labels[pair.better],
            "worse": labels[pair.worse],
            "wins": pair.wins,
            "losses": pair.losses,
            "ties": pair.ties,
            "p": pair.p_value if is_tested else None,
            "adjusted_p": pair.adjusted_p if is_tested else None,
        }
        if own_tests is not None:
            test = own_tests.of_pairs[frozenset({pair.better, pair.worse})]
            row["own_p"], row["own_adjusted_p"] = test.p, test.adjusted_p
        pairs.append(row)
    return pairs


def frozen_method(run: RankingRun, labels: Mapping[str, str]) -> PublishedMethod:
    """Return everything needed to recompute the ranking, besides the judgments."""
    parameters = run.parameters
    group = parameters.get("judge_group")
    return {
        "name": run.method,
        "parameters": {
            key: value
            for key, value in _renamed(parameters, labels).items()
            if key not in _NAMING
        },
        "correction_of_pairs": RangeOptions.from_record(
            parameters
        ).correction_of_pairs.value,
        # A 64-bit number, which some JSON readers cannot represent.
        "seed": str(run.seed),
        "watermark": run.watermark,
        "code_version": run.code_version,
        "content_key_version": parameters["content_key_version"],
        "computed_at": _moment(run.finished_at),
        "judge_group": None
        if group is None
        else {"name": group["name"], "judges_outside": len(group["others"])},
    }


def frozen_agreement(run: RankingRun) -> PublishedAgreement:
    """Return agreement between judges."""
    result: RunResult = run.result
    agreement = result["agreement"]
    return {
        "chance": agreement["chance"],
        "p_chance": agreement["p_chance"],
        "confidence": run.parameters["agreement"]["confidence"],
        "inter": agreement["inter"],
    }


#: Readers refuse unknown formats, so each change of meaning needs a new number.
FORMAT: Final = 1
COUNTED: Final = ("blocks", "comparisons", "ties", "judges")
_TERMS: Final = ("measure", "direction", "threshold", "minimum", "action")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedWords:
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
    judged: Mapping[str, Any]
    left_out: Sequence[tuple[str, int, QualityAction | None]]
    instructions: int | None
    settings: Sequence[RankingSettings] = ()
    rules: Sequence[StoppingRule] = ()
    own_tests: OwnTests | None = None
    rule_met: RuleMet | None = None


def published_facts(*, task: Task, run: RankingRun) -> PublishedFacts:
    """Read the inputs of a result's content."""
    judged = judged_blocks(task_id=run.task_id, watermark=run.watermark)
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
        own_tests=own_tests_of_run(run, with_documents(run.task_id, judged)),
        rule_met=rule_first_met(run),
    )


def reasons_given(facts: PublishedFacts) -> list[GivenReason]:
    """Return the reasons of a result, each text once."""
    rows = [
        *((row.reason, _("Ranking settings")) for row in facts.settings),
        *((row.reason, _("Stopping rule")) for row in facts.rules),
        *(
            (action.note, _("Judges"))
            for _judge, _blocks, action in facts.left_out
            if action
        ),
    ]
    # Keep the page on which a reason was first given.
    pages = dict(reversed(rows))
    return [GivenReason(text, pages[text]) for text in dict(rows) if text]


def published_content(
    facts: PublishedFacts,
    *,
    labels: Mapping[str, str],
    words: PublishedWords,
    version: int,
    at: datetime,
    sections: PublishedSections,
) -> PublishedContent:
    """Return the content of a version; `labels` are the published names of systems, by name."""
    task = facts.task
    run = labelled_run(facts.run, labels)
    if facts.own_tests is None:
        own_tests = None
    else:
        own_tests = facts.own_tests.labelled(labels)
    # The names are already those of `labels`.
    labels = {**labels, **{label: label for label in labels.values()}}
    ranking = frozen_ranking(run, labels, own_tests)
    counted = {name: run.result["input"][name] for name in COUNTED}
    return {
        "format": FORMAT,
        "version": version,
        "published_at": _moment(at),
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
            "protocol": task.protocol,
            "shows_source": task.test_set.campaign.show_source,
            "shows_reference": task.test_set.campaign.show_reference,
            "allows_partial_ranking": task.test_set.campaign.allow_partial_ranking,
            "instructions_version": facts.instructions,
        },
        "input": cast("PublishedInput", counted | dict(facts.judged)),
        "agreement": frozen_agreement(run),
        "systems": _systems(facts.systems, labels),
        "left_out": {
            "judges": [_left_out(*each, words.wordings) for each in facts.left_out],
            "references": _of_kind(facts.systems, labels, SystemKind.REFERENCE),
            "damaged_references": _of_kind(
                facts.systems, labels, SystemKind.BAD_REFERENCE
            ),
        },
        "authors": list(words.authors),
        "acknowledgement": words.acknowledgement,
        "contact": words.contact,
        "change_note": words.change_note,
        # Optional sections by name; readers ignore unknown ones.
        "sections": _sections(facts, labels, words.wordings) | sections,
    }


def _sections(
    facts: PublishedFacts, labels: Mapping[str, str], wordings: Mapping[str, str]
) -> PublishedSections:
    """Return the sections on settings, stopping rules and the protocol's questions."""
    rules = facts.task.rules
    sections: PublishedSections = {
        "ranking_settings": [
            _settings(row, wordings) for row in reversed(facts.settings)
        ]
    }
    if facts.rules:
        sections["stopping_rule"] = _stopping(facts, labels, wordings)
    # With their weights, by which outputs compare.
    asked = {name: rules[name] for name in _ASKED if rules.get(name)}
    return sections | cast("PublishedSections", asked)


def _moment(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _reason(given: str, wordings: Mapping[str, str]) -> PublishedReason:
    """Return a reason, or its rewording, marked as such."""
    if given in wordings:
        return {"reason": wordings[given], "is_reworded": True}
    return {"reason": given}


def _settings(row: RankingSettings, wordings: Mapping[str, str]) -> PublishedSettings:
    """Return the settings without their author."""
    published: dict[str, object] = {
        "at": _moment(row.created_at),
        "judgments": row.judgments,
        "method": row.method,
        **row.choice.recorded,
        **_reason(row.reason, wordings),
    }
    if row.method_options:
        published["method_options"] = row.method_options
    return cast("PublishedSettings", published)


def _stopping(
    facts: PublishedFacts, labels: Mapping[str, str], wordings: Mapping[str, str]
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
        "at": _moment(row.created_at),
        **_reason(row.reason, wordings),
    }
    return cast("RuleOfHistory", recorded)


def _anytime(
    anytime: RecordedAnytime | None, labels: Mapping[str, str]
) -> PublishedAnytime | None:
    if anytime is None:
        return None
    return {
        "confidence": anytime["confidence"],
        "clusters": anytime["clusters"],
        "pairs_apart": anytime["pairs_apart"],
        "systems": [frozen_row(row, labels) for row in anytime["systems"]],
    }


def frozen_finding(run: RankingRun, ranking: PublishedRanking) -> Finding:
    """Return the finding of a ranking in numbers."""
    told = run_told_apart(run)
    rows = ranking["systems"]
    return {
        "systems": len(rows),
        "clusters": count_clusters(rows),
        "first": first_cluster(rows, ranking["groups"]),
        "pairs": told.pairs,
        "pairs_told_apart": told.told_apart,
    }


def _systems(
    systems: Sequence[System], labels: Mapping[str, str]
) -> list[PublishedSystem]:
    entered: list[PublishedSystem] = [
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


def _of_kind(
    systems: Sequence[System], labels: Mapping[str, str], kind: SystemKind
) -> list[str]:
    return sorted(labels[system.name] for system in systems if system.kind == kind)


def _left_out(
    judge: str, blocks: int, action: QualityAction | None, wordings: Mapping[str, str]
) -> ExcludedJudge:
    if action is None:
        return {
            "judge": judge,
            "blocks": blocks,
            "decided_by": None,
            "decided_on": None,
            "rule": None,
            "evidence": None,
            **_reason("", wordings),
        }
    rule = action.rule
    return {
        "judge": judge,
        "blocks": blocks,
        "decided_by": "organiser" if rule is None else "rule",
        "decided_on": action.created_at.date().isoformat(),
        **_reason(action.note, wordings),
        "rule": None
        if rule is None
        else {term: getattr(rule, term) for term in _TERMS},
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


@dataclass(frozen=True, slots=True)
class _Answer:
    """A section of a result, computed by an analysis of exactly its judgments.

    Attributes
    ----------
    kind : callable
        Returns the name of the kind of analysis for a run; empty if its task has none.
    filters : callable
        Returns the required values of the analysis's choice and judgments, for a run.
    freeze : callable
        Returns the section from an answer and the relabelled run; None if there is nothing to publish.
    asked : callable
        Returns the analysis to compute for a run; None if there is none.
    """

    kind: Callable[[RankingRun], str]
    filters: Callable[[RankingRun], dict[str, Any]]
    freeze: Callable[[Any, RankingRun, Mapping[str, str]], dict[str, Any] | None]
    asked: Callable[[RankingRun], tuple[AnalysisChoice, ChosenJudgments] | None]

    def rows(self, run: RankingRun) -> AnalysisQuerySet:
        """Select the analyses of exactly the judgments of a run."""
        judgments = judgments_of_run(run).recorded
        same = ("systems", "with_reference", "without", "documents")
        rows = Analysis.objects.of(run.task_id).filter(
            kind=self.kind(run), watermark=run.watermark
        )
        about = {f"judgments__{name}": judgments[name] for name in same}
        return rows.filter(**about).filter(**self.filters(run))


def answer_found(name: str, *, run: RankingRun) -> Analysis | None:
    """Return the analysis for a section of a result; None if there is none yet. One query."""
    return (
        _ANSWERS[name]
        .rows(run)
        .finished()
        .filter(data__isnull=False)
        .order_by("-pk")
        .first()
    )


def frozen_answers(
    run: RankingRun, labels: Mapping[str, str], parts: Collection[str]
) -> PublishedSections:
    """Return those of these sections that are available, and those that are included without being requested."""
    found = {}
    for name in (*parts, *_ALWAYS):
        analysis = answer_found(name, run=run)
        section = analysis and _ANSWERS[name].freeze(analysis, run, labels)
        if section:
            found[name] = section
    return cast("PublishedSections", found)


def answer_ask(
    name: str, *, task: Task, run: RankingRun, by: User | None
) -> Analysis | None:
    """Have a worker compute a section of a result, unless it is available or requested.

    A failed or cancelled computation is not retried. Returns None if the ranking has no such section.
    """
    answer = _ANSWERS[name]
    asked = answer.asked(run)
    if asked is None:
        return None
    rows = answer.rows(run).select_related("job", "task")
    known = rows.order_by("-finished_at", "-pk").first()
    if known is not None and (known.finished_at is not None or has_failed(known)):
        return known
    choice, judgments = asked
    return analysis_ask(
        task=task, choice=choice, user=by, watermark=run.watermark, judgments=judgments
    )


def has_failed(analysis: Analysis) -> bool:
    """Return whether the computation failed or was cancelled."""
    return (
        analysis.finished_at is None
        and analysis.job is not None
        and analysis.job.has_ended
    )


def _firmness(
    analysis: Any, _run: RankingRun, labels: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the number of judgments that decide first place; None if no system has a score.

    Judges and segments of the deciding judgments are left out, because they could identify people.
    """
    found = analysis.data["first_place"]
    if not found["first"]:
        return None
    new = found["new_first"]
    return {
        "method": analysis.data["method"],
        **{
            name: found[name] for name in ("judgments", "deciding", "at_least", "proof")
        },
        # Not in alphabetical order, which would reveal names.
        "first": sorted(labels[name] for name in found["first"]),
        "new_first": None if new is None else labels[new],
    }


def _firmness_asked(run: RankingRun) -> tuple[AnalysisChoice, ChosenJudgments] | None:
    """Return None if the method has no such analysis, and without systems or with several unconnected groups."""
    is_usual = METHODS[run.method].is_usual(run.parameters["method_parameters"])
    if not is_usual or len(run.result["groups"]) != 1:
        return None
    group = run.parameters.get("judge_group")
    asked = {"method": run.method} | (
        {} if group is None else {"judge_group": group["name"]}
    )
    try:
        return analysis_choice("firmness", asked), judgments_of_run(run)
    except OptionError:
        return None


def _metrics_choice(run: RankingRun) -> AnalysisChoice:
    """Return the options for the agreement of metrics: by the method of the run if available."""
    try:
        return analysis_choice("metrics", {"method": run.method})
    except OptionError:
        return analysis_choice("metrics", {})


def _metrics_filters(run: RankingRun) -> dict[str, Any]:
    """Select analyses of the current metrics, without machine judges."""
    chosen = {
        f"choice__{name}": value for name, value in _metrics_choice(run).options.items()
    }
    return {**_current_metrics(run), "judgments__machines__isnull": True, **chosen}


def _current_metrics(run: RankingRun) -> dict[str, Any]:
    """Select analyses of the current metrics, with any options."""
    return {
        "judgments__metrics": list(metric_digests(test_set_id=run.task.test_set_id))
    }


def _metrics(
    analysis: Any, _run: RankingRun, _labels: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the agreement of metrics with the judges; None without metrics.

    Scores of systems are left out, so that no system is named.
    """
    choice = analysis.choice
    data = analysis.data
    names = (
        "metric",
        "is_human",
        "systems",
        "segments",
        "threshold",
        "missing",
        "outputs",
    )
    return data["metrics"] and {
        **{
            name: choice[name] for name in ("method", "confidence", "resamples", "seed")
        },
        **{name: data[name] for name in ("ceiling", "floor", "clusters")},
        "metrics": [{name: each[name] for name in names} for each in data["metrics"]],
    }


def _metrics_asked(run: RankingRun) -> tuple[AnalysisChoice, ChosenJudgments] | None:
    digests = metric_digests(test_set_id=run.task.test_set_id)
    if not digests:
        return None
    return _metrics_choice(run), replace(judgments_of_run(run), metrics=digests)


#: Numbers of a completed ranking, and of each of its systems.
_COMPLETED: Final = (
    "metric",
    "confidence",
    "resamples",
    "seed",
    "judged",
    "segments",
    "weight",
    "judgments_saved",
    "sample_p",
    "is_drawn_at_random",
    "limits",
)
_OF_COMPLETED: Final = ("score", "rank", "rank_low", "rank_high", "cluster")


def _predicted_ranking(
    analysis: Any, _run: RankingRun, labels: Mapping[str, str]
) -> dict[str, Any]:
    """Return the ranking completed by a metric.

    The scores by people alone are left out: readers have those of the published ranking.
    """
    data = analysis.data
    rows = []
    for row in data["systems"]:
        numbers = {name: row[name] for name in _OF_COMPLETED}
        rows.append({"system": labels[row["system"]], **numbers})
    return {
        # Analyses of older versions do not know how segments were drawn.
        **{name: data.get(name) for name in _COMPLETED},
        # Equal ranks are not in the order of names that readers must not see.
        "systems": sorted(rows, key=lambda row: (row["rank"], row["system"])),
        "left_out": sorted(labels[name] for name in data["left_out"]),
    }


def _predicted_filters(run: RankingRun) -> dict[str, Any]:
    """Select analyses of the current metrics and machine judges, with any options."""
    machines = list(machine_digests(task_id=run.task_id))
    if machines:
        return {**_current_metrics(run), "judgments__machines": machines}
    return {**_current_metrics(run), "judgments__machines__isnull": True}


def _predicted_asked(run: RankingRun) -> tuple[AnalysisChoice, ChosenJudgments]:
    metrics = metric_digests(test_set_id=run.task.test_set_id)
    machines = machine_digests(task_id=run.task_id) or None
    judgments = replace(judgments_of_run(run), metrics=metrics, machines=machines)
    return analysis_choice("predicted_ranking", {}), judgments


_FROZEN: Final = ("kappa", "p_agree", "p_chance", "agreeing", "comparable")
#: Settings that the interval of κ depends on.
_INTERVAL: Final = ("resample", "confidence")


def _self_agreement(
    analysis: Any, run: RankingRun, _labels: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return κ of judges with themselves, with the same chance agreement as between judges; None if unknown.

    It is unknown too if the analysis computed another kind of interval than that of κ between judges.
    """
    intra = analysis.data["intra"]
    same = all(
        analysis.choice.get(name) == run.parameters["agreement"][name]
        for name in _INTERVAL
    )
    if intra["kappa"] is None or not same:
        return None
    return {
        "chance": run.result["agreement"]["chance"],
        **{name: intra[name] for name in (*_FROZEN, "low", "high")},
    }


def _kind_of_answers(run: RankingRun) -> str:
    kind = kind_in_place_of_ranking(task=run.task)
    if kind is None:
        return ""
    return kind.name


def _answers_choice(run: RankingRun) -> AnalysisChoice:
    return analysis_choice(_kind_of_answers(run), {})


def _answers_filters(run: RankingRun) -> dict[str, Any]:
    if not _kind_of_answers(run):
        return {}
    return {"choice_digest": _answers_choice(run).digest}


def _answers(
    analysis: Any, _run: RankingRun, labels: Mapping[str, str]
) -> dict[str, Any]:
    """Return the tables of the protocol's own analysis in every language, without judges and texts."""
    reports, _report = in_languages(
        lambda: public_report(answer_for_people(analysis), labels), LANGUAGES
    )
    return {"analysis": analysis.kind, "options": analysis.choice, "reports": reports}


def _answers_asked(run: RankingRun) -> tuple[AnalysisChoice, ChosenJudgments] | None:
    if not _kind_of_answers(run):
        return None
    return _answers_choice(run), judgments_of_run(run)


#: Analyses by section.
_ANSWERS: Final = {
    "answers": _Answer(
        kind=_kind_of_answers,
        filters=_answers_filters,
        freeze=_answers,
        asked=_answers_asked,
    ),
    "firmness": _Answer(
        kind=lambda _run: "firmness",
        filters=lambda run: {"choice__method": run.method},
        freeze=_firmness,
        asked=_firmness_asked,
    ),
    "metrics": _Answer(
        kind=lambda _run: "metrics",
        filters=_metrics_filters,
        freeze=_metrics,
        asked=_metrics_asked,
    ),
    "predicted_ranking": _Answer(
        kind=lambda _run: "predicted_ranking",
        filters=_predicted_filters,
        freeze=_predicted_ranking,
        asked=_predicted_asked,
    ),
    "self_agreement": _Answer(
        kind=lambda _run: "agreement",
        filters=lambda run: {
            "choice__chance": run.result["agreement"]["chance"],
            "choice__pairing": Pairing.UNORDERED.value,
        },
        freeze=_self_agreement,
        asked=lambda _run: None,
    ),
}
#: Optional sections that are included unless they are left out; a version that includes them waits for them.
USUAL_PARTS: Final = ("firmness", "metrics")
#: All optional sections.
PARTS: Final = (*USUAL_PARTS, "predicted_ranking")
#: Sections that are included if available. Without comparisons, a version needs "answers".
_ALWAYS: Final = ("self_agreement", "answers")
