"""Registry of exports: their kinds, the formats of each, and the data that a format cannot hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.protocols.answer_files import answer_files, protocols_with_files
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import Task


class ExportFormat(StrEnum):
    """Formats of exported files, apart from the own formats of protocols (`AnswerFiles.writers`)."""

    FIVE_WAY_CSV = "five-way-csv"
    PAIRWISE_CSV = "pairwise-csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    APPRAISE_XML = "appraise-xml"
    BEST_WORST_CSV = "best-worst-csv"
    CSV = "csv"
    PEARMUT = "pearmut-campaign"
    EVALSET = "evalset"
    ZIP = "zip"


def export_formats() -> list[str]:
    """Return the formats of all kinds, including the own formats of protocols."""
    formats = list(map(str, ExportFormat))
    for files in filter(None, map(answer_files, protocols_with_files())):
        formats += files.writers
    return formats


_TIMES = _("time of judging, active time and comments")
_ON_THE_CLOCK = _("elapsed time")
_DOCUMENTS = _("documents, which rank ranges account for if there are several")
_ONE_OUTPUT = _("blocks with a single output")
_ONE_BY_ONE = _("individual judgments, line breaks in texts, spaces in names")
_EARLIER_TEXTS = _("judgments of texts that were corrected later")
_FIRST_REFERENCE = _("additional references, document names with “_#_” or “_###_”")
_ANSWERS = _("answers other than ranks")
_NOT_COMPARED = _("which outputs other than the best and the worst differ")

_AS_ROWS: Final[dict[str, tuple[Promise, ...]]] = {
    ExportFormat.JSONL: (),
    ExportFormat.CSV: (),
    ExportFormat.PARQUET: (),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportKind:
    """A kind of data that can be exported from a task.

    Attributes
    ----------
    name : str
    title, description : lazy str
    formats : mapping of str to sequence of lazy str
        Available formats, each with the data it cannot hold.
    by_number : bool
        Whether row positions are judgment numbers.
    has_ranks_only : bool
        Whether it has the ranks that follow from answers, and not the answers.
    names_people : bool
        Whether it identifies judges; then only organisers may export it.
    is_whole : bool
        Whether it can only be exported as a whole.
    """

    name: str
    title: Promise
    description: Promise
    formats: Mapping[str, tuple[Promise, ...]] = field(default_factory=_AS_ROWS.copy)
    by_number: bool = False
    has_ranks_only: bool = False
    names_people: bool = False
    is_whole: bool = False

    def lacks_ranks(self, task: Task) -> bool:
        """Return whether it has ranks only, and answers to several outputs of the task imply none."""
        kind = answer_kind_of(task)
        is_of_several = kind.candidates[-1] > 1
        return self.has_ranks_only and is_of_several and not kind.orders_outputs

    def formats_of(self, task: Task) -> Mapping[str, tuple[Promise, ...] | None]:
        """Return the formats for a task, each with the data it cannot hold; None if writing the file counts it."""
        files = answer_files(task.protocol)
        own: Iterable[str] = ()
        if files is not None:
            own = files.writers
        if self.name == ANSWERS:
            return dict.fromkeys(own)
        if self.lacks_ranks(task):
            return {}
        if self.has_ranks_only and own:
            return {name: (*losses, _ANSWERS) for name, losses in self.formats.items()}
        kind = answer_kind_of(task)
        if self.name == COMPARISONS and kind.best_worst:
            losses = self.formats[ExportFormat.PAIRWISE_CSV]
            return {
                ExportFormat.PAIRWISE_CSV: (*losses, _NOT_COMPARED),
                ExportFormat.BEST_WORST_CSV: losses,
            }
        if kind.best_worst:
            # Its equal ranks are always ties.
            formats = dict(self.formats)
            formats.pop(ExportFormat.APPRAISE_XML, None)
            return formats
        not_in_cells = kind.not_in_cells
        if self.name in WITH_ANSWERS and not_in_cells is not None:
            losses = (not_in_cells,)
            return {
                **self.formats,
                ExportFormat.CSV: losses,
                ExportFormat.PARQUET: losses,
            }
        return self.formats


#: Kind with the protocol's own formats.
ANSWERS: Final = "answers"
#: Kind with the files of all others.
EVERYTHING: Final = "everything"
#: Kind with a row per pair of systems.
COMPARISONS: Final = "comparisons"
#: Kind with skips after the judgments.
WITH_SKIPS: Final = "with-skips"

#: Kind with the answers of machine judges, which are in no other kind.
MACHINE_JUDGMENTS: Final = "machine-judgments"
#: Kind with the machine judges, in the columns of lists of judges.
MACHINES: Final = "machines"
#: Kinds with the columns of the protocol's answers.
WITH_ANSWERS: Final = ("judgments", MACHINE_JUDGMENTS)

#: Kind with a column for each question to judges.
JUDGE_ANSWERS: Final = "judge-answers"

_ALL: Final = (
    ExportKind(
        name=EVERYTHING,
        title=_("Everything"),
        description=_(
            "All files below in one zip, without names and addresses of judges, and a README that describes their columns.",
        ),
        formats={ExportFormat.ZIP: ()},
        by_number=True,
        is_whole=True,
    ),
    ExportKind(
        name="counted",
        title=_("Judgments that count"),
        description=_(
            "The basis of the ranking, one row per block, without corrected judgments, controls and excluded "
            "judges. Every format reproduces the ranking.",
        ),
        formats={
            ExportFormat.FIVE_WAY_CSV: (_ON_THE_CLOCK, _TIMES),
            ExportFormat.JSONL: (_TIMES,),
            ExportFormat.PARQUET: (_TIMES,),
            ExportFormat.APPRAISE_XML: (_DOCUMENTS, _TIMES),
        },
        by_number=True,
        has_ranks_only=True,
    ),
    ExportKind(
        name=WITH_SKIPS,
        title=_("Judgments that count, and skips"),
        description=_(
            "The judgments that count, then the skipped blocks without a judgment, ready to import.",
        ),
        formats={ExportFormat.FIVE_WAY_CSV: (_ON_THE_CLOCK, _TIMES)},
        by_number=True,
        has_ranks_only=True,
        is_whole=True,
    ),
    ExportKind(
        name=COMPARISONS,
        title=_("Comparisons"),
        description=_("The judgments that count, one row per pair of outputs."),
        formats={
            ExportFormat.PAIRWISE_CSV: (_DOCUMENTS, _ONE_OUTPUT, _ON_THE_CLOCK, _TIMES),
        },
        by_number=True,
        has_ranks_only=True,
    ),
    ExportKind(
        name=ANSWERS,
        title=_("Answers"),
        description=_(
            "Current judgments, without controls and excluded judges. Choose a format to see what it omits.",
        ),
        formats={},
        by_number=True,
        is_whole=True,
    ),
    ExportKind(
        name="judgments",
        title=_("All judgments"),
        description=_(
            "All judgments in order, including corrected ones, controls, answers, times and comments.",
        ),
        by_number=True,
    ),
    ExportKind(
        name="skips",
        title=_("Skips"),
        description=_("Skipped items with reasons."),
    ),
    ExportKind(
        name="assignments",
        title=_("Assignments"),
        description=_("HITs assigned to judges, with times."),
    ),
    ExportKind(
        name="texts",
        title=_("Texts"),
        description=_("Sources, references and outputs, ready to import."),
        formats={**_AS_ROWS, ExportFormat.PEARMUT: (_FIRST_REFERENCE,)},
    ),
    ExportKind(
        name="evalset",
        title=_("EvalSet"),
        description=_(
            "A folder in the layout of WMT’s metrics tasks: sources, references, documents, outputs, human scores, "
            "error spans and metric scores. Higher scores are better, so error rates are negated.",
        ),
        formats={ExportFormat.EVALSET: (_ONE_BY_ONE, _EARLIER_TEXTS)},
        by_number=True,
        is_whole=True,
    ),
    ExportKind(
        name="designs",
        title=_("Designs"),
        description=_("Sampling designs with their dates."),
    ),
    ExportKind(
        name="activity",
        title=_("Activity"),
        description=_("Every change to the campaign and its author."),
    ),
    ExportKind(
        name=MACHINE_JUDGMENTS,
        title=_("Judgments by machine judges"),
        description=_("Answers and skips of machine judges. They do not count."),
    ),
    ExportKind(
        name=MACHINES,
        title=_("Machine judges"),
        description=_(
            "Machine judges with their prompts and settings. As a list of judges, the CSV adds them to another campaign.",
        ),
    ),
    ExportKind(name="judges", title=_("Judges"), description=_("Judges by pseudonym.")),
    ExportKind(
        name="named-judges",
        title=_("Judges with names and addresses"),
        description=_(
            "The person behind each pseudonym. For organisers only: keep this file separate from the judgments.",
        ),
        names_people=True,
    ),
    ExportKind(
        name=JUDGE_ANSWERS,
        title=_("Answers to questions to judges"),
        description=_(
            "A column for each question, by pseudonym. For organisers only, because combined answers can identify a person.",
        ),
        names_people=True,
    ),
)

#: Kinds by name, in display order.
KINDS: Final[Mapping[str, ExportKind]] = {kind.name: kind for kind in _ALL}
