"""Sections of a published result that analyses of exactly its judgments compute."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NamedTuple, cast

from django.utils.translation import gettext as _

from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import Task, User
from campaign.texts.joining import comma_list
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.methods.registry import METHODS
from ranking.models import Analysis, RankingRun
from ranking.models.analysis import AnalysisQuerySet
from ranking.reports import Report
from ranking.reports.analyses.compared_metrics import MetricCalled, unique_names
from ranking.reports.analyses.kind import AnalysisChoice, ChosenJudgments
from ranking.reports.analyses.options import OptionError
from ranking.reports.public import public_report
from ranking.reports.stored import in_languages
from ranking.reports.wording.published_content import PublishedSections
from ranking.selectors.analyses import answer_for_people, kind_in_place_of_ranking
from ranking.selectors.chosen_judgments import judgments_of_run
from ranking.selectors.machines import machine_digests, machine_names
from ranking.selectors.metrics import metric_digests, metrics_of
from ranking.services.analyses import LANGUAGES, analysis_ask, analysis_choice
from ranking.services.published_results.frozen_ranking import Labels
from ranking.services.published_results.naming import PublishingRefusedError

#: Records of JSON, as in analyses and in a result's content.
Record = dict[str, Any]
#: An analysis to compute, and its judgments.
Request = tuple[AnalysisChoice, ChosenJudgments]


#: Optional sections that are included unless they are left out; a version that includes them waits for them.
USUAL_PARTS: Final = ("firmness", "metrics")
#: All optional sections.
PARTS: Final = (*USUAL_PARTS, "predicted_ranking")


@dataclass(frozen=True, slots=True)
class ChosenSections:
    """The optional sections that a result includes if they are available.

    Attributes
    ----------
    names : tuple of str
        Some of `PARTS`.
    completed_by : str
        Name of the metric or machine judge of the prediction-powered ranking; empty for the one that was computed last, or
        that saves the most judgments.
    """

    names: tuple[str, ...] = USUAL_PARTS
    completed_by: str = ""


class Completing(NamedTuple):
    """The name of a metric or machine judge that can complete a ranking, as completed rankings have it."""

    name: str
    is_machine: bool


def available_completing(*, task: Task, machines: Sequence[str]) -> list[Completing]:
    """Return the metrics of a task and these machine judges. One query."""
    metrics = list(metrics_of(test_set_id=task.test_set_id))
    called = []
    for metric in metrics:
        called.append(MetricCalled(metric.name, metric.signature, is_machine=False))
    for machine in machines:
        called.append(MetricCalled(machine, signature="", is_machine=True))
    names = unique_names(called)
    available = []
    for name, metric in zip(names, metrics, strict=False):
        if not metric.is_human:
            available.append(Completing(name, is_machine=False))
    for name in names[len(metrics) :]:
        available.append(Completing(name, is_machine=True))
    return available


def sections_check(chosen: ChosenSections, *, task: Task) -> None:
    """Raise `PublishingRefusedError` for a chosen metric that does not exist, or that completes no ranking."""
    name = chosen.completed_by
    if not name:
        return
    if "predicted_ranking" not in chosen.names:
        message = _("Include the prediction-powered ranking, or name no metric for it.")
        raise PublishingRefusedError(message, field="completed_by")
    machines = machine_names(task_id=task.pk)
    available = []
    for completing in available_completing(task=task, machines=machines):
        available.append(completing.name)
    if name in available:
        return
    message = _("Metric “%(name)s” not found. Available: %(known)s.")
    raise PublishingRefusedError(
        message % {"name": name, "known": comma_list(available)},
        field="completed_by",
    )


class Section(ABC):
    """A section of the result of a run, computed by an analysis of exactly its judgments."""

    #: Name of the kind of analysis.
    kind: ClassVar[str]

    def __init__(
        self,
        run: RankingRun,
        *,
        labels: Labels | None = None,
        chosen: ChosenSections | None = None,
    ) -> None:
        self.run = run
        #: Published names of systems by name; needed for `record`.
        self.labels = labels or {}
        self.chosen = chosen or ChosenSections()

    @property
    def kind_name(self) -> str:
        """Name of the kind of analysis; empty if the run's task has none."""
        return self.kind

    def filters(self) -> Record:
        """Return the required values of the analysis's choice and judgments."""
        return {}

    def request(self) -> Request | None:
        """Return the analysis to compute; None if the run has no such section, or does not compute it."""
        return None

    @abstractmethod
    def record(self, analysis: Any) -> Record | None:
        """Return the section from a finished analysis; None if there is nothing to publish."""

    def analyses(self) -> AnalysisQuerySet:
        """Select the analyses of exactly the judgments of the run."""
        judgments = judgments_of_run(self.run).recorded
        rows = Analysis.objects.of(self.run.task_id).filter(
            kind=self.kind_name,
            watermark=self.run.watermark,
            judgments__systems=judgments["systems"],
            judgments__with_reference=judgments["with_reference"],
            judgments__without=judgments["without"],
            judgments__documents=judgments["documents"],
        )
        return rows.filter(**self.filters())

    def finished(self) -> Analysis | None:
        """Return the newest finished analysis; None if there is none yet. One query."""
        finished = self.analyses().finished().filter(data__isnull=False)
        return finished.order_by("-pk").first()


class AnswersSection(Section):
    """The tables of the protocol's own analysis."""

    @property
    def kind_name(self) -> str:
        kind = kind_in_place_of_ranking(task=self.run.task)
        if kind is None:
            return ""
        return kind.name

    def filters(self) -> Record:
        if not self.kind_name:
            return {}
        return {"choice_digest": self._choice().digest}

    def request(self) -> Request | None:
        if not self.kind_name:
            return None
        return self._choice(), judgments_of_run(self.run)

    def record(self, analysis: Any) -> Record:
        """Return the tables in every language, without judges and texts."""

        def report() -> Report:
            return public_report(answer_for_people(analysis), self.labels)

        reports, _report = in_languages(report, LANGUAGES)
        return {
            "analysis": analysis.kind,
            "options": analysis.choice,
            "reports": reports,
        }

    def _choice(self) -> AnalysisChoice:
        return analysis_choice(self.kind_name, {})


class FirmnessSection(Section):
    """The number of judgments that decide first place."""

    kind = "firmness"

    def filters(self) -> Record:
        return {"choice__method": self.run.method}

    def request(self) -> Request | None:
        """Return None if the protocol or method has no such analysis, and without systems or with several unconnected groups."""
        run = self.run
        if not answer_kind_of(run.task).compares_outputs:
            return None
        is_usual = METHODS[run.method].is_usual(run.parameters["method_parameters"])
        if not is_usual or len(run.result["groups"]) != 1:
            return None
        options = {"method": run.method}
        group = run.parameters.get("judge_group")
        if group is not None:
            options["judge_group"] = group["name"]
        try:
            return analysis_choice("firmness", options), judgments_of_run(run)
        except OptionError:
            return None

    def record(self, analysis: Any) -> Record | None:
        """Return None if no system has a score.

        Judges and segments of the deciding judgments are left out, because they could identify people.
        """
        first_place = analysis.data["first_place"]
        if not first_place["first"]:
            return None
        new_first = first_place["new_first"]
        return {
            "method": analysis.data["method"],
            "judgments": first_place["judgments"],
            "deciding": first_place["deciding"],
            "at_least": first_place["at_least"],
            "proof": first_place["proof"],
            # Not in alphabetical order, which would reveal names.
            "first": sorted(self.labels[name] for name in first_place["first"]),
            "new_first": None if new_first is None else self.labels[new_first],
        }


class MetricsSection(Section):
    """The agreement of metrics with the judges."""

    kind = "metrics"

    def filters(self) -> Record:
        """Select analyses of the current metrics, without machine judges."""
        filters = _current_metrics(self.run)
        filters["judgments__machines__isnull"] = True
        for name, value in self._choice().options.items():
            filters[f"choice__{name}"] = value
        return filters

    def request(self) -> Request | None:
        digests = metric_digests(test_set_id=self.run.task.test_set_id)
        if not digests:
            return None
        return self._choice(), replace(judgments_of_run(self.run), metrics=digests)

    def record(self, analysis: Any) -> Record | None:
        """Return None without metrics.

        Scores of systems are left out, so that no system is named.
        """
        choice = analysis.choice
        data = analysis.data
        if not data["metrics"]:
            return None
        return {
            "method": choice["method"],
            "confidence": choice["confidence"],
            "resamples": choice["resamples"],
            "seed": choice["seed"],
            "ceiling": data["ceiling"],
            "floor": data["floor"],
            "clusters": data["clusters"],
            "metrics": [_metric(row) for row in data["metrics"]],
        }

    def _choice(self) -> AnalysisChoice:
        """Return the options of the analysis: by the method of the run if available."""
        try:
            return analysis_choice("metrics", {"method": self.run.method})
        except OptionError:
            return analysis_choice("metrics", {})


def _metric(row: Mapping[str, Any]) -> Record:
    return {
        "metric": row["metric"],
        "is_human": row["is_human"],
        "systems": row["systems"],
        "segments": row["segments"],
        "threshold": row["threshold"],
        "missing": row["missing"],
        "outputs": row["outputs"],
    }


def _current_metrics(run: RankingRun) -> Record:
    """Select analyses of the current metrics, with any options."""
    digests = metric_digests(test_set_id=run.task.test_set_id)
    return {"judgments__metrics": list(digests)}


#: Numbers of a completed ranking.
_COMPLETED: Final = (
    "metric",
    "is_machine",
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


class PredictedRankingSection(Section):
    """The ranking completed by a metric."""

    kind = "predicted_ranking"

    def filters(self) -> Record:
        """Select analyses of the current metrics and machine judges, by the chosen one or, if none is, with any options."""
        filters = _current_metrics(self.run)
        if self.chosen.completed_by:
            filters["choice__metric"] = self.chosen.completed_by
        machines = machine_digests(task_id=self.run.task_id)
        if machines:
            filters["judgments__machines"] = list(machines)
        else:
            filters["judgments__machines__isnull"] = True
        return filters

    def request(self) -> Request:
        metrics = metric_digests(test_set_id=self.run.task.test_set_id)
        machines = machine_digests(task_id=self.run.task_id) or None
        judgments = judgments_of_run(self.run)
        judgments = replace(judgments, metrics=metrics, machines=machines)
        options = {"metric": self.chosen.completed_by}
        return analysis_choice("predicted_ranking", options), judgments

    def record(self, analysis: Any) -> Record:
        """Leave out the scores by people alone: readers have those of the published ranking."""
        data = analysis.data
        systems = []
        for row in data["systems"]:
            system = {
                "system": self.labels[row["system"]],
                "score": row["score"],
                "rank": row["rank"],
                "rank_low": row["rank_low"],
                "rank_high": row["rank_high"],
                "cluster": row["cluster"],
            }
            systems.append(system)
        # Equal ranks are not in the order of names that readers must not see.
        systems.sort(key=_rank_and_name)
        left_out = sorted(self.labels[name] for name in data["left_out"])
        # Analyses of older versions know neither what completes the ranking nor how segments were drawn.
        record = {name: data.get(name) for name in _COMPLETED}
        return {**record, "systems": systems, "left_out": left_out}


def _rank_and_name(row: Mapping[str, Any]) -> tuple[int, str]:
    return row["rank"], row["system"]


#: Numbers of κ, with its interval.
_KAPPA: Final = (
    "kappa",
    "p_agree",
    "p_chance",
    "agreeing",
    "comparable",
    "low",
    "high",
)


class SelfAgreementSection(Section):
    """κ of judges with themselves, with the same chance agreement as between judges."""

    kind = "agreement"

    def filters(self) -> Record:
        return {
            "choice__chance": self.run.result["agreement"]["chance"],
            "choice__pairing": Pairing.UNORDERED.value,
        }

    def record(self, analysis: Any) -> Record | None:
        """Return None if κ is unknown, or its interval is of another kind than that of κ between judges."""
        intra = analysis.data["intra"]
        if intra["kappa"] is None or not self._has_same_interval(analysis):
            return None
        kappa = {name: intra[name] for name in _KAPPA}
        return {"chance": self.run.result["agreement"]["chance"], **kappa}

    def _has_same_interval(self, analysis: Any) -> bool:
        choice = analysis.choice
        agreement = self.run.parameters["agreement"]
        if choice.get("resample") != agreement["resample"]:
            return False
        return bool(choice.get("confidence") == agreement["confidence"])


_SECTIONS: Final[dict[str, type[Section]]] = {
    "answers": AnswersSection,
    "firmness": FirmnessSection,
    "metrics": MetricsSection,
    "predicted_ranking": PredictedRankingSection,
    "self_agreement": SelfAgreementSection,
}
#: Sections that are included if available. Without comparisons, a version needs "answers".
_ALWAYS: Final = ("self_agreement", "answers")


def section_answer(
    name: str,
    *,
    run: RankingRun,
    chosen: ChosenSections | None = None,
) -> Analysis | None:
    """Return the analysis for a section of a result; None if there is none yet. One query."""
    return _SECTIONS[name](run, chosen=chosen).finished()


def frozen_answers(
    run: RankingRun,
    labels: Labels,
    chosen: ChosenSections,
) -> PublishedSections:
    """Return those of the chosen sections that are available, and those that are included without being requested."""
    records = {}
    for name in (*chosen.names, *_ALWAYS):
        section = _SECTIONS[name](run, labels=labels, chosen=chosen)
        analysis = section.finished()
        if analysis is None:
            continue
        record = section.record(analysis)
        if record:
            records[name] = record
    return cast("PublishedSections", records)


def answer_ask(
    name: str,
    *,
    task: Task,
    run: RankingRun,
    by: User | None,
    chosen: ChosenSections | None = None,
) -> Analysis | None:
    """Have a worker compute a section of a result, unless it is available or requested.

    A failed or cancelled computation is not retried. Returns None if the ranking has no such section.
    """
    section = _SECTIONS[name](run, chosen=chosen)
    request = section.request()
    if request is None:
        return None
    rows = section.analyses().select_related("job", "task")
    newest = rows.order_by("-finished_at", "-pk").first()
    if newest is not None and (newest.finished_at is not None or has_failed(newest)):
        return newest
    choice, judgments = request
    return analysis_ask(
        task=task,
        choice=choice,
        user=by,
        watermark=run.watermark,
        judgments=judgments,
    )


def unfinished_ask(
    names: Iterable[str],
    *,
    task: Task,
    run: RankingRun,
    by: User | None,
    chosen: ChosenSections,
) -> list[Analysis]:
    """Have a worker compute sections, as `answer_ask` does; return the analyses that are not finished, or that failed."""
    unfinished = []
    for name in names:
        analysis = answer_ask(name, task=task, run=run, by=by, chosen=chosen)
        if analysis is not None and analysis.finished_at is None:
            unfinished.append(analysis)
    return unfinished


def has_failed(analysis: Analysis) -> bool:
    """Return whether the computation failed or was cancelled."""
    return (
        analysis.finished_at is None
        and analysis.job is not None
        and analysis.job.has_ended
    )
