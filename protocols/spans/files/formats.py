"""Reading and writing scored judgments in any format, with the losses of each."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from campaign.formats import FormatError, InputFile, Location
from campaign.formats.documents_of_systems import JudgedItem, shared_names
from campaign.formats.errors import Loss, Losses
from campaign.formats.known_files import (
    ANALYSE_SPANS,
    KEYS_OF_ANNOTATIONS,
    known_file_error,
)
from campaign.formats.records import FormAnswer
from campaign.formats.segment_identity import SegmentProblem, SegmentTexts
from campaign.formats.streams import StoredFile, first_line_of, head_text, peek
from campaign.formats.tables import separator_of
from campaign.formats.test_sets import PEARMUT_KEY
from protocols.spans.contradictions import ContradictionRule
from protocols.spans.files.appraise import KINDS, read_appraise_csv, write_appraise_csv
from protocols.spans.files.evalset import read_evalset_ratings
from protocols.spans.files.jsonl import read_spans_jsonl, write_spans_jsonl
from protocols.spans.files.mqm import (
    column_names,
    is_row_of_marot,
    read_mqm_tsv,
    write_mqm_tsv,
)
from protocols.spans.files.pearmut import (
    read_pearmut_campaign,
    read_pearmut_log,
    write_pearmut_log,
)
from protocols.spans.files.repeats import counted_judgments
from protocols.spans.files.wmt import read_wmt_jsonl
from protocols.spans.records import ScoredJudgment
from protocols.spans.weights import USUAL_WEIGHTS, Weights
from ranking.files.pearmut_log import FORMS, PEARMUT_LOG, log_read
from ranking.files.records import FileRead, JudgmentSelection
from ranking.files.selecting import one_language_pair
from ranking.files.sources import ReadingProgress, Sources

_SNIFFED_BYTES: Final = 64 * 1024
# Tables of others have tabs and a kind of item, too, but no language after it.
_APPRAISE: Final = re.compile(
    rf'[,;]"?({"|".join(KINDS)})"?[,;]|\t({"|".join(KINDS)})\t[A-Za-z_-]{{2,}}\t',
)
#: Scores without errors have "None" in lines without a score, too.
_RATING: Final = re.compile(r'[^\t]+\t(None|\{"errors")')
_APPRAISE_HEADER: Final = re.compile(
    r"user(name)?[,;\t]system[,;\t]item_?id[,;\t]",
    re.IGNORECASE,
)
#: Keys of rankings, votes and test sets.
_KEYS_OF_OTHERS: Final = ("candidates", "model_a", "src_text", "tgt_text", "hypothesis")


class SpansFormat(StrEnum):
    """Formats of scored judgments."""

    JSONL = "spans-jsonl"
    APPRAISE_CSV = "appraise-csv"
    PEARMUT_LOG = PEARMUT_LOG
    MQM_TSV = "mqm-tsv"
    WMT_JSONL = "wmt-jsonl"
    """Read only."""
    EVALSET_RATINGS = "evalset-ratings"
    """Errors of an EvalSet folder, whose segments are numbers. Read only."""
    PEARMUT_CAMPAIGN = "pearmut-campaign"
    """Errors from which judges start, without judges. Read only."""


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
    weights : Weights
        Weights of errors.
    """

    judgments: tuple[ScoredJudgment, ...]
    losses: tuple[Loss, ...] = ()
    files: tuple[FileRead, ...] = ()
    input_format: SpansFormat | None = None
    asked_about: ContradictionRule = field(default_factory=ContradictionRule)
    weights: Weights = USUAL_WEIGHTS


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
    files = []
    losses = Losses()
    for name in sources.names:
        with sources.input(name) as (file, stream):
            input_format, spans, lost = _file_read(file, input_format)
            files.append(FileRead(file.name, stream.sha256()))
        for loss in lost:
            losses.add(loss.what, f"{file.name}, {loss.first}", loss.count)
        named_judgments = []
        for judgment in spans:
            named_judgments.append((file.name, judgment))
        judgments += named_judgments
    if not judgments or input_format is None:
        raise Location(files[0].name).error(
            "it contains no usable judgments",
            "provide a file with judgments of outputs",
        )
    with_languages = []
    for judgment in _together(judgments, losses, input_format):
        with_languages.append(
            replace(
                judgment,
                source_language=judgment.source_language or source_language,
                target_language=judgment.target_language or target_language,
            ),
        )
    return SpansRead(
        judgments=tuple(with_languages),
        losses=losses.counted(),
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

    chosen = one_language_pair(
        {pair(judgment) for judgment in read.judgments},
        selection,
    )
    others = []
    for judgment in read.judgments:
        if pair(judgment) != chosen:
            others.append(judgment)
    if not others:
        return read
    lost = Loss("judgments of other languages", len(others), f"line {others[0].line}")
    remaining = []
    for judgment in read.judgments:
        if pair(judgment) == chosen:
            remaining.append(judgment)
    return replace(
        read,
        judgments=tuple(remaining),
        losses=(*read.losses, lost),
    )


def read_spans_file(
    file: InputFile,
    input_format: SpansFormat | None = None,
) -> tuple[SpansFormat, list[ScoredJudgment], tuple[Loss, ...]]:
    """Read one file; return its format (detected if not given), its judgments, and the losses.

    Raises
    ------
    FormatError
        With file, line and field.
    """
    input_format, judgments, lost = _file_read(file, input_format)
    losses = Losses()
    named = []
    for judgment in judgments:
        named.append((file.name, judgment))
    together = _together(
        named,
        losses,
        input_format,
        is_one_file=True,
        keeps_apart=False,
    )
    return input_format, together, (*lost, *losses.counted())


def scored_records(
    file: StoredFile,
    file_format: str | None,
) -> Iterator[str | ScoredJudgment | FormAnswer | Loss]:
    """Yield the format (detected if None), the judgments, answers to forms, and the losses. Raises FormatError."""
    with file.open() as stream:
        input_format, judgments, losses = read_spans_file(
            InputFile(file.name, stream),
            None if file_format is None else SpansFormat(file_format),
        )
    yield str(input_format)
    yield from judgments
    if input_format is SpansFormat.PEARMUT_LOG:
        with file.open() as stream:
            answers = log_read(InputFile(file.name, stream), Losses())
        yield from (answer for answer in answers if isinstance(answer, FormAnswer))
    yield from (loss for loss in losses if loss.what != FORMS)


def _file_read(
    file: InputFile,
    input_format: SpansFormat | None,
) -> tuple[SpansFormat, list[ScoredJudgment], tuple[Loss, ...]]:
    if input_format is None:
        input_format, file = detect_spans_format(file)
    judgments, lost = _READERS[input_format](file)
    losses = Losses()
    scored = _without_missing_scores(judgments, losses)
    return input_format, scored, (*lost, *losses.counted())


def _without_missing_scores(
    judgments: Sequence[ScoredJudgment],
    losses: Losses,
) -> list[ScoredJudgment]:
    """Return the judgments without outputs that lack a score, and count these.

    Outputs of a language pair in which no output has a score are kept: their scores follow from errors, as in MQM.
    """
    scored_pairs = set()
    for judgment in judgments:
        if any(output.score is not None for output in judgment.outputs):
            scored_pairs.add((judgment.source_language, judgment.target_language))
    remaining = []
    for judgment in judgments:
        if (judgment.source_language, judgment.target_language) not in scored_pairs:
            remaining.append(judgment)
            continue
        scored = []
        for output in judgment.outputs:
            if output.score is not None:
                scored.append(output)
        missing = len(judgment.outputs) - len(scored)
        losses.add("outputs without a score", f"line {judgment.line}", missing)
        if scored and missing:
            remaining.append(replace(judgment, outputs=tuple(scored)))
        elif not missing:
            remaining.append(judgment)
    return remaining


def _together(
    judgments: Sequence[tuple[str, ScoredJudgment]],
    losses: Losses,
    input_format: SpansFormat,
    *,
    is_one_file: bool = False,
    keeps_apart: bool = True,
) -> list[ScoredJudgment]:
    """Return judgments with the system removed from document names, if all documents end in their
    system, and without repeated outputs.

    Each judgment comes with the name of its file. Refuses different sources of a segment, different
    texts of a system for a segment, and different answers of which none is known to be later.
    Judgments whose place in their document is unknown are segments of their own if
    `keeps_apart`, and left out otherwise.
    """
    named = _unify_segment_names(judgments, losses, keeps_apart=keeps_apart)
    texts = SegmentTexts()
    for file, judgment in named:
        outputs = []
        for output in judgment.outputs:
            for system in output.systems:
                outputs.append((system, output.text))
        location = f"{file}, line {judgment.line}"
        try:
            texts.check(
                judgment.document,
                judgment.segment,
                location,
                judgment.source,
                outputs,
            )
        except SegmentProblem as error:
            raise FormatError(
                file,
                error.problem,
                error.remedy,
                line=judgment.line,
            ) from error
    return counted_judgments(
        named,
        losses,
        # Pearmut appends to its log.
        is_logged=input_format is SpansFormat.PEARMUT_LOG,
        is_one_file=is_one_file,
    )


def _unify_segment_names(
    judgments: Sequence[tuple[str, ScoredJudgment]],
    losses: Losses,
    *,
    keeps_apart: bool,
) -> list[tuple[str, ScoredJudgment]]:
    """Return judgments whose segments have the same names for all systems, and count the changes."""
    items = []
    for _file, judgment in judgments:
        items.append(_item(judgment))
    names = shared_names(items)
    if not names.segments:
        return list(judgments)
    location = f"line {judgments[0][1].line}"
    losses.add(
        "names of systems at the end of names of documents (name#system)",
        location,
        names.documents,
    )
    if names.placed:
        losses.add(
            "numbers that count within a batch (replaced by the place in the document)",
            location,
            len(names.segments),
        )
    if keeps_apart:
        what_happened = "compared with no other system"
    else:
        what_happened = "left out"
    losses.add(
        f"outputs of documents that were split between two batches ({what_happened})",
        location,
        len(names.apart),
    )
    renamed = []
    for file, judgment in judgments:
        shared = names.segments.get(_item(judgment))
        if shared is not None:
            names_of_all = shared._asdict()
            renamed.append((file, replace(judgment, **names_of_all)))
        elif keeps_apart:
            renamed.append((file, judgment))
    return renamed


def _item(judgment: ScoredJudgment) -> JudgedItem:
    systems = [system for output in judgment.outputs for system in output.systems]
    system = systems[0] if len(systems) == 1 else ""
    return JudgedItem(judgment.judge, system, judgment.document, judgment.segment)


def detect_spans_format(file: InputFile) -> tuple[SpansFormat, InputFile]:
    """Detect the format from the start of the file; return it, and the file to read instead.

    Raises
    ------
    FormatError
        If the file starts like none of the formats.
    """
    head, whole = peek(file, _SNIFFED_BYTES)
    text = head_text(head)
    first_line = first_line_of(text)
    input_format = _format_of(text, first_line)
    if input_format is not None:
        return input_format, whole
    error = known_file_error(file.name, head, here=ANALYSE_SPANS)
    raise error or Location(file.name, 1).error(
        "the format was not recognised",
        f"use one of {', '.join(SpansFormat)}, or set --input-format",
    )


#: A table with these is of MQM, even if other columns are missing, which its reader says.
_COLUMNS_OF_MQM: Final = frozenset({"category", "severity"})


def _format_of(text: str, first_line: str) -> SpansFormat | None:
    if PEARMUT_KEY.match(text):
        return SpansFormat.PEARMUT_CAMPAIGN
    if text.startswith("{"):
        return _json_format_of(first_line)
    if _RATING.match(first_line) and '\t{"errors"' in text:
        return SpansFormat.EVALSET_RATINGS
    names = column_names(first_line.split(separator_of(first_line)))
    if set(names) >= _COLUMNS_OF_MQM or is_row_of_marot(first_line.split("\t")):
        return SpansFormat.MQM_TSV
    if _APPRAISE.search(text) or _APPRAISE_HEADER.match(first_line):
        return SpansFormat.APPRAISE_CSV
    return None


def _json_format_of(first_line: str) -> SpansFormat | None:
    if '"annotation"' in first_line:
        return SpansFormat.PEARMUT_LOG
    if '"outputs"' in first_line:
        return SpansFormat.JSONL
    if '"tgt_text"' in first_line and '"scores"' in first_line:
        return SpansFormat.WMT_JSONL
    keys_of_others = (*_KEYS_OF_OTHERS, *KEYS_OF_ANNOTATIONS)
    is_other = any(f'"{key}"' in first_line for key in keys_of_others)
    if is_other:
        return None
    return SpansFormat.PEARMUT_LOG


_Read = Callable[[InputFile], tuple[list[ScoredJudgment], tuple[Loss, ...]]]
_READERS: Final[dict[SpansFormat, _Read]] = {
    SpansFormat.JSONL: read_spans_jsonl,
    SpansFormat.APPRAISE_CSV: read_appraise_csv,
    SpansFormat.PEARMUT_LOG: read_pearmut_log,
    SpansFormat.MQM_TSV: read_mqm_tsv,
    SpansFormat.WMT_JSONL: read_wmt_jsonl,
    SpansFormat.EVALSET_RATINGS: read_evalset_ratings,
    SpansFormat.PEARMUT_CAMPAIGN: read_pearmut_campaign,
}
_Write = Callable[[Iterable[ScoredJudgment]], tuple[list[str], tuple[Loss, ...]]]
_WRITERS: Final[dict[SpansFormat, _Write]] = {
    SpansFormat.JSONL: write_spans_jsonl,
    SpansFormat.APPRAISE_CSV: write_appraise_csv,
    SpansFormat.PEARMUT_LOG: write_pearmut_log,
    SpansFormat.MQM_TSV: write_mqm_tsv,
}


#: Formats that can be written.
WRITTEN: Final = tuple(_WRITERS)


def write_spans(
    judgments: Iterable[ScoredJudgment],
    output_format: SpansFormat,
) -> tuple[list[str], tuple[Loss, ...]]:
    """Return the lines of a file, including line ends, and the losses."""
    judgments = list(judgments)
    lines, losses = _WRITERS[output_format](judgments)
    starts = []
    for judgment in judgments:
        for output in judgment.outputs:
            starts.append(output.start)
    suggested = len(starts) - starts.count(None)
    if suggested and output_format is not SpansFormat.JSONL:
        losses = (*losses, Loss("errors suggested to judges", suggested, "judgment 1"))
    return lines, losses
