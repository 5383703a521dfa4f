"""Results of a campaign as holders of a link to them see them: without judges, texts and anonymous names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from campaign.models import System, Task
from ranking.models import PublishedResult, RankingRun
from ranking.pages.formats import RankPlotContent, rank_plots
from ranking.pages.published_results import run_of
from ranking.pages.report_shown import RenderedTable, rendered_tables
from ranking.pages.summary import Summary, summarise_run, summary_without_order
from ranking.reports.public import public_report
from ranking.reports.wording.agreement import kappa_in_words
from ranking.reports.wording.methods import unranked_in_words
from ranking.selectors.analyses import (
    answer_for_people,
    answer_to_share,
    kind_in_place_of_ranking,
)
from ranking.selectors.published_results import systems_entered, versions_of
from ranking.selectors.runs import run_to_share
from ranking.services.published_results.frozen_ranking import (
    frozen_agreement,
    frozen_method,
    frozen_ranking,
)
from ranking.services.published_results.naming import (
    labels_of,
    may_be_anonymous,
    published_letters,
)


@dataclass(frozen=True, slots=True)
class _Names:
    """The systems of a test set and the names under which readers see them."""

    systems: Sequence[System]
    labels: Mapping[str, str]

    @property
    def withdrawn(self) -> set[str]:
        withdrawn = set()
        for system in self.systems:
            if system.withdrawn_at is not None:
                withdrawn.add(self.labels[system.name])
        return withdrawn


class SharedResult(TypedDict, total=False):
    """A task as readers see it: its ranking, or the first table of its protocol's answer."""

    summary: Summary
    computed_at: datetime | None
    tables: list[RenderedTable]
    plots: list[RankPlotContent]
    withdrawn: set[str]
    not_estimable: list[tuple[str, str]]
    agreement: object
    kappa_missing: str


def shared_result(*, task: Task, is_anonymous: bool) -> SharedResult:
    """Return what readers see of a task: its ranking, or the answer of its protocol; without data, a headline.

    Systems that are anonymous in the newest published version stay so; all are if the link `is_anonymous`.
    """
    names = _names(task, is_anonymous=is_anonymous)
    run = run_to_share(task=task)
    if run is not None and run.result["systems"]:
        return _ranking(run, names)
    kind = kind_in_place_of_ranking(task=task)
    if kind is None:
        return {"summary": summarise_run(None)}
    answer = answer_to_share(task=task, kind=kind)
    if answer is None:
        return {"summary": summarise_run(None)}
    report = public_report(answer_for_people(answer), names.labels)
    return {
        "summary": summary_without_order(kind),
        "computed_at": answer.finished_at,
        # The first table answers the question of the protocol.
        "tables": rendered_tables(report)[:1],
    }


def _ranking(run: RankingRun, names: _Names) -> SharedResult:
    ranking = frozen_ranking(run, names.labels, None)
    agreement = frozen_agreement(run)
    method = frozen_method(run, names.labels)
    described = run_of({"ranking": ranking, "method": method, "agreement": agreement})
    has_unranked = bool(ranking["not_estimable"])
    return {
        "summary": summarise_run(described),
        "computed_at": run.finished_at,
        "plots": rank_plots(ranking["systems"], has_unranked=has_unranked),
        "withdrawn": names.withdrawn,
        "not_estimable": unranked_in_words(ranking),
        "agreement": agreement,
        "kappa_missing": kappa_in_words(agreement)["kappa_missing"],
    }


def _names(task: Task, *, is_anonymous: bool) -> _Names:
    systems = systems_entered(task_id=task.pk)
    versions = list(versions_of(task_id=task.pk))
    hidden = set()
    for system in systems:
        if may_be_anonymous(system) and (is_anonymous or _is_hidden(system, versions)):
            hidden.add(system.name)
    letters = published_letters(versions)
    labels = labels_of(systems, anonymous=hidden, before=letters)
    return _Names(systems=systems, labels=labels)


def _is_hidden(system: System, versions: Sequence[PublishedResult]) -> bool:
    """Return whether a system is anonymous in the newest published version."""
    if not versions:
        return False
    return bool(versions[0].labels.get(str(system.pk), system.name) != system.name)
