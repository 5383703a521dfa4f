"""Read EvalSet folders of WMT's metrics tasks: `.score` files of metrics and of people, documents and sources."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from campaign.formats.collected_scores import (
    WHOLE_SYSTEM,
    CollectedScores,
    score_number,
)
from campaign.formats.errors import FormatError, Location
from campaign.formats.file_names import SCORE_WORDS, matches
from campaign.formats.known_files import known_file_error
from campaign.formats.metric_scores import MetricScores
from campaign.formats.records import counted
from campaign.formats.streams import InputFile, StoredFile, text_lines

SCORE_FILE: Final = re.compile(
    r"(?P<name>.+)\.(?P<level>seg|sys|doc|domain)\.score",
    re.IGNORECASE,
)
#: Our exports keep metrics with missing scores in the second folder, which the shared task's scorer does not read.
_METRICS: Final = ("metric-scores", "metric-scores-incomplete")
_HUMAN: Final = "human-scores"
_OF_PAIR: Final = (_HUMAN, "documents", "sources", "references")
_EVALSET_ENDINGS: Final = ("score", "docs", "txt")


@dataclass(frozen=True, eq=False, kw_only=True)
class EvalSet:
    """The scores of a language pair of an EvalSet folder.

    Attributes
    ----------
    languages : str
        Language pair as in names of files, for instance "en-de".
    domains, documents : tuple of str
        Domain and document of each segment; empty without a folder `documents`.
    scores : tuple of MetricScores
        Those of metrics by name, then those of people.
    references : frozenset of str
        Systems that are references or other texts by people, which metrics are not judged on.
    word_counts : tuple of int
        Number of words of each source; empty without a folder `sources`.
    """

    languages: str
    domains: tuple[str, ...]
    documents: tuple[str, ...]
    scores: tuple[MetricScores, ...]
    references: frozenset[str]
    word_counts: tuple[int, ...] = ()


def read_evalset(
    folder: str,
    files: Iterable[StoredFile],
    languages: tuple[str, str] | None = None,
) -> EvalSet:
    """Read the scores of one language pair of an EvalSet folder, as released by WMT's metrics tasks.

    Parameters
    ----------
    folder : str
        Name of the folder in errors.
    files : iterable of StoredFile
        All files of the folder, or of its archive, without the enclosing folder (`archives.files_together`).
    languages : tuple of (source, target), optional
        Required if the folder contains several pairs.

    Returns
    -------
    EvalSet
        The name of a metric is followed by ``[noref]`` if the name of its file ends in ``-src``, and by the reference in
        brackets if that is not ``refA``.

    Raises
    ------
    FormatError
        For invalid files, with the line; if there are no scores; and for several language pairs if `languages` selects
        none.
    """
    evalset_files = _evalset_files(files)
    languages_of_set = _language_pair(folder, evalset_files, languages)
    by_role = defaultdict[str, list[_EvalSetFile]](list)
    for file in evalset_files:
        if file.languages == languages_of_set:
            by_role[file.role].append(file)
    domains = []
    documents = []
    for line in _lines(file.stored for file in by_role["documents"]):
        domain, document = _two_cells(
            line,
            "write the domain of the segment and its document, separated by a tab",
        )
        domains.append(domain)
        documents.append(document)
    sources = _lines(file.stored for file in by_role["sources"])
    word_counts = tuple(len(line.text.split()) for line in sources)
    segments = len(documents) or len(word_counts) or None
    scores: list[MetricScores] = []
    for role in sorted(SCORE_WORDS, reverse=True):
        scores += _scores_of_role(by_role[role], role, segments)
    if segments is None:
        _refuse_other_lengths(scores)
    return EvalSet(
        languages=languages_of_set,
        domains=tuple(domains),
        documents=tuple(documents),
        scores=tuple(scores),
        references=frozenset(file.rest for file in by_role["references"]),
        word_counts=word_counts,
    )


class _EvalSetFile(NamedTuple):
    """A file of an EvalSet folder; `rest` is its name without language pair and extension."""

    stored: StoredFile
    role: str
    languages: str
    rest: str


def _evalset_files(files: Iterable[StoredFile]) -> list[_EvalSetFile]:
    """Return the files that are read, with what their names and folders say."""
    read = []
    for file in files:
        *folders, last = file.name.split("/")
        stem_of_file, dot, ending = last.rpartition(".")
        if not dot or not folders:
            continue
        if len(folders) > 1 and folders[-2] in _METRICS and ending == "score":
            languages = folders[-1]
            read.append(_EvalSetFile(file, "metric-scores", languages, stem_of_file))
        elif folders[-1] in _OF_PAIR and ending in _EVALSET_ENDINGS:
            languages, _dot, rest = stem_of_file.partition(".")
            read.append(_EvalSetFile(file, folders[-1], languages, rest))
    return read


def _language_pair(
    folder: str,
    files: Sequence[_EvalSetFile],
    languages: tuple[str, str] | None,
) -> str:
    """Return the only language pair with scores, or the chosen one."""
    pairs = sorted({file.languages for file in files if file.role in SCORE_WORDS})
    if not pairs:
        raise FormatError(
            folder,
            "no scores found",
            "provide a folder with human-scores and metric-scores, as released by WMT's metrics tasks",
        )
    fitting = []
    for pair in pairs:
        source, _hyphen, target = pair.partition("-")
        if languages is None or matches((source, target), languages):
            fitting.append(pair)
    if len(fitting) != 1:
        raise FormatError(
            folder,
            f"there are scores of {', '.join(pairs)}",
            "choose one of these language pairs",
        )
    return fitting[0]


def _scores_of_role(
    files: Sequence[_EvalSetFile],
    role: str,
    segments: int | None,
) -> list[MetricScores]:
    """Return the scores of metrics or of people by name; `segments` is the number of segments, if known."""
    metrics: dict[str, CollectedScores] = {}
    is_human = role == _HUMAN
    for file in files:
        # Scores of documents and domains are means of segment scores.
        if file.rest.endswith((".seg", ".sys")):
            name = file.rest[: -len(".seg")]
            named = _NamedMetric(name)
            if not is_human:
                named = metric_from_file_name(name)
            read_score_file(file.stored, metrics, named, segments)
    scores = []
    for name in sorted(metrics):
        result = metrics[name].result()
        scores.append(replace(result, is_human=is_human))
    return scores


def _refuse_other_lengths(scores: Sequence[MetricScores]) -> None:
    """Refuse files of segment scores with different numbers of segments."""
    by_line = [score for score in scores if score.is_by_line]
    for score in by_line[1:]:
        first = by_line[0]
        count = len(score.segments)
        if count != len(first.segments):
            raise score.places[-1].error(
                f"{counted(count, 'score')} of each system, and {first.name} has {len(first.segments):,}",
                "provide scores of the same segments, with None for a missing score",
            )


class _NamedMetric(NamedTuple):
    """The metric that a file name identifies, and whether it uses a reference; None if unknown."""

    name: str
    uses_reference: bool | None = None


def metric_from_file_name(file: str) -> _NamedMetric:
    """Return the metric that a file name identifies, with its reference if that is not refA."""
    name, _hyphen, reference = file.rpartition("-")
    if not name:
        return _NamedMetric(file)
    if reference == "refA":
        return _NamedMetric(name, uses_reference=True)
    if reference == "src":
        return _NamedMetric(f"{name}[noref]", uses_reference=False)
    return _NamedMetric(f"{name}[{reference}]", uses_reference=True)


def read_score_file(
    file: StoredFile,
    metrics: dict[str, CollectedScores],
    named: _NamedMetric,
    segments: int | None = None,
) -> None:
    """Read the system and score of each line; the scores of a system are in segment order.

    `segments` is the number of scores that each system must have in a file of segment scores; None requires the same
    number for all systems.
    """
    level = file.plain_name.split(".")[-2].lower()
    if level not in ("seg", "sys"):
        raise FormatError(
            file.name,
            f"the level {level} is not supported",
            "provide a .seg.score or a .sys.score file",
        )
    if named.name not in metrics:
        metrics[named.name] = CollectedScores(
            named.name,
            uses_reference=named.uses_reference,
        )
    metric = metrics[named.name]
    remedy = "write the system and its score, separated by a tab"
    lines_by_system = defaultdict[str, list[int]](list)
    values_by_system = defaultdict[str, list[float]](list)
    for line in _lines([file]):
        if not line.text.strip():
            continue
        system, score = _two_cells(line, remedy)
        lines_by_system[system].append(line.number)
        values_by_system[system].append(score_number(score, file.name, line.number))
    if not lines_by_system:
        raise FormatError(
            file.name,
            "the file is empty",
            "write a system and a score on each line",
        )
    is_by_segment = level == "seg"
    metric.is_by_line |= is_by_segment
    longest = max(map(len, lines_by_system.values()))
    expected_count = segments or longest
    names = [WHOLE_SYSTEM] * longest
    if is_by_segment:
        names = [("", str(number)) for number in range(1, longest + 1)]
    for system, lines in lines_by_system.items():
        count = len(lines)
        if is_by_segment and count != expected_count:
            raise Location(file.name, lines[-1]).error(
                f"{counted(count, 'score')} of {system}, expected {expected_count:,}",
                "write one line per segment (.seg.score), with None for a missing score, or per system (.sys.score)",
            )
        metric.extend(system, names[:count], values_by_system[system], file.name, lines)


class _FileLine(NamedTuple):
    """A line of a file, with its number."""

    file: str
    number: int
    text: str


def _lines(files: Iterable[StoredFile]) -> Iterator[_FileLine]:
    for file in files:
        with file.open() as stream:
            lines = text_lines(InputFile(file.name, stream))
            for number, text in enumerate(lines, 1):
                yield _FileLine(file.name, number, text)


def _two_cells(line: _FileLine, remedy: str) -> tuple[str, str]:
    if "\t" in line.text:
        cells = line.text.split("\t")
    else:
        cells = line.text.split()
    if len(cells) != 2:
        error = None
        if line.number == 1:
            error = known_file_error(line.file, f"{line.text}\n".encode())
        raise error or Location(line.file, line.number).error(
            f"the line has {counted(len(cells), 'cell')}",
            remedy,
        )
    return cells[0].strip(), cells[1]
