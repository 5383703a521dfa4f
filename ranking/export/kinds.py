"""Registry of exports: their kinds, the formats of each, and the data that a format cannot hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ExportFormat(StrEnum):
    """Formats of exported files."""

    FIVE_WAY_CSV = "five-way-csv"
    PAIRWISE_CSV = "pairwise-csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    APPRAISE_XML = "appraise-xml"
    CSV = "csv"
    PEARMUT = "pearmut-campaign"
    EVALSET = "evalset"


_TIMES = _("time of judging, active time and comments")
_ON_THE_CLOCK = _("elapsed time")
_DOCUMENTS = _("documents, which rank ranges account for if there are several")
_ONE_OUTPUT = _("blocks with a single output")
_BLOCKS_ONLY = _("This format only holds judgments that count.")
_ELSEWHERE = _("Export “comparisons”, the same judgments as pairs.")
_WHOLE = _("Export “counted”, with one row per block instead of ten.")
_ROWS_ONLY = _("Choose one of the formats for judgments.")

_FOLDER_ONLY = _("This format holds texts and scores. Export “evalset”.")
_TEXTS_ONLY = _("This format holds texts to be judged. Export “texts”.")
_ONLY_FOLDER = _("This is a folder of files. Choose the format “evalset”.")
_ONE_BY_ONE = _("individual judgments, line breaks in texts, spaces in names")
_FIRST_REFERENCE = _("additional references, document names with “_#_” or “_###_”")

_AS_ROWS: Final[dict[ExportFormat, tuple[Promise, ...]]] = {
    ExportFormat.JSONL: (),
    ExportFormat.CSV: (),
    ExportFormat.PARQUET: (),
}
_BLOCKS: Final = (ExportFormat.FIVE_WAY_CSV, ExportFormat.PAIRWISE_CSV, ExportFormat.APPRAISE_XML)
_REFUSED: Final[Mapping[ExportFormat, Promise]] = {
    **dict.fromkeys(_BLOCKS, _BLOCKS_ONLY),
    **dict.fromkeys((ExportFormat.JSONL, ExportFormat.PARQUET), _WHOLE),
    ExportFormat.CSV: _ROWS_ONLY,
    ExportFormat.PEARMUT: _TEXTS_ONLY,
    ExportFormat.EVALSET: _FOLDER_ONLY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportKind:
    """A kind of data that can be exported from a task.

    Attributes
    ----------
    name : str
    title, description : lazy str
    formats : mapping of ExportFormat to sequence of lazy str
        Available formats, each with the data it cannot hold.
    instead : mapping of ExportFormat to lazy str
        Reasons why other formats are unavailable, if they differ from the default reason.
    by_number : bool
        Whether row positions are judgment numbers.
    names_people : bool
        Whether it identifies judges; then only organisers may export it.
    is_whole : bool
        Whether it can only be exported as a whole.
    """

    name: str
    title: Promise
    description: Promise
    formats: Mapping[ExportFormat, tuple[Promise, ...]] = field(default_factory=_AS_ROWS.copy)
    instead: Mapping[ExportFormat, Promise] = field(default_factory=dict)
    by_number: bool = False
    names_people: bool = False
    is_whole: bool = False

    @property
    def refused(self) -> dict[ExportFormat, Promise]:
        """Reasons why other formats are unavailable."""
        others = [each for each in ExportFormat if each not in self.formats]
        return {each: self.instead.get(each, _REFUSED[each]) for each in others}


_ALL: Final = (
    ExportKind(
        name="counted",
        title=_("Judgments that count"),
        description=_(
            "The basis of the ranking, one row per block, without corrected judgments, controls and excluded "
            "judges. Every format reproduces the ranking."
        ),
        formats={
            ExportFormat.FIVE_WAY_CSV: (_ON_THE_CLOCK, _TIMES),
            ExportFormat.JSONL: (_TIMES,),
            ExportFormat.PARQUET: (_TIMES,),
            ExportFormat.APPRAISE_XML: (_DOCUMENTS, _TIMES),
        },
        instead={ExportFormat.PAIRWISE_CSV: _ELSEWHERE},
        by_number=True,
    ),
    ExportKind(
        name="comparisons",
        title=_("Comparisons"),
        description=_("The judgments that count, one row per pair of outputs."),
        formats={
            ExportFormat.PAIRWISE_CSV: (_DOCUMENTS, _ONE_OUTPUT, _ON_THE_CLOCK, _TIMES),
        },
        instead=dict.fromkeys(_BLOCKS, _WHOLE),
        by_number=True,
    ),
    ExportKind(
        name="judgments",
        title=_("All judgments"),
        description=_(
            "All records by number, including corrected judgments, controls, answers, times and comments."
        ),
        by_number=True,
    ),
    ExportKind(name="skips", title=_("Skips"), description=_("Skipped sentences with reasons.")),
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
            "error spans and metric scores. Higher scores are better, so error rates are negated."
        ),
        formats={ExportFormat.EVALSET: (_ONE_BY_ONE,)},
        instead=dict.fromkeys(ExportFormat, _ONLY_FOLDER),
        by_number=True,
        is_whole=True,
    ),
    ExportKind(
        name="designs", title=_("Designs"), description=_("Sampling designs with their dates.")
    ),
    ExportKind(
        name="activity",
        title=_("Activity"),
        description=_("Every change to the campaign and its author."),
    ),
    ExportKind(name="judges", title=_("Judges"), description=_("Judges by pseudonym.")),
    ExportKind(
        name="named-judges",
        title=_("Judges with names and addresses"),
        description=_(
            "The person behind each pseudonym. For organisers only: keep this file separate from the judgments."
        ),
        names_people=True,
    ),
)

#: Kinds by name, in display order.
KINDS: Final[Mapping[str, ExportKind]] = {kind.name: kind for kind in _ALL}
