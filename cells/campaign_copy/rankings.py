"""The present ranking of a test set as a static copy has it: in the form of a published result, without judges."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from django.utils.formats import date_format, number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from campaign.models import TestSet
from campaign.texts.canonical_json import canonical
from cells.campaign_copy.naming import CopiedNames
from ranking.analyses import ANALYSES, AnalysisKind
from ranking.analyses.kind import Progress
from ranking.core.judged.blocks import Blocks
from ranking.models import RankingRun
from ranking.pages.history_plot import HistoryPlot, history_plot
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.selectors.chosen_judgments import judgments_of_run, stored_input
from ranking.selectors.history import HistoryPoint, ranking_history
from ranking.services.publishing import PublishedWords
from ranking.services.publishing.content import published_content, published_facts
from ranking.services.publishing.firmness import frozen_firmness
from ranking.services.publishing.refusals import anonymous_check
from ranking.services.publishing.self_agreement import frozen_self_agreement

#: Questions whose answers are copied: none of them is about single judges.
KINDS: Final = ("pairs", "agreement")


class CopyRefusedError(Exception):
    """The campaign cannot be copied as it is; the words are for organisers."""


def present_content(test_set: TestSet, run: RankingRun, names: CopiedNames) -> dict[str, Any]:
    """Return the present ranking as the content of a published result, whose judges have no pseudonyms.

    Raises
    ------
    PublishingRefusedError
        If a text names a system or a team that is not to be named.
    CopyRefusedError
        If the ranking has systems that were renamed since.
    """
    ranked = {*run.parameters["systems"], *run.parameters["left_out"]}
    if ranked - names.labels.keys():
        raise CopyRefusedError(
            _("“%(name)s”: a system was renamed since the ranking. Wait for the next one.")
            % {"name": test_set.name}
        )
    answers = {
        "firmness": frozen_firmness(run, names.labels),
        "self_agreement": frozen_self_agreement(run),
    }
    content = published_content(
        published_facts(test_set=test_set, run=run),
        labels=names.labels,
        words=PublishedWords(),
        version=1,
        at=run.finished_at,
        sections={name: found for name, found in answers.items() if found is not None},
    )
    judges = content["left_out"]["judges"]
    content["left_out"]["judges"] = [{**each, "judge": None, "reason": ""} for each in judges]
    anonymous_check(content, names.hidden)
    found: dict[str, Any] = json.loads(canonical(content))
    return found


def present_in_words(run: RankingRun) -> str:
    """Return of which judgments the present ranking is, and when it was computed."""
    return _(
        "The ranking of judgments 1 to %(number)s, computed on %(day)s. Only published versions are frozen."
    ) % {
        "number": number_format(run.watermark),
        "day": date_format(localtime(run.finished_at), "DATE_FORMAT"),
    }


def present_history(run: RankingRun, names: CopiedNames) -> HistoryPlot | None:
    """Return how the ranking formed; rankings of systems under earlier names are left out."""
    points = ranking_history(test_set_id=run.test_set_id, latest=run)
    return history_plot(
        [
            HistoryPoint(
                point.watermark,
                point.comparisons,
                [{**row, "system": names.labels[row["system"]]} for row in point.systems],
            )
            for point in points
            if all(row["system"] in names.labels for row in point.systems)
        ]
    )


def present_reports(
    test_set: TestSet, run: RankingRun, names: CopiedNames
) -> Iterator[tuple[AnalysisKind, Report]]:
    """Yield the answers about the judgments of the present ranking, in the language in force."""
    given = _input(test_set, run, names)
    for name in KINDS:
        kind = ANALYSES[name]
        options = kind.complete({"method": run.method} if name == "pairs" else {})
        try:
            found = kind.find(given, options, _untold)
        except ValueError as error:
            yield kind, Report(notes=[str(error)], tables=[], data={})
        else:
            yield kind, kind.tell(given, options, found)


def _untold(task: str) -> Progress:
    del task
    return lambda _done, _total: None


def _input(test_set: TestSet, run: RankingRun, names: CopiedNames) -> Input:
    given = stored_input(
        test_set=test_set,
        watermark=run.watermark,
        chosen=judgments_of_run(run),
        languages=(test_set.source_language, test_set.target_language),
    )
    # Who is left out is said with the ranking, without pseudonyms.
    read = replace(given.read, blocks=_renamed(given.read.blocks, names.labels), excluded_judges=())
    return replace(given, read=read, blocks=_renamed(given.blocks, names.labels))


def _renamed(blocks: Blocks, labels: Mapping[str, str]) -> Blocks:
    """Return blocks over the systems as they are called here, in the order of that: the other one tells names."""
    called = [labels[name] for name in blocks.systems]
    order = np.array(sorted(range(len(called)), key=called.__getitem__), dtype=np.intp)
    return replace(
        blocks,
        systems=tuple(called[index] for index in order),
        labels=np.ascontiguousarray(blocks.labels[:, order]),
        candidates=np.ascontiguousarray(blocks.candidates[:, order]),
    )
