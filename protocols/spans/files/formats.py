"""Reading and writing scored judgments in any format, with the losses of each."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from campaign.formats import FormatError, InputFile, Place
from campaign.formats.errors import Loss, Losses
from campaign.formats.segment_identity import SegmentProblem, SegmentTexts, documents_of_all
from campaign.formats.streams import peek
from protocols.spans.contradictions import ContradictionRule
from protocols.spans.files.appraise import KINDS, read_appraise_csv, write_appraise_csv
from protocols.spans.files.jsonl import read_spans_jsonl, write_spans_jsonl
from protocols.spans.files.mqm import COLUMNS, column_names, read_mqm_tsv, write_mqm_tsv
from protocols.spans.files.pearmut import read_pearmut_log, write_pearmut_log
from protocols.spans.records import ScoredJudgment
from ranking.files.records import FileRead, JudgmentSelection
from ranking.files.selecting import one_language_pair
from ranking.files.sources import ReadingProgress, Sources

_SNIFFED_BYTES: Final = 64 * 1024


class SpansFormat(StrEnum):
    """Formats of scored judgments."""

    JSONL = "spans-jsonl"
    APPRAISE_CSV = "appraise-csv"
    PEARMUT_LOG = "pearmut-log"
    MQM_TSV = "mqm-tsv"


@dataclass(frozen=True, slots=True)
class SpansRead:
    """Judgments of files, in file order, or of a task, by number.

    Attributes
    ----------
    judgments : tuple of ScoredJudgment
    losses : tuple of Loss
        Data of the files that the judgments cannot hold.
    files : tuple of FileRead
    input_format : SpansFormat or None
        None for a task.
    asked_about : ContradictionRule
        Rule for asking judges to confirm a score.
    """

    judgments: tuple[ScoredJudgment, ...]
    losses: tuple[Loss, ...] = ()
    files: tuple[FileRead, ...] = ()
    input_format: SpansFormat | None = None
    asked_about: ContradictionRule = field(default_factory=ContradictionRule)


def read_spans(
    names: Sequence[str],
    *,
    input_format: SpansFormat | None = None,
    source_language: str = "",
    target_language: str = "",
    progress: ReadingProgress | None = None,
) -> SpansRead:
    """Read files of one format.

    Parameters
    ----------
    names : sequence of str
        At least one; ``-`` is standard input.
    input_format : SpansFormat, optional
        Detected from the first file if not given.
    source_language, target_language : str
        Used for files that do not name them.
    progress : callable, optional
        Called with (bytes read, all bytes).

    Raises
    ------
    FormatError
        With file, line and field; also if the files contain no judgments.
    """
    sources = Sources(names, progress=progress)
    judgments: list[tuple[str, ScoredJudgment]] = []
    files, losses = [], Losses()
    for name in sources.names:
        with sources.input(name) as (file, stream):
            input_format, found, lost = _file_read(file, input_format)
            files.append(FileRead(file.name, stream.sha256()))
        for loss in lost:
            losses.add(loss.what, f"{file.name}, {loss.first}", loss.count)
        judgments += [(file.name, judgment) for judgment in found]
    if not judgments or input_format is None:
        raise Place(files[0].name).error(
            "it contains no usable judgments",
            "give a file with judgments of outputs",
        )
    return SpansRead(
        judgments=tuple(
            replace(
                judgment,
                source_language=judgment.source_language or source_language,
                target_language=judgment.target_language or target_language,
            )
            for judgment in _together(judgments, losses)
        ),
        losses=losses.found(),
        files=tuple(files),
        input_format=input_format,
    )


def of_one_language_pair(read: SpansRead, selection: JudgmentSelection) -> SpansRead:
    """Return the judgments of the only or chosen language pair; systems of different pairs cannot
    be compared.

    Raises
    ------
    SelectionError
        If that is not exactly one language pair.
    """

    def pair(judgment: ScoredJudgment) -> tuple[str, str]:
        return judgment.source_language, judgment.target_language

    chosen = one_language_pair({pair(judgment) for judgment in read.judgments}, selection)
    others = [judgment for judgment in read.judgments if pair(judgment) != chosen]
    if not others:
        return read
    lost = Loss("judgments of other languages", len(others), f"line {others[0].line}")
    return replace(
        read,
        judgments=tuple(judgment for judgment in read.judgments if pair(judgment) == chosen),
        losses=(*read.losses, lost),
    )


def read_spans_file(
    file: InputFile, input_format: SpansFormat | None = None
) -> tuple[SpansFormat, list[ScoredJudgment], tuple[Loss, ...]]:
    """Read one file; return its format (detected if not given), its judgments, and the losses.

    Raises
    ------
    FormatError
        With file, line and field.
    """
    input_format, judgments, lost = _file_read(file, input_format)
    losses = Losses()
    together = _together([(file.name, judgment) for judgment in judgments], losses)
    return input_format, together, (*lost, *losses.found())


def _file_read(
    file: InputFile, input_format: SpansFormat | None
) -> tuple[SpansFormat, list[ScoredJudgment], tuple[Loss, ...]]:
    if input_format is None:
        input_format, file = detect_spans_format(file)
    return input_format, *_READERS[input_format](file)


def _together(
    judgments: Sequence[tuple[str, ScoredJudgment]], losses: Losses
) -> list[ScoredJudgment]:
    """Return judgments with the system removed from document names, if all documents end in their
    system.

    Each judgment comes with the name of its file. Refuses different sources of a segment, and
    different texts of a system for a segment.
    """
    renamed = documents_of_all(
        (judgment.document, [system for output in judgment.outputs for system in output.systems])
        for _file, judgment in judgments
    )
    found = [
        replace(each, document=renamed[each.document]) if renamed else each
        for _file, each in judgments
    ]
    if renamed:
        losses.add(
            "names of systems at the end of names of documents (name#system)",
            f"line {found[0].line}",
            len(renamed),
        )
    texts = SegmentTexts()
    for (file, _judgment), judgment in zip(judgments, found, strict=True):
        outputs = (
            (system, output.text) for output in judgment.outputs for system in output.systems
        )
        where = f"{file}, line {judgment.line}"
        try:
            texts.check(judgment.document, judgment.segment, where, judgment.source, outputs)
        except SegmentProblem as error:
            raise FormatError(file, error.problem, error.remedy, line=judgment.line) from error
    return found


def detect_spans_format(file: InputFile) -> tuple[SpansFormat, InputFile]:
    """Detect the format from the start of the file; return it, and the file to read instead.

    Raises
    ------
    FormatError
        If the file starts like none of the formats.
    """
    head, whole = peek(file, _SNIFFED_BYTES)
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    first_line = text.split("\n", 1)[0]
    if text.startswith("{"):
        own = '"outputs"' in first_line and '"annotation"' not in first_line
        return SpansFormat.JSONL if own else SpansFormat.PEARMUT_LOG, whole
    if set(column_names(first_line.split("\t"))) >= set(COLUMNS):
        return SpansFormat.MQM_TSV, whole
    if any(f",{kind}," in text for kind in KINDS):
        return SpansFormat.APPRAISE_CSV, whole
    raise Place(file.name, 1).error(
        "the format was not recognized",
        f"give one of {', '.join(SpansFormat)}, or say which it is with --input-format",
    )


_Read = Callable[[InputFile], tuple[list[ScoredJudgment], tuple[Loss, ...]]]
_READERS: Final[dict[SpansFormat, _Read]] = {
    SpansFormat.JSONL: read_spans_jsonl,
    SpansFormat.APPRAISE_CSV: read_appraise_csv,
    SpansFormat.PEARMUT_LOG: read_pearmut_log,
    SpansFormat.MQM_TSV: read_mqm_tsv,
}
_Write = Callable[[Iterable[ScoredJudgment]], tuple[list[str], tuple[Loss, ...]]]
_WRITERS: Final[dict[SpansFormat, _Write]] = {
    SpansFormat.JSONL: write_spans_jsonl,
    SpansFormat.APPRAISE_CSV: write_appraise_csv,
    SpansFormat.PEARMUT_LOG: write_pearmut_log,
    SpansFormat.MQM_TSV: write_mqm_tsv,
}


def write_spans(
    judgments: Iterable[ScoredJudgment], output_format: SpansFormat
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return the lines of a file, including line ends, and the losses."""
    return _WRITERS[output_format](judgments)
