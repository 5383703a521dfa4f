"""Analyse one system: wins and losses by opponent and by part; and where judges skip or comment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from operator import attrgetter
from typing import NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from ranking.core.arrays import BoolArray, Int32Array, Int64Array
from ranking.core.counting.counts import Tallies, compared_groups
from ranking.core.diagnosis.one_system import (
    ClearSegment,
    ClearSegments,
    LengthTrend,
    RemarkShare,
    ShareWon,
    ShownBlocks,
    clear_segments,
    length_trend,
    outcomes_of,
    remark_share,
    share_won,
    shown_blocks,
)
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.shares import expected_wins
from ranking.core.scores import names_in_order
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.options import CONFIDENCE, AnalysisOptions, Option
from ranking.reports.inputs import Input, Remarks, domain_of, report_on
from ranking.reports.plots import interval_plot
from ranking.reports.tables import (
    Column,
    Named,
    Report,
    ReportData,
    Table,
    end_columns,
    of_part,
    plain,
    with_rows,
)
from ranking.reports.wording.numbers import decimals, p_in_words

SYSTEM = Option(
    "system",
    gettext_lazy("System"),
    "",
    help=gettext_lazy("Leave empty for the first system by Expected Wins."),
)
#: Maximum number of sentences listed with the clearest losses, and of those with the clearest wins.
MOST_SEGMENTS = 10
#: A name, and its rows as a mask or indices.
_Part = tuple[str, npt.NDArray[np.generic]]
#: Ranges of source length in words; None means no upper limit.
LENGTHS = ((1, 10), (11, 20), (21, 30), (31, None))
#: Kinds of parts that are listed worst first.
_WORST_FIRST = frozenset({"documents", "domains"})
#: Below this p-value, the report says that the share changes with sentence length.
TREND_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class PartWon:
    """Part of a system's comparisons, with its outcome."""

    part: str
    share: ShareWon

    @property
    def order(self) -> tuple[bool, float, str]:
        """Key for sorting: worst first; parts without decided comparisons come last."""
        share = self.share.share
        return share is None, share or 0.0, self.part

    def data(self, kind: str) -> ReportData:
        """Return the machine-readable outcome of a part of a kind."""
        return {kind: self.part or None, **plain(self.share)}


@dataclass(frozen=True, kw_only=True)
class SystemFindings:
    """The comparisons won and lost by a system, by opponent and by part.

    Opponents are in the order of the systems; the part with an empty name has the comparisons in no named part.
    """

    system: str
    blocks: int
    judges: int
    segments: int
    all: ShareWon
    opponents: Sequence[PartWon]
    parts: Mapping[str, Sequence[PartWon]]
    trend: LengthTrend | None
    clear: ClearSegments
    confidence: float

    @property
    def intervals(self) -> list[ShareWon]:
        """The shares of the system, overall and by opponent and part."""
        every = chain(self.opponents, *self.parts.values())
        return [self.all, *(part.share for part in every)]


class ShareSelection(TypedDict, total=False):
    """The comparisons of a share: with an opponent, or of some rows."""

    opponent: int
    rows: npt.NDArray[np.generic]


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> SystemFindings:
    blocks = inputs.blocks
    name = options[SYSTEM]
    order = names_in_order(blocks.systems, expected_wins(inputs.tallies.wins))
    name = name or order[0]
    outcomes = None
    if name in blocks.systems:
        outcomes = outcomes_of(blocks, blocks.systems.index(name))
    if outcomes is None or not len(outcomes.blocks):
        raise ValueError(
            _("No judgments of system “%(name)s” match these options.")
            % {"name": name},
        )
    confidence = options[CONFIDENCE]
    words = None if inputs.texts is None else inputs.texts.words()
    parts = _parts(inputs, outcomes.blocks, words)
    connected = _connected_systems(inputs.tallies, blocks.systems.index(name))
    # The system is not compared with systems of other groups.
    opponents = [other for other in order if other != name and other in connected]
    progress = begin(_("Counting"))
    total = len(opponents) + sum(map(len, parts.values()))
    counter = count(1)

    def counted(part: str, **selection: Unpack[ShareSelection]) -> PartWon:
        share = share_won(outcomes, confidence=confidence, **selection)
        progress(next(counter), total)
        return PartWon(part, share)

    against = []
    for opponent in opponents:
        against.append(counted(opponent, opponent=blocks.systems.index(opponent)))
    by_part = {}
    for kind, rows_of_parts in parts.items():
        by_part[kind] = [counted(part, rows=rows) for part, rows in rows_of_parts]
        if kind in _WORST_FIRST:
            by_part[kind].sort(key=attrgetter("order"))
    return SystemFindings(
        system=name,
        blocks=len(outcomes.blocks),
        judges=len(np.unique(outcomes.blocks.judge)),
        segments=len(np.unique(outcomes.blocks.segment)),
        all=share_won(outcomes, confidence=confidence),
        opponents=against,
        parts=by_part,
        trend=None if words is None else length_trend(outcomes, words),
        clear=clear_segments(outcomes, most=MOST_SEGMENTS),
        confidence=confidence,
    )


def _connected_systems(tallies: Tallies, system: int) -> set[str]:
    """Return the systems in the group of a system, and those without comparisons."""
    connected = set(tallies.systems)
    for group in compared_groups(tallies):
        if system not in group:
            connected.difference_update(
                tallies.systems[index] for index in group.tolist()
            )
    return connected


def _parts(
    inputs: Input,
    blocks: Blocks,
    words: Int64Array | None,
) -> dict[str, Sequence[_Part]]:
    """Return the parts of a system's blocks of each kind."""
    parts: dict[str, Sequence[_Part]] = {
        "lengths": [],
        "documents": [],
        "domains": [],
        "groups": _blocks_by_judge_group(blocks, inputs.groups or {}),
    }
    if words is not None:
        parts["lengths"] = by_length(words[blocks.segment])
    if blocks.document is not None:
        parts["documents"] = by_number(blocks.document, inputs.documents)
        parts["domains"] = _blocks_by_domain(blocks.document, inputs.documents)
    return parts


def by_length(words: Int64Array) -> list[tuple[str, BoolArray]]:
    """Return the rows in each non-empty range of lengths, by its name; `words` are the lengths of all rows."""
    parts = []
    for shortest, longest in LENGTHS:
        if longest is None:
            name = f"{shortest}+"
            rows = words >= shortest
        else:
            name = f"{shortest}–{longest}"
            rows = (words >= shortest) & (words <= longest)
        if rows.any():
            parts.append((name, rows))
    return parts


def by_number(
    number: npt.NDArray[np.integer],
    names: Sequence[str],
) -> list[tuple[str, Int64Array]]:
    """Return the row indices of each occurring number, by its name, in the order of names.

    All arrays are views of a single one, because masks would take rows × numbers bytes.
    """
    order = np.argsort(number, kind="stable").astype(np.int64, copy=False)
    present = np.unique(number)
    begins = np.searchsorted(number[order], present[1:])
    rows = np.split(order, begins)
    present_names = [names[index] for index in present.tolist()]
    return list(zip(present_names, rows, strict=True))


def _blocks_by_domain(document: Int32Array, names: Sequence[str]) -> Sequence[_Part]:
    """Return the blocks of each domain: the part of document names before “/”."""
    of_document = list(map(domain_of, names))
    domains, number = np.unique(of_document, return_inverse=True)
    parts = by_number(number[document], domains.tolist())
    if len(parts) > 1:
        return parts
    return []


def _blocks_by_judge_group(
    blocks: Blocks,
    groups: Mapping[str, Sequence[str]],
) -> Sequence[_Part]:
    """Return the blocks by judge group, and those by judges without a group as ""."""
    parts: list[_Part] = []
    grouped = np.zeros(len(blocks), dtype=np.bool_)
    for name, members in groups.items():
        judges = frozenset(members)
        is_member = np.array([judge in judges for judge in blocks.judges], np.bool_)
        rows = is_member[blocks.judge]
        grouped |= rows
        if rows.any():
            parts.append((name, rows))
    if parts and not grouped.all():
        parts.append(("", ~grouped))
    return parts


def _tell(inputs: Input, _options: AnalysisOptions, answer: SystemFindings) -> Report:
    """Report a system's wins and losses, by opponent and by part."""
    tables = [opponents_table(answer.system, answer.opponents)]
    parts_data = {}
    for kind, parts in answer.parts.items():
        parts_data[kind] = [part.data(kind.removesuffix("s")) for part in parts]
    for part_kind in _part_kinds():
        parts = answer.parts[part_kind.name]
        if parts:
            tables.append(_table(part_kind, parts, answer.system))
    clear = answer.clear
    return report_on(
        inputs,
        notes=_notes(answer),
        tables=[
            *tables,
            *_clear_table("lost", clear.lost, _("Clearest losses"), answer),
            *_clear_table("won", clear.won, _("Clearest wins"), answer),
        ],
        data={
            "system": answer.system,
            "blocks": answer.blocks,
            "judges": answer.judges,
            "segments": answer.segments,
            "all": answer.all,
            "opponents": [part.data("opponent") for part in answer.opponents],
            **parts_data,
            "length_trend": answer.trend,
            "lost_most_clearly": clear.lost,
            "won_most_clearly": clear.won,
            "compared_at_least": clear.fewest,
            "documents_of_segments": _documents_of(inputs, [*clear.lost, *clear.won]),
            "confidence": answer.confidence,
        },
    )


def _notes(answer: SystemFindings) -> list[str]:
    whole = answer.all
    notes = [
        _(
            "%(system)s: %(comparisons)s comparisons (%(won)s won, %(lost)s lost, %(tied)s tied) in %(blocks)s blocks by %(judges)s judges.",
        )
        % {
            "system": answer.system,
            "comparisons": number_format(whole.won + whole.lost + whole.tied),
            "won": number_format(whole.won),
            "lost": number_format(whole.lost),
            "tied": number_format(whole.tied),
            "blocks": number_format(answer.blocks),
            "judges": number_format(answer.judges),
        },
        _(
            "Shares exclude ties. Intervals account for segments or documents, and for judges.",
        ),
    ]
    limits = [share.limits for share in answer.intervals]
    trend = answer.trend
    if trend is not None:
        limits.append(trend.limits)
        if trend.p_value is not None:
            notes.append(_trend_in_words(trend.slope, trend.p_value))
    return [*notes, *limits_notes(limits)]


def _trend_in_words(slope: float, p_value: float) -> str:
    change = decimals(slope, 3)
    if slope > 0:
        change = f"+{change}"
    message = _("Change in its share when source length doubles: %(slope)s (%(p)s).")
    return message % {"slope": change, "p": p_in_words(p_value)}


def many_parts_note() -> str:
    """Return a caution about intervals for many parts."""
    return _(
        "With many parts, some are extreme by chance: intervals hold for one part at a time.",
    )


def limits_notes(limits: Iterable[Sequence[str]]) -> list[str]:
    """Return a note if some intervals ignore sources of variation; `limits` are those of each interval."""
    if not any(limits):
        return []
    return [
        _("Some parts have too few judges, segments or documents to account for them."),
    ]


class _PartKind(NamedTuple):
    """A kind of parts, in words; only rows that name an object can be linked."""

    name: str
    title: str
    heading: str
    names: Named | None = None
    notes: Sequence[str] = ()


def opponents_table(system: str, opponents: Sequence[PartWon]) -> Table:
    """Return a system's wins and losses against each opponent."""
    kind = _PartKind("opponents", _("By opponent"), _("Opponent"), "other")
    return _table(kind, opponents, system)


def _part_kinds() -> tuple[_PartKind, ...]:
    many = [many_parts_note()]
    return (
        _PartKind("lengths", _("By source length"), _("Words")),
        _PartKind("documents", _("By document"), _("Document"), "document", many),
        _PartKind("domains", _("By domain"), _("Domain"), notes=many),
        _PartKind("groups", _("By group of judges"), _("Group")),
    )


def _part_in_words(row: PartWon) -> str:
    return row.part or pgettext("part", "none")


def _length_of_part(row: PartWon) -> str:
    return length_in_words(row.part)


def _table(kind: _PartKind, parts: Sequence[PartWon], system: str) -> Table:
    won = Column("won", _("Won"), counts="won")
    lost = Column("lost", _("Lost"), counts="lost")
    tied = Column("tied", _("Tied"), counts="tied")
    counts = [won, lost, tied]
    if kind.names is None:
        counts = [replace(column, counts=None) for column in counts]
    return Table.of(
        parts,
        name=kind.name,
        title=kind.title,
        columns=(
            Column(
                "part",
                kind.heading,
                is_text=True,
                names=kind.names,
                of=_length_of_part if kind.name == "lengths" else _part_in_words,
            ),
            *of_part(
                attrgetter("share"),
                (*counts, Column("share", _("Share won")), *end_columns()),
            ),
        ),
        notes=kind.notes,
        plot=interval_plot("part", "share", start=0, end=1, mark=0.5, most=40),
        about={"system": system},
    )


def length_in_words(part: str) -> str:
    """Return "31+" as "over 30"."""
    if not part.endswith("+"):
        return part
    return _("over %(words)d") % {"words": int(part[:-1]) - 1}


def _clear_table(
    kind: str,
    segments: Sequence[ClearSegment],
    title: str,
    answer: SystemFindings,
) -> list[Table]:
    if not segments:
        return []

    def rank(row: ClearSegment) -> float:
        return row.ranks[answer.system]

    return [
        Table.of(
            segments,
            name=f"clearly_{kind}",
            title=title,
            columns=(
                Column("segment", _("Segment"), names="segment"),
                Column("other", _("Other"), is_text=True, names="other"),
                Column("rank", _("Mean rank"), decimals=2, of=rank),
                Column("other_rank", _("Other mean rank"), decimals=2, of=_other_rank),
                Column("distance", _("Distance"), decimals=2),
                Column("compared", _("Comparisons"), counts="judgments"),
                Column("judgments", _("Judgments")),
            ),
            keys=2,
            notes=[
                ngettext(
                    "Sorted by mean difference of ranks, for pairs compared at least %(count)d time.",
                    "Sorted by mean difference of ranks, for pairs compared at least %(count)d times.",
                    answer.clear.fewest,
                )
                % {"count": answer.clear.fewest},
            ],
            about={"system": answer.system},
        ),
    ]


def _other_rank(row: ClearSegment) -> float:
    return row.ranks[row.other]


def _documents_of(inputs: Input, segments: Sequence[ClearSegment]) -> dict[str, str]:
    """Return the names of the documents of segments by their numbers, where documents are known."""
    document = inputs.blocks.document
    if document is None:
        return {}
    numbers = inputs.blocks.segment.tolist()
    of_segment = dict(zip(numbers, document.tolist(), strict=True))
    names = {}
    for segment in segments:
        number = of_segment[segment.segment]
        names[str(segment.segment)] = inputs.documents[number]
    return names


ONE_SYSTEM = AnalysisKind(
    name="system",
    title=gettext_lazy("One system"),
    page="systems",
    question=gettext_lazy("Where does a system win and lose?"),
    options=(SYSTEM, CONFIDENCE),
    find=_find,
    tell=_tell,
)


@dataclass(frozen=True, kw_only=True)
class PartRemarks:
    """A part of the blocks shown, with its numbers of skips and comments."""

    part: str
    shown: int
    skipped: RemarkShare
    commented: RemarkShare

    @property
    def length_in_words(self) -> str:
        """The part as a range of source length."""
        return length_in_words(self.part)


@dataclass(frozen=True, kw_only=True)
class RemarksFindings:
    """Skips and comments by system and by source length, among all shown blocks."""

    shown: int
    skipped: int
    commented: int
    systems: Sequence[PartRemarks]
    lengths: Sequence[PartRemarks]
    confidence: float


def _find_remarks(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> RemarksFindings:
    begin(_("Counting"))
    remarks = inputs.remarks or Remarks(skips=(), comments=())
    # All blocks shown, including the reference.
    blocks = shown_blocks(
        inputs.read.blocks,
        remarks.skips,
        remarks.comments,
        inputs.read.documents,
    )
    confidence = options[CONFIDENCE]
    systems = []
    for number, name in enumerate(blocks.systems):
        rows = blocks.shows[:, number]
        if rows.any():
            systems.append(_part_remarks(name, blocks, rows, confidence))
    lengths = []
    if inputs.texts is not None:
        for name, rows in by_length(inputs.texts.words()[blocks.segment]):
            lengths.append(_part_remarks(name, blocks, rows, confidence))
    return RemarksFindings(
        shown=len(blocks.segment),
        skipped=int(blocks.skipped.sum()),
        commented=int(blocks.commented.sum()),
        systems=systems,
        lengths=lengths,
        confidence=confidence,
    )


def _part_remarks(
    name: str,
    blocks: ShownBlocks,
    rows: BoolArray,
    confidence: float,
) -> PartRemarks:
    return PartRemarks(
        part=name,
        shown=int(rows.sum()),
        skipped=remark_share(blocks, blocks.skipped, rows, confidence=confidence),
        commented=remark_share(blocks, blocks.commented, rows, confidence=confidence),
    )


def _tell_remarks(
    inputs: Input,
    _options: AnalysisOptions,
    answer: RemarksFindings,
) -> Report:
    """Report skips and comments."""
    counts = {
        "judged": number_format(answer.shown - answer.skipped),
        "skipped": number_format(answer.skipped),
        "commented": number_format(answer.commented),
    }
    limits = []
    for part in (*answer.systems, *answer.lengths):
        limits += [part.skipped.limits, part.commented.limits]
    system = Column("part", _("System"), is_text=True, names="system")
    length = Column("part", _("Words"), is_text=True, of=attrgetter("length_in_words"))
    tables = [
        _remarks_table("systems", _("By system"), system, answer.systems),
        _remarks_table("lengths", _("By source length"), length, answer.lengths),
    ]
    return report_on(
        inputs,
        notes=[
            _(
                "Blocks judged: %(judged)s; skipped: %(skipped)s; with a comment: %(commented)s.",
            )
            % counts,
            _(
                "A block counts for each system it shows. Intervals account for segments and judges.",
            ),
            many_parts_note(),
            *limits_notes(limits),
        ],
        tables=with_rows(tables),
        data=vars(answer),
    )


def _remarks_table(
    name: str,
    title: str,
    part_column: Column,
    parts: Sequence[PartRemarks],
) -> Table:
    return Table.of(
        parts,
        name=name,
        title=title,
        columns=(
            part_column,
            Column("shown", _("Blocks")),
            *_share_columns("skipped", _("Skipped"), _("Share skipped")),
            *_share_columns(
                "commented",
                _("With a comment"),
                _("Share with a comment"),
            ),
        ),
        plot=interval_plot("part", "skipped_share", "skipped_", start=0, most=40),
        notes=[_("The plot shows the share skipped.")],
    )


def _share_columns(key: str, heading: str, share_heading: str) -> tuple[Column, ...]:
    """Return the columns of the number and the share of blocks with a kind of remark."""
    return (
        Column(key, heading, of=attrgetter(f"{key}.count")),
        Column(f"{key}_share", share_heading, of=attrgetter(f"{key}.share")),
        *end_columns(f"{key}_", of=attrgetter(key)),
    )


REMARKS = AnalysisKind(
    name="remarks",
    title=gettext_lazy("Comments and skips"),
    page="data",
    question=gettext_lazy(
        "Where do judges skip blocks or write comments, by system and source length?",
    ),
    options=(CONFIDENCE,),
    needs=frozenset({Need.REMARKS}),
    find=_find_remarks,
    tell=_tell_remarks,
)
