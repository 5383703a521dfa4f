"""One system against the others as a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ranking.code_version import code_version
from ranking.core.diagnosis.one_system import ClearSegment, ClearSegments, LengthTrend, ShareWon
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Named, Report, Table, Value
from ranking.wording.numbers import decimals, p_in_figures

#: Words of a source from the first to the second; None: and more.
LENGTHS = ((1, 10), (11, 20), (21, 30), (31, None))
#: From this p-value on a share is not said to change with the length of sentences.
TREND_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class PartWon:
    """A part of the comparisons of a system by its name, and what it won there."""

    part: str
    share: ShareWon


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFound:
    """What was won and lost by a system.

    Attributes
    ----------
    system : str
    blocks, judges, segments : int
        With a label for it.
    whole : ShareWon
    opponents : sequence of PartWon
        In the order of the systems.
    parts : mapping of str to sequence of PartWon
        "lengths", "documents", "domains" and "groups"; a part without a name is of those that have none.
    trend : LengthTrend or None
    clear : ClearSegments
    confidence : float
    """

    system: str
    blocks: int
    judges: int
    segments: int
    whole: ShareWon
    opponents: Sequence[PartWon]
    parts: Mapping[str, Sequence[PartWon]]
    trend: LengthTrend | None
    clear: ClearSegments
    confidence: float


def system_report(given: Input, found: SystemFound) -> Report:
    """Tell what a system won and lost, by opponent and by part."""
    parts = found.parts
    many = _("Among many parts some seem odd by chance: intervals hold for one part at a time.")
    return Report(
        notes=[*input_notes(given), *_notes(found)],
        tables=[
            _table(
                "opponents",
                _("Against each opponent"),
                _("Opponent"),
                found.opponents,
                found.system,
                "other",
            ),
            *_some("lengths", _("By length of the source"), _("Words"), found),
            *_some(
                "documents",
                _("By document, worst first"),
                _("Document"),
                found,
                names="document",
                notes=[many],
            ),
            *_some("domains", _("By domain, worst first"), _("Domain"), found, notes=[many]),
            *_some("groups", _("By group of judges"), _("Group"), found),
            *_clear("lost", _("Sentences where it lost most clearly"), found),
            *_clear("won", _("Sentences where it won most clearly"), found),
        ],
        data={
            "input": input_data(given),
            "system": found.system,
            "blocks": found.blocks,
            "judges": found.judges,
            "segments": found.segments,
            "all": found.whole,
            "opponents": [_said("opponent", each) for each in found.opponents],
            **{
                kind: [_said(kind.removesuffix("s"), each) for each in _in_order(kind, parts[kind])]
                for kind in ("lengths", "documents", "domains", "groups")
            },
            "length_trend": found.trend,
            "lost_most_clearly": found.clear.lost,
            "won_most_clearly": found.clear.won,
            "compared_at_least": found.clear.fewest,
            "documents_of_segments": _documents_of(given, [*found.clear.lost, *found.clear.won]),
            "confidence": found.confidence,
            "version": code_version(),
        },
    )


def _notes(found: SystemFound) -> list[str]:
    whole = found.whole
    notes = [
        _(
            "%(system)s: %(comparisons)s comparisons, %(won)s won, %(lost)s lost, %(tied)s tied, from "
            "%(blocks)s blocks by %(judges)s judges."
        )
        % {
            "system": found.system,
            "comparisons": number_format(whole.won + whole.lost + whole.tied),
            "won": number_format(whole.won),
            "lost": number_format(whole.lost),
            "tied": number_format(whole.tied),
            "blocks": number_format(found.blocks),
            "judges": number_format(found.judges),
        },
        _(
            "Shares are of the comparisons that were decided. Intervals account for segments or documents, and "
            "for judges."
        ),
    ]
    trend = found.trend
    if trend is not None and trend.p_value is not None:
        sign = "+" if trend.slope > 0 else ""
        notes.append(
            _("With twice as many words its share changes by %(slope)s (p %(p)s).")
            % {"slope": sign + decimals(trend.slope, 3), "p": p_in_figures(trend.p_value)}
        )
    everything = [*found.opponents, *(each for part in found.parts.values() for each in part)]
    limits = [found.whole.limits, *(each.share.limits for each in everything)]
    if trend is not None:
        limits.append(trend.limits)
    return [*notes, *limits_notes(limits)]


def limits_notes(limits: Iterable[Sequence[str]]) -> list[str]:
    """Return what is said where intervals do not account for all that they should, by the limits of each."""
    if not any(limits):
        return []
    return [
        _(
            "Some parts are by too few judges, or of too few segments or documents, to account for these."
        )
    ]


def _said(name: str, each: PartWon) -> dict[str, Any]:
    return {
        name: each.part or None,
        **{
            key: getattr(each.share, key)
            for key in ("won", "lost", "tied", "share", "low", "high", "limits")
        },
    }


def _in_order(kind: str, parts: Sequence[PartWon]) -> list[PartWon]:
    """Return documents and domains worst first, others as they come."""
    if kind not in ("documents", "domains"):
        return list(parts)
    # What was never decided comes last.
    return sorted(
        parts, key=lambda each: (each.share.share is None, each.share.share or 0.0, each.part)
    )


def _some(
    kind: str,
    title: str,
    heading: str,
    found: SystemFound,
    *,
    names: Named | None = None,
    notes: Sequence[str] = (),
) -> list[Table]:
    parts = _in_order(kind, found.parts[kind])
    if not parts:
        return []
    return [_table(kind, title, heading, parts, found.system, names, notes)]


def _table(
    name: str,
    title: str,
    heading: str,
    parts: Sequence[PartWon],
    system: str,
    names: Named | None,
    notes: Sequence[str] = (),
) -> Table:
    # Only what is named in a row can be looked up.
    is_counted = names is not None
    nothing = _("none")
    return Table(
        name=name,
        title=title,
        columns=(
            Column("part", heading, is_text=True, names=names),
            Column("won", _("Won"), counts="won" if is_counted else None),
            Column("lost", _("Lost"), counts="lost" if is_counted else None),
            Column("tied", _("Tied"), counts="tied" if is_counted else None),
            Column("share", _("Share won")),
            Column("low", _("From")),
            Column("high", _("To")),
        ),
        rows=[
            (
                length_in_words(each.part) if name == "lengths" else each.part or nothing,
                each.share.won,
                each.share.lost,
                each.share.tied,
                each.share.share,
                each.share.low,
                each.share.high,
            )
            for each in parts
        ],
        notes=notes,
        plot=Plot(
            kind="intervals",
            label="part",
            value="share",
            low="low",
            high="high",
            start=0,
            end=1,
            mark=0.5,
            most=40,
        ),
        about={"system": system},
    )


def length_in_words(part: str) -> str:
    """Return "31+" as "over 30"."""
    if not part.endswith("+"):
        return part
    return _("over %(words)d") % {"words": int(part[:-1]) - 1}


def _clear(kind: str, title: str, found: SystemFound) -> list[Table]:
    segments: Sequence[ClearSegment] = getattr(found.clear, kind)
    if not segments:
        return []
    fewest = found.clear.fewest
    rows: list[tuple[Value, ...]] = [
        (
            each.segment,
            each.other,
            each.ranks[found.system],
            each.ranks[each.other],
            each.distance,
            each.compared,
            each.judgments,
        )
        for each in segments
    ]
    return [
        Table(
            name=f"clearly_{kind}",
            title=title,
            columns=(
                Column("segment", _("Segment"), names="segment"),
                Column(
                    "other",
                    _("Best other") if kind == "lost" else _("Worst other"),
                    is_text=True,
                    names="other",
                ),
                Column("rank", _("Mean rank"), decimals=2),
                Column("other_rank", _("Mean rank of the other"), decimals=2),
                Column("distance", _("Distance"), decimals=2),
                Column("compared", _("Compared"), counts="judgments"),
                Column("judgments", _("Judgments")),
            ),
            rows=rows,
            keys=2,
            notes=[
                ngettext(
                    "By the mean difference of ranks where the two were compared at least %(count)d time.",
                    "By the mean difference of ranks where the two were compared at least %(count)d times.",
                    fewest,
                )
                % {"count": fewest}
            ],
            about={"system": found.system},
        )
    ]


def _documents_of(given: Input, segments: Sequence[ClearSegment]) -> dict[str, str]:
    """Return the names of the documents of segments by their numbers, where documents are known."""
    document = given.blocks.document
    if document is None:
        return {}
    of_segment = dict(zip(given.blocks.segment.tolist(), document.tolist(), strict=True))
    return {str(each.segment): given.documents[of_segment[each.segment]] for each in segments}
