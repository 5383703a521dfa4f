"""Tables and reports about answers."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from campaign.models import Task
from campaign.texts.joining import comma_list
from protocols.frame.lines import AnswerLines, AnswersRead
from ranking.files.records import FileRead
from ranking.files.sources import ReadingProgress
from ranking.reports.analyses.kind import Begin, ChosenJudgments, ProtocolAnalysis
from ranking.reports.inputs import (
    AnswersOfFiles,
    Input,
    excluded_notes,
    input_data,
    input_notes,
    not_read_data,
    not_read_notes,
)
from ranking.reports.tables import Report, Table, plain
from version import code_version

#: Options of an analysis, checked and completed: the `TypedDict` of its report.
AnalysisOptions = Any
#: Machine-readable results: dataclasses and values that JSON can hold, by name.
ReportData = Mapping[str, object]


def rules_between(clusters: Sequence[int | None]) -> frozenset[int]:
    """Return the rows below which a line is drawn: those followed by a row of another cluster."""
    rules = []
    for index, (one, next_) in enumerate(pairwise(clusters)):
        if one != next_:
            rules.append(index)
    return frozenset(rules)


def one_judge_notes(worked_on: Iterable[tuple[Iterable[str], str]]) -> list[str]:
    """Warn about systems whose outputs were all handled by one judge, given each answer's systems
    and judge.
    """
    judges: dict[str, set[str]] = defaultdict(set)
    for systems, judge in worked_on:
        for system in systems:
            judges[system].add(judge)
    alone = sorted(system for system, own in judges.items() if len(own) == 1)
    if not alone:
        return []
    return [
        _(
            "Warning: only one judge worked on outputs of %(systems)s, so their intervals do not include differences between judges.",
        )
        % {"systems": comma_list(alone)},
    ]


def files_data(files: Iterable[FileRead]) -> list[dict[str, str]]:
    """Return the description of files for machine-readable reports."""
    data = []
    for file in files:
        data.append({"name": file.name, "sha256": file.sha256})
    return data


def report_of_answers(
    *,
    analysis_input: Input | AnswersOfFiles,
    of_files: ReportData = MappingProxyType({}),
    counted: ReportData = MappingProxyType({}),
    notes: Iterable[str],
    tables: Iterable[Table],
    data: ReportData,
) -> Report:
    """Return a report on the answers of a task or of files, without ranks if `counted` has one system.

    Parameters
    ----------
    analysis_input : Input or AnswersOfFiles
        Answers from files are `AnswersRead`.
    of_files, counted : mapping
        Further data about the input: for files only, and in either case.
    notes, tables, data
    """
    about: ReportData
    if isinstance(analysis_input, Input):
        about = input_data(analysis_input)
        first = input_notes(analysis_input)
        last = []
    else:
        read: AnswersRead[Any] = analysis_input.answers
        excluded = read.excluded_judges
        about = {
            "files": files_data(read.files),
            "excluded_judges": [*excluded],
            **not_read_data(read.losses),
            **of_files,
        }
        first = []
        last = [*not_read_notes(read.losses), *excluded_notes(excluded)]
    alone = []
    if counted.get("systems") == 1:
        alone.append(_("There is only one system, so there are no ranks and clusters."))
        data = without_ranks(data)
    return Report(
        about=first,
        notes=[*notes, *alone, *last],
        tables=list(tables),
        data={"input": {**about, **counted}, **data, "version": code_version()},
    )


#: Names in data of what a system has only beside others.
_OF_SEVERAL: Final = frozenset(
    {"rank", "rank_low", "rank_high", "ranges", "cluster", "group", "tests"},
)


def without_ranks(data: ReportData) -> dict[str, object]:
    """Return data as plain JSON without ranks, clusters and tests of pairs, at any depth."""
    return {
        name: _unranked(value)
        for name, value in plain(data).items()
        if name not in _OF_SEVERAL
    }


def _unranked(value: object) -> object:
    if isinstance(value, dict):
        return without_ranks(value)
    if isinstance(value, list):
        return [_unranked(row) for row in value]
    return value


def analysis_of_lines(
    lines: AnswerLines[Any],
    *,
    step: Promise,
    find: Callable[[Input | AnswersOfFiles, AnalysisOptions], Any],
    **particular: Any,
) -> ProtocolAnalysis:
    """Return the analysis of answers of a task or of files; `find` gets `AnswersRead`, and `step`
    names the step.
    """

    def result_of_lines(
        analysis_input: Input | AnswersOfFiles,
        options: AnalysisOptions,
        begin: Begin,
    ) -> Any:
        begin(str(step))
        if not analysis_input.answers.rows:
            raise ValueError(_("No judgments match these options."))
        return find(analysis_input, options)

    def read_files(
        names: Sequence[str],
        _options: AnalysisOptions,
        excluded: Sequence[str],
        progress: ReadingProgress,
    ) -> AnswersRead[Any]:
        return lines.read(names, exclude_judges=excluded, progress=progress)

    def read(
        task: Task,
        watermark: int,
        judgments: ChosenJudgments,
        _options: AnalysisOptions,
    ) -> AnswersRead[Any]:
        return lines.chosen(task, watermark, judgments)

    return ProtocolAnalysis(
        find=result_of_lines,
        read=read,
        read_files=read_files,
        **particular,
    )
