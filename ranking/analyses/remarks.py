"""Skips and comments of judges, by system and by source length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import CONFIDENCE
from ranking.analyses.system import by_length, length_in_words, limits_notes, many_parts_note
from ranking.core.arrays import BoolArray
from ranking.core.diagnosis.one_system import RemarkShare, Shown, remark_share, shown_blocks
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import Column, Named, Report, Table, end_columns, interval_plot


@dataclass(frozen=True, slots=True)
class PartRemarks:
    """A part of the blocks shown, with its numbers of skips and comments."""

    part: str
    shown: int
    skipped: RemarkShare
    commented: RemarkShare


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
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
    words = None if given.texts is None else given.texts.words()
    confidence = options["confidence"]
    return {
        "shown": len(shown.segment),
        "skipped": int(shown.skipped.sum()),
        "commented": int(shown.commented.sum()),
        "systems": [
            _part(name, shown, shown.shows[:, number], confidence)
            for number, name in enumerate(shown.systems)
            if shown.shows[:, number].any()
        ],
        "lengths": []
        if words is None
        else [
            _part(name, shown, rows, confidence) for name, rows in by_length(words[shown.segment])
        ],
        "confidence": confidence,
    }


def _part(name: str, shown: Shown, rows: BoolArray, confidence: float) -> PartRemarks:
    return PartRemarks(
        part=name,
        shown=int(rows.sum()),
        skipped=remark_share(shown, shown.skipped, rows, confidence=confidence),
        commented=remark_share(shown, shown.commented, rows, confidence=confidence),
    )


def _tell(given: Input, _options: Mapping[str, Any], found: Mapping[str, Any]) -> Report:
    """Report skips and comments."""
    counts = {name: number_format(found[name]) for name in ("shown", "skipped", "commented")}
    return report_on(
        given,
        notes=[
            _("Blocks answered: %(shown)s (%(skipped)s skipped, %(commented)s with a comment).")
            % counts,
            _(
                "A block counts for each system it shows. Intervals account for segments and judges."
            ),
            many_parts_note(),
            *limits_notes(
                share.limits
                for each in (*found["systems"], *found["lengths"])
                for share in (each.skipped, each.commented)
            ),
        ],
        tables=[
            *_tables("systems", _("By system"), _("System"), found["systems"], names="system"),
            *_tables("lengths", _("By source length"), _("Words"), found["lengths"]),
        ],
        data=found,
    )


def _tables(
    name: str,
    title: str,
    heading: str,
    parts: Sequence[PartRemarks],
    *,
    names: Named | None = None,
) -> list[Table]:
    if not parts:
        return []
    return [
        Table(
            name=name,
            title=title,
            columns=(
                Column("part", heading, is_text=True, names=names),
                Column("shown", _("Blocks")),
                Column("skipped", _("Skipped")),
                Column("skipped_share", _("Share skipped")),
                *end_columns("skipped_"),
                Column("commented", _("With a comment")),
                Column("commented_share", _("Share with a comment")),
                *end_columns("commented_"),
            ),
            rows=[
                (
                    each.part if names else length_in_words(each.part),
                    each.shown,
                    *(
                        part
                        for share in (each.skipped, each.commented)
                        for part in (share.count, share.share, share.low, share.high)
                    ),
                )
                for each in parts
            ],
            plot=interval_plot(
                "part", "skipped_share", low="skipped_low", high="skipped_high", start=0, most=40
            ),
            notes=[_("The plot shows the share skipped.")],
        )
    ]


REMARKS = AnalysisKind(
    name="remarks",
    title=gettext_lazy("Comments and skips"),
    page="data",
    question=gettext_lazy(
        "Where do judges skip blocks or write comments, by system and source length?"
    ),
    options=(CONFIDENCE,),
    needs_remarks=True,
    find=_find,
    tell=_tell,
)
