"""The present ranking of a test set as a static copy has it: in the form of a published result, without judges."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from django.utils.formats import date_format, number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from campaign.models import Task
from campaign.texts.canonical_json import canonical
from cells.campaign_copy.guards import without_judges
from cells.campaign_copy.naming import CopiedNames
from cells.campaign_copy.renaming import renamed_input
from ranking.analyses import AnalysisKind
from ranking.analyses.kind import Progress
from ranking.models import RankingRun
from ranking.pages.history_plot import HistoryPlot, history_plot
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.selectors.chosen_judgments import judgments_of_run, stored_input
from ranking.selectors.history import ranking_history
from ranking.services.analyses import AnalysisChoice, analysis_choice
from ranking.services.publishing import PublishedWords
from ranking.services.publishing.content import published_content, published_facts
from ranking.services.publishing.firmness import frozen_firmness
from ranking.services.publishing.refusals import anonymous_check
from ranking.services.publishing.self_agreement import frozen_self_agreement

#: Questions about the present ranking that each copy answers, whether somebody asked or not.
KINDS: Final = ("pairs", "agreement")


class CopyRefusedError(Exception):
    """The campaign cannot be copied as it is; the words are for organisers."""


def present_content(task: Task, run: RankingRun, names: CopiedNames) -> dict[str, Any]:
    """Return the present ranking as the content of a published result, which is about no single judge.

    Raises
    ------
    PublishingRefusedError
        If a text names a system or a team that is not to be named.
    CopyRefusedError
        If the ranking has systems that were renamed since.
    """
    names_check(
        task.test_set.name, [*run.parameters["systems"], *run.parameters["left_out"]], names
    )
    answers = {
        "firmness": frozen_firmness(run, names.labels),
        "self_agreement": frozen_self_agreement(run),
    }
    content = published_content(
        published_facts(task=task, run=run),
        labels=names.labels,
        words=PublishedWords(wordings=names.wordings),
        version=1,
        at=run.finished_at,
        sections={name: found for name, found in answers.items() if found is not None},
    )
    content["left_out"]["judges"] = _by_decision(content["left_out"]["judges"])
    if content["method"]["judge_group"] is not None:
        # As in designs: a group may be called after the team that it is of.
        content["method"]["judge_group"]["name"] = "…"
    anonymous_check(content, names.hidden)
    found: dict[str, Any] = json.loads(canonical(content))
    return found


def _by_decision(judges: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return who is left out, a row for each rule, and one for organisers: nothing of it is a single judge's."""
    decided: dict[str, list[Mapping[str, Any]]] = {}
    for each in judges:
        decided.setdefault(canonical([each["decided_by"], each["rule"]]), []).append(each)
    return [
        {
            "judge": None,
            "judges": len(rows),
            "blocks": sum(each["blocks"] for each in rows) if len(rows) > 1 else None,
            "decided_by": rows[0]["decided_by"],
            "decided_on": None,
            "reason": "",
            "rule": rows[0]["rule"],
            "evidence": None,
        }
        for _key, rows in sorted(decided.items())
    ]


def names_check(task: str, ranked: Collection[str], names: CopiedNames) -> None:
    """Raise `CopyRefusedError` if a ranking of a test set has systems that were renamed since."""
    if set(ranked) - names.labels.keys():
        raise CopyRefusedError(
            _("“%(name)s”: a system was renamed since the ranking. Wait for the next one.")
            % {"name": task}
        )


def present_in_words(run: RankingRun) -> str:
    """Return of which judgments the present ranking is, and when it was computed."""
    return _(
        "The ranking of judgments 1 to %(number)s, computed on %(day)s. Only published versions are frozen."
    ) % {
        "number": number_format(run.watermark),
        "day": date_format(localtime(run.finished_at), "DATE_FORMAT"),
    }


def present_history(run: RankingRun, names: CopiedNames) -> HistoryPlot | None:
    """Return how the ranking formed; rankings of systems under earlier names are left out.

    None where a system has a letter: stored rankings order equal scores by the names that nobody is told.
    """
    if names.has_letters:
        return None
    points = ranking_history(task_id=run.task_id, latest=run)
    return history_plot(
        [point for point in points if all(row["system"] in names.labels for row in point.systems)]
    )


def present_choice(name: str, run: RankingRun) -> AnalysisChoice:
    """Return the question about the present ranking that the copy answers."""
    return analysis_choice(name, {"method": run.method} if name == "pairs" else {})


def present_reports(
    task: Task, run: RankingRun, names: CopiedNames
) -> Iterator[tuple[AnalysisKind, Report]]:
    """Yield the answers about the judgments of the present ranking, in the language in force."""
    given = _input(task, run, names)
    for name in KINDS:
        choice = present_choice(name, run)
        kind, options = choice.kind, choice.options
        try:
            found = kind.find(given, options, untold)
        except ValueError as error:
            yield kind, Report(notes=[str(error)], tables=[], data={})
        else:
            yield kind, without_judges(kind.tell(given, options, found))


def untold(task: str) -> Progress:
    """Nobody watches what is computed here: the job tells how many pages there are."""
    del task
    return lambda _done, _total: None


def _input(task: Task, run: RankingRun, names: CopiedNames) -> Input:
    given = stored_input(
        task=task,
        watermark=run.watermark,
        chosen=judgments_of_run(run),
        languages=(task.test_set.source_language, task.test_set.target_language),
    )
    # Who is left out is said with the ranking, without pseudonyms.
    return renamed_input(given, names.labels)
