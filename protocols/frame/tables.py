"""Tables and reports about answers: each column with its cells, and the sources of the answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.files.records import FileRead
from ranking.reports.inputs import AnswersOfFiles, Input, input_data, input_notes
from ranking.reports.tables import Report, Table


def rules_between(clusters: Sequence[int | None]) -> frozenset[int]:
    """Return the rows below which a rule is drawn: those whose successor is in another cluster."""
    return frozenset(place for place, (one, next_) in enumerate(pairwise(clusters)) if one != next_)


def one_judge_notes(
    systems: Sequence[str], wrote: npt.NDArray[np.bool_], judge: npt.NDArray[np.int64]
) -> list[str]:
    """Warn of systems all of whose outputs one judge worked on.

    Parameters
    ----------
    systems : sequence of str, length n
    wrote : bool, shape (m, n)
        Systems of each answer.
    judge : int64, shape (m,)
    """
    alone = [
        name for name, own in zip(systems, wrote.T, strict=True) if len(np.unique(judge[own])) == 1
    ]
    if not alone:
        return []
    return [
        _(
            "Warning: only one judge worked on outputs of %(systems)s, so their intervals do not include differences between judges."
        )
        % {"systems": ", ".join(alone)}
    ]


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
