"""Tables and reports about answers: each column with its cells, and what the answers come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ranking.code_version import code_version
from ranking.files.records import FileRead
from ranking.reports.inputs import AnswersOfFiles, Input, input_data, input_notes
from ranking.reports.tables import Report, Table


def rules_between(clusters: Sequence[int | None]) -> frozenset[int]:
    """Return the rows below which a rule is drawn: those whose successor is in another cluster."""
    return frozenset(place for place, (one, next_) in enumerate(pairwise(clusters)) if one != next_)


def files_data(files: Iterable[FileRead]) -> list[dict[str, str]]:
    """Describe files for programs."""
    return [{"name": file.name, "sha256": file.sha256} for file in files]


def report_of_answers(
    *,
    given: Input | AnswersOfFiles,
    of_files: Mapping[str, Any],
    counted: Mapping[str, Any],
    notes: Iterable[str],
    tables: Iterable[Table],
    data: Mapping[str, Any],
) -> Report:
    """Return a report on answers of a task or of files.

    Parameters
    ----------
    given : Input or AnswersOfFiles
    of_files, counted : mapping
        What data say of the input where it is files, and in either case.
    notes, tables, data
    """
    about: Mapping[str, Any] = input_data(given) if isinstance(given, Input) else of_files
    return Report(
        notes=[*(input_notes(given) if isinstance(given, Input) else []), *notes],
        tables=list(tables),
        data={"input": {**about, **counted}, **data, "version": code_version()},
    )
