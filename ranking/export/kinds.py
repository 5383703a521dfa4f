"""The registry of exports: which kinds there are, in which formats, and what a format has no room for."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class ExportFormat(StrEnum):
    """The formats of files."""

    FIVE_WAY_CSV = "five-way-csv"
    PAIRWISE_CSV = "pairwise-csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    APPRAISE_XML = "appraise-xml"
    CSV = "csv"
    PEARMUT = "pearmut-campaign"
    EVALSET = "evalset"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportKind:
    """Something of a task that can be taken away.

    Attributes
    ----------
    name : str
    title, description : lazy str
    formats : mapping of ExportFormat to sequence of lazy str
        Those it is written in, each with what it has no room for.
    refused : mapping of ExportFormat to lazy str
        Why it is not written in the others.
    by_number : bool
        Whether the places of its rows are numbers of judgments.
    names_people : bool
        Whether it says who judges are: organisers alone get it.
    is_whole : bool
        Whether no part of it can be asked for.
    """

    name: str
    title: Promise
    description: Promise
    formats: Mapping[ExportFormat, tuple[Promise, ...]]
    refused: Mapping[ExportFormat, Promise]
    by_number: bool = False
    names_people: bool = False
    is_whole: bool = False


_TIMES = _("when it was judged, the time without breaks, and comments")
_ON_THE_CLOCK = _("the time on the clock")
_DOCUMENTS = _("documents, which rank ranges count where there are two or more")
_ONE_OUTPUT = _("blocks of one output, which compare nothing")
_BLOCKS_ONLY = _("It has room for judgments that count, and for nothing else.")
_ELSEWHERE = _("Take “comparisons”: it is these judgments, pair by pair.")
_WHOLE = _("Take “counted”: a block of five outputs is one row there, and ten here.")
_ROWS_ONLY = _("It has no columns of this kind. Take one of the formats of judgments.")

_FOLDER_ONLY = _("It is a folder of texts and scores. Take “evalset”.")
_TEXTS_ONLY = _("It holds texts that are to be judged. Take “texts”.")
_ONLY_FOLDER = _("It is a folder of files. Take the format “evalset”.")
_ONE_BY_ONE = _("individual judgments, line breaks in texts, and spaces in names")
_FIRST_REFERENCE = _(
    "further references of a segment, and names of documents with “_#_” or “_###_”"
)

_AS_ROWS: Final = {ExportFormat.JSONL: (), ExportFormat.CSV: (), ExportFormat.PARQUET: ()}
_NO_ROWS: Final = dict.fromkeys(
    (ExportFormat.FIVE_WAY_CSV, ExportFormat.PAIRWISE_CSV, ExportFormat.APPRAISE_XML), _BLOCKS_ONLY
)


def _of_rows(
    name: str,
    title: Promise,
    description: Promise,
    *,
    by_number: bool = False,
    people: bool = False,
) -> ExportKind:
    return ExportKind(
        name=name,
        title=title,
        description=description,
        formats=_AS_ROWS,
        refused={**_NO_ROWS, ExportFormat.PEARMUT: _TEXTS_ONLY, ExportFormat.EVALSET: _FOLDER_ONLY},
        by_number=by_number,
        names_people=people,
    )


_ALL: Final = (
    ExportKind(
        name="counted",
        title=_("Judgments that count"),
        description=_(
            "Basis of the ranking: one row a block, without corrected judgments, controls and excluded judges. Every format gives the same ranking again."
        ),
        formats={
            ExportFormat.FIVE_WAY_CSV: (_ON_THE_CLOCK, _TIMES),
            ExportFormat.JSONL: (_TIMES,),
            ExportFormat.PARQUET: (_TIMES,),
            ExportFormat.APPRAISE_XML: (_DOCUMENTS, _TIMES),
        },
        refused={
            ExportFormat.PAIRWISE_CSV: _ELSEWHERE,
            ExportFormat.CSV: _ROWS_ONLY,
            ExportFormat.PEARMUT: _TEXTS_ONLY,
            ExportFormat.EVALSET: _FOLDER_ONLY,
        },
        by_number=True,
    ),
    ExportKind(
        name="comparisons",
        title=_("Comparisons"),
        description=_("The judgments that count, one row for every two outputs compared."),
        formats={
            ExportFormat.PAIRWISE_CSV: (_DOCUMENTS, _ONE_OUTPUT, _ON_THE_CLOCK, _TIMES),
        },
        refused={
            **dict.fromkeys(
                (ExportFormat.FIVE_WAY_CSV, ExportFormat.JSONL, ExportFormat.PARQUET), _WHOLE
            ),
            ExportFormat.APPRAISE_XML: _WHOLE,
            ExportFormat.CSV: _ROWS_ONLY,
            ExportFormat.PEARMUT: _TEXTS_ONLY,
            ExportFormat.EVALSET: _FOLDER_ONLY,
        },
        by_number=True,
    ),
    _of_rows(
        "judgments",
        _("All judgments"),
        _(
            "Everything that was recorded, by number: corrected judgments, controls, answers, times, comments."
        ),
        by_number=True,
    ),
    _of_rows("skips", _("Skips"), _("Sentences that judges skipped, and why.")),
    _of_rows("assignments", _("Assignments"), _("Which HIT was lent to whom, and when.")),
    ExportKind(
        name="texts",
        title=_("Texts"),
        description=_("Sources, references and outputs, in the form that is imported."),
        formats={**_AS_ROWS, ExportFormat.PEARMUT: (_FIRST_REFERENCE,)},
        refused={**_NO_ROWS, ExportFormat.EVALSET: _FOLDER_ONLY},
    ),
    ExportKind(
        name="evalset",
        title=_("EvalSet"),
        description=_(
            "A folder in the layout of WMT’s metrics tasks: sources, references, documents, outputs, human scores, error spans, and scores of metrics. Higher scores are better, so error rates are negated."
        ),
        formats={ExportFormat.EVALSET: (_ONE_BY_ONE,)},
        refused=dict.fromkeys(set(ExportFormat) - {ExportFormat.EVALSET}, _ONLY_FOLDER),
        by_number=True,
        is_whole=True,
    ),
    _of_rows("designs", _("Designs"), _("How HITs were drawn, and since when.")),
    _of_rows(
        "activity", _("Activity"), _("Activity log: each change of the campaign and its author.")
    ),
    _of_rows("judges", _("Judges"), _("The judges of the campaign, by pseudonym.")),
    _of_rows(
        "named-judges",
        _("Judges, with names and addresses"),
        _("Identity of each pseudonym. For organisers only: keep it apart from the judgments."),
        people=True,
    ),
)

#: The kinds by name, in the order in which they are offered.
KINDS: Final[Mapping[str, ExportKind]] = {kind.name: kind for kind in _ALL}
