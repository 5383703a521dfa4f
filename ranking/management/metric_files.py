"""Scores of metrics in files, for commands: beside judgments, and EvalSet folders with human scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from campaign.formats import FormatError
from campaign.formats.archives import (
    archive_files,
    files_together,
    folder_files,
    is_litter,
    opener,
)
from campaign.formats.metric_scores import EvalSet, read_evalset, read_metric_scores
from campaign.formats.streams import StoredFile
from campaign.importing.uploaded_files import holds_archive
from ranking.analyses.metrics import metric_of
from ranking.core.judged.blocks import Blocks
from ranking.core.metrics.people import Metric
from ranking.management.file_command import refuse

Languages = tuple[str, str] | None


def is_evalset(names: Sequence[str]) -> bool:
    """Return whether files of a command are a folder or an archive, instead of judgments."""
    if len(names) != 1 or names[0] == "-":
        return False
    path = Path(names[0])
    return path.is_dir() or (path.is_file() and holds_archive(StoredFile(path.name, opener(path))))


@contextmanager
def metric_files(name: str) -> Iterator[list[StoredFile]]:
    """Yield the files of a folder or an archive, or the one file."""
    path = Path(name)
    file = StoredFile(name, opener(path))
    try:
        if path.is_dir():
            yield files_together(name, folder_files(path))
        elif holds_archive(file):
            with archive_files(file) as files:
                yield files
        else:
            yield [file]
    except OSError as error:
        refuse(f"{name}: {error.strerror}.", error)


def evalset_read(name: str, languages: Languages) -> EvalSet:
    """Read an EvalSet folder, or its archive."""
    with metric_files(name) as files:
        return read_evalset(name, files, languages)


def metrics_read(
    named: Sequence[tuple[str, str]], blocks: Blocks, languages: Languages
) -> tuple[Metric, ...]:
    """Read the metrics of `--scores NAME=FILE` for judged blocks.

    A file or folder with several metrics must have one of that name.

    Raises
    ------
    FormatError
        If a file is not in order, or does not score two judged systems in a judged segment.
    """
    found = []
    for name, file in named:
        with metric_files(file) as files:
            read = read_metric_scores(
                [each for each in files if not is_litter(each.name)], languages, name=name
            )
        chosen = read if len(read) == 1 else [each for each in read if each.name == name]
        if len(chosen) != 1:
            raise FormatError(
                file,
                f"the metrics are {', '.join(each.name for each in read)}",
                f"name one of them: --scores {read[0].name}={file}",
            )
        metric = metric_of(replace(chosen[0], name=name))
        _refuse_others(file, metric, blocks)
        found.append(metric)
    return tuple(found)


def _refuse_others(file: str, metric: Metric, blocks: Blocks) -> None:
    if len(set(metric.systems) & set(blocks.systems)) < 2:
        raise FormatError(
            file,
            f"of the judged systems ({', '.join(blocks.systems)}) fewer than two have scores; there are scores of "
            + ", ".join(metric.systems),
            "give the scores of the judged outputs, with systems named as in the judgments",
        )
    if len(metric.segments) and not np.isin(metric.segments, blocks.segment).any():
        raise FormatError(
            file,
            "no judged segment has scores",
            "number segments through the test set, as the judgments do",
        )
