"""`analyse`: analyse judgments in files, or those of a task or a campaign in the database."""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.core.management.base import CommandError, CommandParser

from campaign.formats import FormatError
from campaign.formats.archives import (
    archive_files,
    files_together,
    folder_files,
    holds_archive,
    is_litter,
    opener,
)
from campaign.formats.evalset import read_evalset
from campaign.formats.metric_scores import MetricScores, with_lower_better
from campaign.formats.score_files import read_metric_scores
from campaign.formats.streams import StoredFile
from campaign.management.arguments import (
    campaign_named,
    protocol_option_add,
    task_named,
)
from campaign.management.files import Progress
from ranking.core.judged.blocks import Blocks
from ranking.core.metrics.people import Metric
from ranking.management.file_command import (
    POSITIVE,
    SEVERAL,
    Options,
    ReportCommand,
    add_file_arguments,
    add_option,
    named_file,
    read_input,
    refuse,
    segment_texts,
)
from ranking.models import Analysis
from ranking.reports import Report
from ranking.reports.analyses.kind import Need, ProtocolAnalysis
from ranking.reports.analyses.metrics import evalset_report, metric_of
from ranking.reports.analyses.options import OptionError
from ranking.reports.analyses.registry import ANALYSES, TABLES, analysis_named
from ranking.reports.inputs import AnswersOfFiles, Input

#: Arguments that some protocols treat as file options.
_OF_COMPARISONS: Final = (
    *("input_format", "source_language", "target_language", "reference_system"),
    *("source_text", "system_texts"),
)


#: Arguments that an EvalSet folder makes unnecessary.
_NOT_OF_EVALSETS: Final = (
    *("input_format", "reference_system", "source_text", "system_texts"),
    *("scores", "lower_is_better"),
)


class Command(ReportCommand):
    help = (
        "Analyse judgments from files (no database needed), from a test set (--campaign and --test-set) "
        "or from all test sets of a campaign (--campaign). Pages and REST show answers computed from the "
        "database."
    )
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "kind",
            choices=list(dict.fromkeys([*ANALYSES, *TABLES])),
            metavar="ANALYSIS",
        )
        add_file_arguments(parser, optional=True)
        help_text = (
            "options of the analysis, such as method=bradley_terry; repeat an option to give several values, "
            "or read them from the lines of a file: easy=@easy.txt"
        )
        add_option(
            parser,
            "--option NAME=VALUE",
            _option_argument,
            help_text,
            **SEVERAL,
        )
        help_text = "source texts of the segments, plain text or SGML"
        parser.add_argument("--source-text", metavar="F", help=help_text)
        help_text = "outputs of a system, plain text or SGML"
        texts = {**SEVERAL, "dest": "system_texts"}
        add_option(parser, "--system-text NAME=FILE", named_file, help_text, **texts)
        help_text = "metric scores (for the analysis metrics): JSON Lines, a table, a .seg.score file, or a folder of these"
        add_option(parser, "--scores NAME=FILE", named_file, help_text, **SEVERAL)
        help_text = (
            "name of --scores whose lower scores are better, unless its file says so"
        )
        parser.add_argument(
            "--lower-is-better",
            metavar="NAME",
            action="append",
            default=[],
            help=help_text,
        )
        parser.add_argument("--campaign", metavar="SLUG", help="instead of files")
        parser.add_argument("--test-set", metavar="NAME", help="of the campaign")
        protocol_option_add(parser)
        add_option(
            parser,
            "--watermark N",
            POSITIVE,
            "only judgments up to this number",
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        if bool(options["files"]) == bool(options["campaign"]):
            refuse("Specify either files or --campaign.")
        analysis_options = _analysis_options(options["option"])
        try:
            if options["files"]:
                return _analyse_files(analysis_options, options, progress)
            return _analyse_database(analysis_options, options, progress)
        except OptionError as error:
            refuse(f"{error.field}: {error}", error)


def _analyse_files(
    analysis_options: Mapping[str, Any],
    options: Options,
    progress: Progress,
) -> Report:
    kind = analysis_named(options["kind"])
    if isinstance(kind, ProtocolAnalysis) and kind.find and kind.read_files:
        return _analyse_answer_files(kind, analysis_options, options, progress)
    chosen = kind.complete(analysis_options, of_files=True)
    if kind.find is None or not kind.is_of_compared_files:
        raise OptionError(
            "files lack data that this analysis needs. Use --campaign and --test-set.",
            field=kind.name,
        )
    languages = _languages(options)
    if Need.METRICS in kind.needs and _is_evalset(options["files"]):
        for name in _NOT_OF_EVALSETS:
            if options[name]:
                raise OptionError("an EvalSet folder has its own.", field=name)
        (folder,) = options["files"]
        with _metric_files(folder) as files:
            evalset = read_evalset(folder, files, languages)
        return evalset_report(evalset, chosen, progress.begin)
    judged = read_input(options, progress)
    if Need.METRICS in kind.needs:
        metrics = _metrics_read(options, languages, judged.blocks)
        judged = replace(judged, metrics=metrics)
    elif options["scores"]:
        raise OptionError("only for the analysis metrics.", field="--scores")
    if chosen.get("by_reference") and judged.reference is None:
        raise OptionError(
            "name the reference with --reference-system.",
            field="by_reference",
        )
    if options["source_text"] or options["system_texts"]:
        judged = replace(judged, texts=_texts(judged, options))
    return kind.tell(judged, chosen, kind.find(judged, chosen, progress.begin))


def _languages(options: Options) -> tuple[str, str] | None:
    """Return source and target language; None if neither is given."""
    source = options["source_language"] or ""
    target = options["target_language"] or ""
    if source or target:
        return source, target
    return None


def _analyse_answer_files(
    kind: ProtocolAnalysis,
    analysis_options: Mapping[str, Any],
    options: Options,
    progress: Progress,
) -> Report:
    """Analyse files of the protocol's own answers."""
    assert kind.find is not None and kind.read_files is not None  # noqa: S101, PT018
    arguments = {name: options[name] for name in _OF_COMPARISONS if options[name]}
    chosen = kind.complete({**analysis_options, **arguments}, of_files=True)
    answers = kind.read_files(
        options["files"],
        chosen,
        options["exclude_judge"],
        progress.begin("Reading"),
    )
    texts = None
    if source := chosen.get("source_text"):
        texts = _TextsOfFiles(segment_texts(source), {})
    read = AnswersOfFiles(answers, texts)
    return kind.tell(read, chosen, kind.find(read, chosen, progress.begin))


def _analyse_database(
    analysis_options: Mapping[str, Any],
    options: Options,
    progress: Progress,
) -> Report:
    # Imported here, because files do not need a database.
    from ranking.selectors.analyses import answer_with_data, table_answer
    from ranking.services.analyses import (
        analysis_ask,
        analysis_choice,
        analysis_compute,
        table_ask,
    )

    name = options["test_set"]
    choice = analysis_choice(
        options["kind"],
        dict(analysis_options),
        of_campaign=name is None,
    )
    if name is None:
        campaign = campaign_named(options["campaign"])
        report, _stored = table_answer(campaign=campaign, choice=choice)
        if choice.is_live and report is not None:
            return report
        analysis: Analysis = table_ask(
            campaign=campaign,
            choice=choice,
            is_queued=False,
        )
    else:
        task = task_named(
            campaign=options["campaign"],
            name=name,
            protocol=options["protocol"],
        )
        analysis = analysis_ask(
            task=task,
            choice=choice,
            watermark=options["watermark"],
            is_queued=False,
        )
    try:
        if analysis.finished_at is None:
            analysis = analysis_compute(analysis=analysis, begin=progress.begin)
    except ValueError as error:
        raise CommandError(str(error)) from error
    return answer_with_data(analysis)


def _option_argument(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form NAME=VALUE")
    return name, value


def _analysis_options(options: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return options by name, repeated ones with all values; ``@FILE`` stands for the lines of a file."""
    values_by_name: dict[str, list[str]] = defaultdict(list)
    for name, value in options:
        if value.startswith("@"):
            values_by_name[name] += _values(value[1:])
        else:
            values_by_name[name].append(value)
    analysis_options: dict[str, Any] = {}
    for name, values in values_by_name.items():
        analysis_options[name] = values if len(values) > 1 else values[0]
    return analysis_options


def _values(name: str) -> list[str]:
    """Return the non-empty lines of a file."""
    try:
        lines = Path(name).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"{name}: {getattr(error, 'strerror', None) or error}.", error)
    return [line.strip() for line in lines if line.strip()]


@dataclass(frozen=True, slots=True)
class _TextsOfFiles:
    """Texts from files; segment number s is at index s − 1."""

    sources: Sequence[str | None]
    outputs: Mapping[str, Sequence[str]]

    def words(self) -> npt.NDArray[np.int64]:
        """Return the number of words in each source by segment number; -1 if unknown, and at index 0."""
        counts = [-1]
        for text in self.sources:
            counts.append(-1 if text is None else len(text.split()))
        return np.array(counts, dtype=np.int64)

    def of(self, system: str) -> Sequence[str | None] | None:
        """Return the outputs of a system."""
        return self.outputs.get(system)


def _texts(judged: Input, options: Options) -> _TextsOfFiles:
    blocks = judged.read.blocks
    last = int(blocks.segment.max(initial=0))
    outputs: dict[str, Sequence[str]] = {}
    for system, file in options["system_texts"]:
        if system not in blocks.systems:
            raise OptionError(
                f"system {system} not found in the judgments. Systems: {', '.join(blocks.systems)}.",
                field="--system-text",
            )
        if system in outputs:
            raise OptionError(
                f"more than one file of texts for {system}.",
                field="--system-text",
            )
        outputs[system] = _all_texts(file, last)
    sources: Sequence[str | None] = [None] * last
    if options["source_text"] is not None:
        sources = _all_texts(options["source_text"], last)
    return _TextsOfFiles(sources, outputs)


def _all_texts(file: str, last: int) -> Sequence[str]:
    texts = segment_texts(file)
    if len(texts) < last:
        refuse(
            f"{file}: segment {last} was judged, but the file has only {len(texts)} segments.",
        )
    return texts


def _is_evalset(names: Sequence[str]) -> bool:
    """Return whether the input of a command is an EvalSet folder or archive instead of judgments."""
    if len(names) != 1 or names[0] == "-":
        return False
    path = Path(names[0])
    if path.is_dir():
        return True
    return path.is_file() and holds_archive(StoredFile(path.name, opener(path)))


@contextmanager
def _metric_files(name: str) -> Iterator[list[StoredFile]]:
    """Yield the files in a folder or an archive, or a single file."""
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


def _metrics_read(
    options: Options,
    languages: tuple[str, str] | None,
    blocks: Blocks,
) -> list[Metric]:
    """Read the metrics of `--scores`. Raises as `_metric_read` does, and OptionError for an unknown name."""
    names = [name for name, _file in options["scores"]]
    lower = options["lower_is_better"]
    unknown = [name for name in lower if name not in names]
    if unknown:
        raise OptionError(
            f"{unknown[0]} is not a name of --scores. Names: {', '.join(names) or '–'}.",
            field="--lower-is-better",
        )
    segments = None
    if options["source_text"] and names:
        segments = len(segment_texts(options["source_text"]))
    metrics = []
    for name, file in options["scores"]:
        scores = _metric_read(name, file, languages)
        if name in lower:
            scores = with_lower_better(scores)
        metrics.append(_metric_of_blocks(scores, file, blocks, segments))
    return metrics


def _metric_read(
    name: str,
    file: str,
    languages: tuple[str, str] | None,
) -> MetricScores:
    """Read a metric of `--scores NAME=FILE`; of several in a file, the one with this name.

    Raises
    ------
    FormatError
        If a file is invalid, or has several metrics, none of this name.
    """
    with _metric_files(file) as files:
        score_files = [stored for stored in files if not is_litter(stored.name)]
        read = read_metric_scores(score_files, languages, name=name)
    chosen = read
    if len(read) > 1:
        chosen = [scores for scores in read if scores.name == name]
    if len(chosen) != 1:
        names = [scores.name for scores in read]
        raise FormatError(
            file,
            f"the metrics are {', '.join(names)}",
            f"name one of them: --scores {names[0]}={file}",
        )
    return replace(chosen[0], name=name)


def _metric_of_blocks(
    scores: MetricScores,
    file: str,
    blocks: Blocks,
    segments: int | None,
) -> Metric:
    """Return scores as a metric of judged blocks; `segments` is the number of segments of the test set, if known.

    Raises
    ------
    FormatError
        If they do not score two judged systems in a judged segment, have fewer lines than there are segments, or score
        segments after the last.
    """
    if segments is None:
        metric = metric_of(scores, last=int(blocks.segment.max(initial=0)))
    else:
        metric = metric_of(scores, last=segments)
        _refuse_after(scores, segments)
    if len(set(metric.systems) & set(blocks.systems)) < 2:
        raise FormatError(
            file,
            f"of the judged systems ({', '.join(blocks.systems)}) fewer than two have scores; the file has scores of "
            + ", ".join(metric.systems),
            "provide scores of the judged outputs, with systems named as in the judgments",
        )
    if len(metric.segments) and not np.isin(metric.segments, blocks.segment).any():
        raise FormatError(
            file,
            "no judged segment has scores",
            "number segments through the test set, as the judgments do",
        )
    return metric


def _refuse_after(scores: MetricScores, segments: int) -> None:
    """Raise FormatError for a segment after the last of the test set."""
    for name, location in zip(scores.segments, scores.places, strict=True):
        if int(name.segment) > segments:
            raise replace(location, field="segment").error(
                f"segment {name.segment} does not exist: the source texts have {segments:,} segments",
                "number segments through the test set, from 1",
            )
