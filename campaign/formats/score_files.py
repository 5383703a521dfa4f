"""Read scores that were provided together, in a process of its own."""

from collections.abc import Sequence
from pathlib import Path

from campaign.formats.archives import unpacked
from campaign.formats.file_names import SCORE_WORDS, folders
from campaign.formats.metric_scores import (
    EvalSet,
    MetricScores,
    read_evalset,
    read_metric_scores,
)
from campaign.formats.streams import StoredFile


def scores_together(
    files: Sequence[StoredFile],
    languages: tuple[str, str],
    name: str,
    folder: Path,
) -> EvalSet | list[MetricScores]:
    """Return the content of an EvalSet folder, or else of files with scores.

    Archives are unpacked into the new folder `folder`. `name` is that of a metric whose file does not name it.

    Raises FormatError.
    """
    together = unpacked(files[0].name, files, folder)
    if any(folders(file.name) & SCORE_WORDS for file in together):
        return read_evalset(files[0].name, together, languages)
    return list(read_metric_scores(together, languages, name=name))
