"""Analyse one system: wins and losses by opponent and by part; and where judges skip or comment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from ranking.core.arrays import BoolArray, Int32Array, Int64Array
from ranking.core.counting.counts import compared_groups
from ranking.core.diagnosis.one_system import (
    ClearSegment,
    ShareWon,
    Shown,
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
from ranking.reports.analyses.options import CONFIDENCE, Option
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import interval_plot
from ranking.reports.tables import (
    Column,
    Named,
    Report,
    Table,
    end_columns,
    of_part,
    plain,
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
#: Below this p-value, the report says that the share changes with sentence length.
TREND_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class PartWon:
    """Part of a system's comparisons, with its outcome."""

    part: str
    share: ShareWon


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
    """Return the comparisons won and lost by a system, by opponent and by part.

    Opponents are in the order of the systems; the part with an empty name has the comparisons in no named part.
    """
    blocks = given.blocks
    name = options[SYSTEM.name]
    order = names_in_order(blocks.systems, expected_wins(given.tallies.wins))
    name = name or order[0]
    outcomes = None
    if name in blocks.systems:
        outcomes = outcomes_of(blocks, blocks.systems.index(name))
    if outcomes is None or not len(outcomes.blocks):
        raise ValueError(
            _("No judgments of system “%(name)s” match these options.") % {"name": name}
        )
    confidence = options["confidence"]
    told = begin(_("Counting"))
    if given.texts is None:
        words = None
    else:
        words = given.texts.words()
    document = outcomes.blocks.document
    parts: dict[str, Sequence[_Part]] = {
        "lengths": [] if words is None else by_length(words[outcomes.blocks.segment]),
        "documents": [] if document is None else by_number(document, given.documents),
        "domains": [] if document is None else _by_domain(document, given.documents),
        "groups": _by_group(outcomes.blocks, given.groups or {}),
    }
    groups = compared_groups(given.tallies)
    # The system is not compared with systems of other groups.
    elsewhere = set()
    for group in groups:
        if blocks.systems.index(name) not in group:
            for index in group.tolist():
                elsewhere.add(blocks.systems[index])
    opponents = [each for each in order if each != name and each not in elsewhere]
    to_do = sum(map(len, parts.values())) + len(opponents)
    done = 0

    def counted(part: str, **how: Any) -> PartWon:
        nonlocal done
        found = PartWon(part, share_won(outcomes, confidence=confidence, **how))
        done += 1
        told(done, to_do)
        return found

    return {
        "system": name,
        "blocks": len(outcomes.blocks),
        "judges": len(np.unique(outcomes.blocks.judge)),
        "segments": len(np.unique(outcomes.blocks.segment)),
        "all": share_won(outcomes, confidence=confidence),
        "opponents": [
            counted(opponent, opponent=blocks.systems.index(opponent))
            for opponent in opponents
        ],
        "parts": {
            kind: [counted(part, rows=rows) for part, rows in each]
            for kind, each in parts.items()
        },
        "trend": None if words is None else length_trend(outcomes, words),
        "clear": clear_segments(outcomes, most=MOST_SEGMENTS),
        "confidence": confidence,
    }


def by_length(words: Int64Array) -> list[tuple[str, BoolArray]]:
    """Return the rows in each non-empty range of lengths, by its name; `words` are the lengths of all rows."""
    found = []
    for shortest, longest in LENGTHS:
        found.append(
            (
                f"{shortest}–{longest}" if longest else f"{shortest}+",
                (words >= shortest) & (words <= (longest or np.inf)),
            )
        )
    return [(part, rows) for part, rows in found if rows.any()]


def by_number(
    number: npt.NDArray[np.integer], names: Sequence[str]
) -> list[tuple[str, Int64Array]]:
    """Return the row indices of each occurring number, by its name, in the order of names.

    All arrays are views of a single one, because masks would take rows × numbers bytes.
    """
    order = np.argsort(number, kind="stable").astype(np.int64, copy=False)
    present = np.unique(number)
    begins = np.searchsorted(number[order], present[1:])
    rows = np.split(order, begins)
    return [(names[each], rows[place]) for place, each in enumerate(present.tolist())]


def _by_domain(document: Int32Array, names: Sequence[str]) -> Sequence[_Part]:
    """Return the blocks of each domain: the part of document names before “/”."""
    of_document = []
    for name in names:
        if "/" in name:
            of_document.append(name.partition("/")[0])
        else:
            of_document.append("")
    domains, number = np.unique(of_document, return_inverse=True)
    found = by_number(number[document], domains.tolist())
    if len(found) > 1:
        return found
    return []


def _by_group(blocks: Blocks, groups: Mapping[str, Sequence[str]]) -> Sequence[_Part]:
    """Return the blocks by judge group, and those by judges without a group as ""."""
    found: list[_Part] = []
    grouped = np.zeros(len(blocks), dtype=np.bool_)
    for name, members in groups.items():
        among = set(members)
        rows = np.array([judge in among for judge in blocks.judges], dtype=np.bool_)[
            blocks.judge
        ]
        grouped |= rows
        if rows.any():
            found.append((name, rows))
    if found and not grouped.all():
        found.append(("", ~grouped))
    return found


def _tell(
    given: Input, _options: Mapping[str, Any], found: Mapping[str, Any]
) -> Report:
    """Report a system's wins and losses, by opponent and by part."""
    return report_on(
        given,
        notes=_notes(found),
        tables=[
            opponents_table(found["system"], found["opponents"]),
            *(
                _table(kind, title, heading, parts, found["system"], names, notes)
                for kind, title, heading, names, notes in _parts_in_words()
                if (parts := _in_order(kind, found["parts"][kind]))
            ),
            *_clear("lost", _("Clearest losses"), found),
            *_clear("won", _("Clearest wins"), found),
        ],
        data={
            **{
                name: found[name]
                for name in ("system", "blocks", "judges", "segments", "all")
            },
            "opponents": [_said("opponent", each) for each in found["opponents"]],
            **{
                kind: [
                    _said(kind.removesuffix("s"), each)
                    for each in _in_order(kind, parts)
                ]
                for kind, parts in found["parts"].items()
            },
            "length_trend": found["trend"],
            "lost_most_clearly": found["clear"].lost,
            "won_most_clearly": found["clear"].won,
            "compared_at_least": found["clear"].fewest,
            "documents_of_segments": _documents_of(
                given, [*found["clear"].lost, *found["clear"].won]
            ),
            "confidence": found["confidence"],
        },
    )


def _notes(found: Mapping[str, Any]) -> list[str]:
    whole = found["all"]
    notes = [
        _(
            "%(system)s: %(comparisons)s comparisons (%(won)s won, %(lost)s lost, %(tied)s tied) in %(blocks)s blocks by %(judges)s judges."
        )
        % {
            "system": found["system"],
            "comparisons": number_format(whole.won + whole.lost + whole.tied),
            "won": number_format(whole.won),
            "lost": number_format(whole.lost),
            "tied": number_format(whole.tied),
            "blocks": number_format(found["blocks"]),
            "judges": number_format(found["judges"]),
        },
        _(
            "Shares exclude ties. Intervals account for segments or documents, and for judges."
        ),
    ]
    trend = found["trend"]
    if trend is not None and trend.p_value is not None:
        sign = "+" if trend.slope > 0 else ""
        notes.append(
            _("Change in its share when source length doubles: %(slope)s (%(p)s).")
            % {"slope": sign + decimals(trend.slope, 3), "p": p_in_words(trend.p_value)}
        )
    everything = [
        *found["opponents"],
        *(each for part in found["parts"].values() for each in part),
    ]
    limits = [found["all"].limits, *(each.share.limits for each in everything)]
    if trend is not None:
        limits.append(trend.limits)
    return [*notes, *limits_notes(limits)]


def many_parts_note() -> str:
    """Return a caution about intervals for many parts."""
    return _(
        "With many parts, some are extreme by chance: intervals hold for one part at a time."
    )


def limits_notes(limits: Iterable[Sequence[str]]) -> list[str]:
    """Return a note if some intervals ignore sources of variation; `limits` are those of each interval."""
    if not any(limits):
        return []
    return [
        _("Some parts have too few judges, segments or documents to account for them.")
    ]


def _said(name: str, each: PartWon) -> dict[str, Any]:
    return {name: each.part or None, **plain(each.share)}


def _in_order(kind: str, parts: Sequence[PartWon]) -> list[PartWon]:
    """Return documents and domains worst first, others in the given order."""
    if kind not in ("documents", "domains"):
        return list(parts)
    # Parts without decided comparisons come last.
    return sorted(
        parts,
        key=lambda each: (each.share.share is None, each.share.share or 0.0, each.part),
    )


def opponents_table(system: str, opponents: Sequence[PartWon]) -> Table:
    """Return a system's wins and losses against each opponent."""
    title = _("By opponent")
    heading = _("Opponent")
    return _table("opponents", title, heading, opponents, system, "other")


def _parts_in_words() -> tuple[tuple[str, str, str, Named | None, Sequence[str]], ...]:
    """Return the kinds of parts, each with title, heading, kind of name, and notes."""
    many = [many_parts_note()]
    return (
        ("lengths", _("By source length"), _("Words"), None, ()),
        ("documents", _("By document"), _("Document"), "document", many),
        ("domains", _("By domain"), _("Domain"), None, many),
        ("groups", _("By group of judges"), _("Group"), None, ()),
    )


def _table(
    name: str,
    title: str,
    heading: str,
    parts: Sequence[PartWon],
    system: str,
    names: Named | None,
    notes: Sequence[str] = (),
) -> Table:
    # Only rows that name an object can be linked.
    is_counted = names is not None

    def part(each: PartWon) -> str:
        if name == "lengths":
            return length_in_words(each.part)
        return each.part or pgettext("part", "none")

    columns = (
        Column("won", _("Won"), counts="won" if is_counted else None),
        Column("lost", _("Lost"), counts="lost" if is_counted else None),
        Column("tied", _("Tied"), counts="tied" if is_counted else None),
        Column("share", _("Share won")),
        *end_columns(),
    )
    return Table.of(
        parts,
        name=name,
        title=title,
        columns=(
            Column("part", heading, is_text=True, names=names, of=part),
            *of_part(attrgetter("share"), columns),
        ),
        notes=notes,
        plot=interval_plot("part", "share", start=0, end=1, mark=0.5, most=40),
        about={"system": system},
    )


def length_in_words(part: str) -> str:
    """Return "31+" as "over 30"."""
    if not part.endswith("+"):
        return part
    return _("over %(words)d") % {"words": int(part[:-1]) - 1}


def _clear(kind: str, title: str, found: Mapping[str, Any]) -> list[Table]:
    segments: Sequence[ClearSegment] = getattr(found["clear"], kind)
    if not segments:
        return []
    return [
        Table.of(
            segments,
            name=f"clearly_{kind}",
            title=title,
            columns=(
                Column("segment", _("Segment"), names="segment"),
                Column("other", _("Other"), is_text=True, names="other"),
                Column(
                    "rank",
                    _("Mean rank"),
                    decimals=2,
                    of=lambda row: row.ranks[found["system"]],
                ),
                Column(
                    "other_rank",
                    _("Other mean rank"),
                    decimals=2,
                    of=lambda row: row.ranks[row.other],
                ),
                Column("distance", _("Distance"), decimals=2),
                Column("compared", _("Comparisons"), counts="judgments"),
                Column("judgments", _("Judgments")),
            ),
            keys=2,
            notes=[
                ngettext(
                    "Sorted by mean difference of ranks, for pairs compared at least %(count)d time.",
                    "Sorted by mean difference of ranks, for pairs compared at least %(count)d times.",
                    found["clear"].fewest,
                )
                % {"count": found["clear"].fewest}
            ],
            about={"system": found["system"]},
        )
    ]


def _documents_of(given: Input, segments: Sequence[ClearSegment]) -> dict[str, str]:
    """Return the names of the documents of segments by their numbers, where documents are known."""
    document = given.blocks.document
    if document is None:
        return {}
    of_segment = dict(
        zip(given.blocks.segment.tolist(), document.tolist(), strict=True)
    )
    return {
        str(segment.segment): given.documents[of_segment[segment.segment]]
        for segment in segments
    }


ONE_SYSTEM = AnalysisKind(
    name="system",
    title=gettext_lazy("One system"),
    page="systems",
    question=gettext_lazy("Where does a system win and lose?"),
    options=(SYSTEM, CONFIDENCE),
    find=_find,
    tell=_tell,
)


def _find_remarks(
    given: Input, options: Mapping[str, Any], begin: Begin
) -> dict[str, Any]:
    """Return skips and comments by system and by source length, among all shown blocks."""
    begin(_("Counting"))
    remarks = given.remarks
    # All blocks shown, including the reference.
    shown = shown_blocks(
        given.read.blocks,
        () if remarks is None else remarks.skips,
        () if remarks is None else remarks.comments,
        given.read.documents,
    )
    if given.texts is None:
        words = None
    else:
        words = given.texts.words()
    confidence = options["confidence"]
    return {
        "shown": len(shown.segment),
        "skipped": int(shown.skipped.sum()),
        "commented": int(shown.commented.sum()),
        "systems": [
            _part_remarks(name, shown, shown.shows[:, number], confidence)
            for number, name in enumerate(shown.systems)
            if shown.shows[:, number].any()
        ],
        "lengths": []
        if words is None
        else [
            _part_remarks(name, shown, rows, confidence)
            for name, rows in by_length(words[shown.segment])
        ],
        "confidence": confidence,
    }


def _part_remarks(
    name: str, shown: Shown, rows: BoolArray, confidence: float
) -> dict[str, Any]:
    """Return a part of the blocks shown, with its numbers of skips and comments."""
    return {
        "part": name,
        "shown": int(rows.sum()),
        "skipped": remark_share(shown, shown.skipped, rows, confidence=confidence),
        "commented": remark_share(shown, shown.commented, rows, confidence=confidence),
    }


def _tell_remarks(
    given: Input, _options: Mapping[str, Any], found: Mapping[str, Any]
) -> Report:
    """Report skips and comments."""
    counts = {
        "judged": number_format(found["shown"] - found["skipped"]),
        "skipped": number_format(found["skipped"]),
        "commented": number_format(found["commented"]),
    }
    kinds: tuple[tuple[str, str, str, Named | None], ...] = (
        ("systems", _("By system"), _("System"), "system"),
        ("lengths", _("By source length"), _("Words"), None),
    )
    return report_on(
        given,
        notes=[
            _(
                "Blocks judged: %(judged)s; skipped: %(skipped)s; with a comment: %(commented)s."
            )
            % counts,
            _(
                "A block counts for each system it shows. Intervals account for segments and judges."
            ),
            many_parts_note(),
            *limits_notes(
                share.limits
                for each in (*found["systems"], *found["lengths"])
                for share in (each["skipped"], each["commented"])
            ),
        ],
        tables=[
            _remarks(name, title, heading, found[name], names)
            for name, title, heading, names in kinds
            if found[name]
        ],
        data=found,
    )


def _remarks(
    name: str,
    title: str,
    heading: str,
    parts: Sequence[dict[str, Any]],
    names: Named | None,
) -> Table:
    def share_columns(key: str, heading: str, of_all: str) -> tuple[Column, ...]:
        of = itemgetter(key)
        return (
            Column(key, heading, of=lambda row: of(row).count),
            Column(f"{key}_share", of_all, of=lambda row: of(row).share),
            *end_columns(f"{key}_", of=of),
        )

    return Table.of(
        parts
        if names
        else [part | {"part": length_in_words(part["part"])} for part in parts],
        name=name,
        title=title,
        columns=(
            Column("part", heading, is_text=True, names=names),
            Column("shown", _("Blocks")),
            *share_columns("skipped", _("Skipped"), _("Share skipped")),
            *share_columns("commented", _("With a comment"), _("Share with a comment")),
        ),
        plot=interval_plot("part", "skipped_share", "skipped_", start=0, most=40),
        notes=[_("The plot shows the share skipped.")],
    )


REMARKS = AnalysisKind(
    name="remarks",
    title=gettext_lazy("Comments and skips"),
    page="data",
    question=gettext_lazy(
        "Where do judges skip blocks or write comments, by system and source length?"
    ),
    options=(CONFIDENCE,),
    needs=frozenset({Need.REMARKS}),
    find=_find_remarks,
    tell=_tell_remarks,
)
